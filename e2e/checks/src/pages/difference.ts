/** A set of names, with the words for the place that they come from. */
export interface NamedSet {
  readonly what: string;
  readonly names: readonly string[];
}

/** Returns one sentence for each name that only one of the two sets has. */
export function differences(left: NamedSet, right: NamedSet): string[] {
  return [...missing(left, right), ...missing(right, left)];
}

function missing(from: NamedSet, to: NamedSet): string[] {
  const present = new Set(to.names);
  return [...new Set(from.names)]
    .filter((name) => !present.has(name))
    .map((name) => `${name} is in ${from.what} and not in ${to.what}`);
}
