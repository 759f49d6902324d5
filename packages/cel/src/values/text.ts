/** Go counts characters, JavaScript halves of surrogate pairs. */
export function charactersOf(text: string): readonly string[] {
  return Array.from(text);
}

const surrogate = /[\uD800-\uDFFF]/;

export function lengthOf(text: string): number {
  return surrogate.test(text) ? charactersOf(text).length : text.length;
}
