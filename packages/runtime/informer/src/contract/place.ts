import type { FieldRequirements } from '@keelson/apimachinery';

/** The namespace and the name that a query or a read selects; `undefined` for all namespaces or names. */
export interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** All namespaces and names. */
export const everywhere: Place = {};

/** Returns the place that the requirements of a field selector select. Contradictory ones select nothing, so that any place is right. */
export function placeOf(fields: FieldRequirements): Place {
  const valueOf = (path: string): string | undefined =>
    fields.find((field) => field.path === path && field.operator === '=')?.value;
  return { namespace: valueOf('metadata.namespace'), name: valueOf('metadata.name') };
}
