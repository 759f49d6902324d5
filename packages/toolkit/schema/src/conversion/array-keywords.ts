import type { JsonObject } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import type { StructuralSchema } from '../literal/structural-schema.ts';
import type { Convert } from './convert-part.ts';

const scalars: ReadonlySet<unknown> = new Set(['boolean', 'integer', 'number', 'string']);

/** The keywords of lists. Unique items become a list of type `set`. */
export function arrayKeywords(
  schema: JsonObject,
  path: string,
  convert: Convert,
): StructuralSchema {
  if (schema['type'] !== 'array') return {};
  const { minItems, maxItems, uniqueItems } = schema;
  if (Array.isArray(schema['items'])) {
    const cure = 'use an object with a property for each position';
    throw refusal(`${path}.items`, 'a tuple', cure);
  }
  const items = convert(schema['items'] ?? true, `${path}.items`);
  if (uniqueItems === true && !scalars.has(items.type)) {
    const cure = "use scalars, or 'x-kubernetes-list-type': 'map' with keys instead of uniqueItems";
    throw refusal(`${path}.uniqueItems`, 'unique items that are not scalars', cure);
  }
  return {
    items,
    ...(typeof minItems === 'number' && { minItems }),
    ...(typeof maxItems === 'number' && { maxItems }),
    ...(uniqueItems === true && { 'x-kubernetes-list-type': 'set' }),
  };
}
