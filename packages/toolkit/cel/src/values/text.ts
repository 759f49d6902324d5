/** Splits a string into characters as Go counts them; JavaScript counts UTF-16 units. */
export function charactersOf(text: string): readonly string[] {
  return Array.from(text);
}

const surrogate = /[\uD800-\uDFFF]/;

export function lengthOf(text: string): number {
  return surrogate.test(text) ? charactersOf(text).length : text.length;
}
