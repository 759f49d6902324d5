/** True if two JSON values are equal. Members without a value, and the order of members, do not count. */
export function equalJson(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** The JSON of a value with its members in order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => sorted(member)) ?? '';
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
