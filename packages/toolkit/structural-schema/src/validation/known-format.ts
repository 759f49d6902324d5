import type { JsonSchema } from './json-schema.ts';
import { isKnownFormat } from '@keelson/cel/internal';

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/**
 * Returns the format that the server validates; `undefined` if it is unknown or belongs to another type. `type` is empty
 * where a value may have several types.
 */
export function knownFormat(format: string, type: string): string | undefined {
  if (format === '') return undefined;
  const isKnown =
    type === 'string' || type === ''
      ? isKnownFormat(format)
      : (numberFormats[type] ?? []).includes(format);
  return isKnown ? format : undefined;
}

/** Returns the formats that the server ignores and warns of, without duplicates. */
export function unknownFormats(schema: JsonSchema): string[] {
  const { format = '', type = '' } = schema;
  const own = format !== '' && knownFormat(format, type) === undefined;
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
