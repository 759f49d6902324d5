/** Some names and, for a sentence about them, where they stand. */
export interface NamedSet {
  readonly what: string;
  readonly names: readonly string[];
}

/** What stands on one side only, as one sentence each. */
export function differences(left: NamedSet, right: NamedSet): string[] {
  return [...missing(left, right), ...missing(right, left)];
}

function missing(from: NamedSet, to: NamedSet): string[] {
  const present = new Set(to.names);
  return [...new Set(from.names)]
    .filter((name) => !present.has(name))
    .map((name) => `${name} is in ${from.what} and not in ${to.what}`);
}
