import type { JsonSchema } from './structural-schema.ts';
import { isKnownFormat } from '@keelson/cel/internal';

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** The format of a schema, undefined where the server does not check it: an unknown one, or one of another type. */
export function knownFormat({ type = '', format = '' }: JsonSchema): string | undefined {
  if (format === '') return undefined;
  const isKnown =
    type === 'string' || type === ''
      ? isKnownFormat(format)
      : (numberFormats[type] ?? []).includes(format);
  return isKnown ? format : undefined;
}

/** The formats in a schema that the server ignores, each once: it warns of them. */
export function unknownFormats(schema: JsonSchema): string[] {
  const { format = '' } = schema;
  const own = format !== '' && knownFormat(schema) === undefined;
  const found = [...(own ? [format] : []), ...partsOf(schema).flatMap(unknownFormats)];
  return [...new Set(found)];
}

function partsOf(schema: JsonSchema): JsonSchema[] {
  const { items, additionalProperties, properties = {}, not } = schema;
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  return [
    ...(items === undefined ? [] : [items]),
    ...Object.values(properties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...(not === undefined ? [] : [not]),
  ];
}
