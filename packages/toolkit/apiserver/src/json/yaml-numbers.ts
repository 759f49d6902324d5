import type { Schema } from 'js-yaml';
import { NumberText } from '@keelson/structural-schema';

type Yaml = typeof import('js-yaml');

const intTag = 'tag:yaml.org,2002:int';

const floatTag = 'tag:yaml.org,2002:float';

/** Extends a schema to read numbers like Go: `1e2` is a number, and integers beyond 2^53 keep their digits. */
export function withGoNumbers(yaml: Yaml, schema: Schema): Schema {
  const floats = yaml.DUMP_SCHEMA.tags.filter(({ tagName }) => tagName === floatTag);
  return withExactIntegers(yaml, schema.withTags(...floats));
}

/** Extends a schema to read integers beyond 2^53 as bigints. */
export function withExactIntegers(yaml: Yaml, schema: Schema): Schema {
  const usual = schema.tags.find(({ tagName }) => tagName === intTag);
  if (usual?.nodeKind !== 'scalar') return schema;
  const exact = yaml.defineScalarTag<unknown>(intTag, {
    ...usual,
    resolve: (source, ...rest) =>
      /^-?[1-9]\d{15,}$/.test(source)
        ? new NumberText(source).value
        : usual.resolve(source, ...rest),
    identify: (value) => typeof value === 'bigint' || usual.identify(value),
  });
  return schema.withTags(exact);
}
