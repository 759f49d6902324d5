/** How many texts two lists have in common. */
export interface Agreement {
  readonly equal: number;
  readonly total: number;
  readonly missing: readonly string[];
  readonly excess: readonly string[];
}

/** Compares two lists, in which the same text may be several times. */
export function compareTexts(expected: readonly string[], actual: readonly string[]): Agreement {
  const left = [...actual];
  const missing: string[] = [];
  for (const text of expected) {
    const at = left.indexOf(text);
    if (at < 0) missing.push(text);
    else left.splice(at, 1);
  }
  const equal = expected.length - missing.length;
  return { equal, total: Math.max(expected.length, actual.length), missing, excess: left };
}
