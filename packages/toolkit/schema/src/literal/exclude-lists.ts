import type { JsonSchema } from '@keelson/structural-schema';

/** The limits of items that no list meets. */
const noList = { minItems: 1, maxItems: 0 } as const;

/**
 * Returns the schema whose texts with a format exclude lists. kube-apiserver does not compare the type of a list with
 * the schema beside a `format`, so that it would accept a list in the place of such a text.
 */
export function excludeLists(schema: JsonSchema): JsonSchema {
  const { properties, additionalProperties, items } = schema;
  return {
    ...schema,
    ...(schema.type === 'string' && schema.format !== undefined && noList),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, excludeLists(property)]),
      ),
    }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: excludeLists(additionalProperties),
    }),
    ...(items && { items: excludeLists(items) }),
  };
}
