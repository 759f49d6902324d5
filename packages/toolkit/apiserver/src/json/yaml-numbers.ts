import type { Schema } from 'js-yaml';
import { NumberText } from '@keelson/structural-schema';

type Yaml = typeof import('js-yaml');

const intTag = 'tag:yaml.org,2002:int';

const floatTag = 'tag:yaml.org,2002:float';

/**
 * The schema of Go's parser: YAML 1.1 with octal 0644 and y as true, but without numbers of base 60 and without
 * timestamps, which JSON lacks. Binary values are texts.
 */
export function goSchema(yaml: Yaml): Schema {
  const binary = yaml.defineScalarTag<unknown>(yaml.binaryTag.tagName, {
    identify: () => false,
    resolve: (source) => textOfBase64(source) ?? yaml.NOT_RESOLVED,
  });
  const timestamp = yaml.defineScalarTag<unknown>(yaml.timestampTag.tagName, {
    identify: () => false,
    resolve: (source) => source,
  });
  const plain = new yaml.Schema([
    ...yaml.YAML11_SCHEMA.tags.filter(({ tagName }) => tagName !== yaml.timestampTag.tagName),
    timestamp,
  ]);
  return withoutBase60(yaml, withGoNumbers(yaml, plain.withTags(binary)));
}

function textOfBase64(source: string): string | undefined {
  const base64 = source.replaceAll(/\s/g, '');
  const isValid = base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64);
  return isValid ? Buffer.from(base64, 'base64').toString() : undefined;
}

/** Reads `1:30` as a text and `0o14` as a number. */
function withoutBase60(yaml: Yaml, schema: Schema): Schema {
  const tags = schema.tags.flatMap((tag) =>
    tag.nodeKind === 'scalar' && (tag.tagName === intTag || tag.tagName === floatTag) ? [tag] : [],
  );
  const changed = tags.map((tag) =>
    yaml.defineScalarTag<unknown>(tag.tagName, {
      ...tag,
      resolve(source, ...rest) {
        if (source.includes(':')) return yaml.NOT_RESOLVED;
        const [, sign = '', digits] = /^([-+]?)0[oO]([0-7_]+)$/.exec(source) ?? [];
        if (digits === undefined || tag.tagName === floatTag) return tag.resolve(source, ...rest);
        return Number(`${sign}1`) * Number.parseInt(digits.replaceAll('_', ''), 8);
      },
    }),
  );
  return schema.withTags(...changed);
}

/** Extends a schema to read numbers like Go: `1e2` is a number, and integers beyond 2^53 keep their digits. */
function withGoNumbers(yaml: Yaml, schema: Schema): Schema {
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
