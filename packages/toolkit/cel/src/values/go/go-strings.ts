/** Converts a text to lower case as Go does: each character to one, whereas JavaScript makes two of U+0130. */
export function goLower(text: string): string {
  return text.replaceAll('\u0130', 'i').toLowerCase();
}

/** White space of Go's `unicode.IsSpace`: JavaScript's has U+FEFF and lacks U+0085. */
const space = String.raw`(?:(?!\uFEFF)[\s\u0085])+`;
const outer = new RegExp(`^${space}|${space}$`, 'g');

/** Removes white space at both ends, as Go's `strings.TrimSpace` does. */
export function goTrim(text: string): string {
  return text.replaceAll(outer, '');
}

/** Splits a text at white space, as Go's `strings.Fields` does. */
export function goFields(text: string): readonly string[] {
  return text.split(new RegExp(space)).filter((field) => field !== '');
}
