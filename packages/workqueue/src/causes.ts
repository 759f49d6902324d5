/** Distinct causes that an entry remembers; more would only repeat what an operator can read. */
const limit = 8;

/**
 * Adds causes to those of an entry, without repeats. `complete` is false when one did not fit: such
 * an entry must never be purged, for what was left out may still stand.
 */
export function addCauses<Cause>(
  before: readonly Cause[] | undefined,
  added: readonly Cause[],
  same: (one: Cause, other: Cause) => boolean,
): { causes: readonly Cause[]; complete: boolean } {
  if (before === undefined && added.length === 1) return { causes: added, complete: true };
  const causes = before === undefined ? [] : [...before];
  for (const cause of added) {
    if (causes.some((known) => same(known, cause))) continue;
    if (causes.length === limit) return { causes, complete: false };
    causes.push(cause);
  }
  return { causes, complete: true };
}

/** The causes that do not match; the same array when none does. */
export function withoutCauses<Cause>(
  causes: readonly Cause[] | undefined,
  matches: (cause: Cause) => boolean,
): readonly Cause[] | undefined {
  return causes?.some(matches) === true ? causes.filter((cause) => !matches(cause)) : causes;
}
