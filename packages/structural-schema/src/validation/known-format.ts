import type { JsonSchema } from './json-schema.ts';
import { isKnownFormat } from '@keelson/cel/internal';

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** Returns the format that the server validates; `undefined` if it is unknown or belongs to another type. */
export function knownFormat({ type = '', format = '' }: JsonSchema): string | undefined {
  if (format === '') return undefined;
  const isKnown =
    type === 'string' || type === ''
      ? isKnownFormat(format)
      : (numberFormats[type] ?? []).includes(format);
  return isKnown ? format : undefined;
}

/** Returns the formats that the server ignores and warns of, without duplicates. */
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
