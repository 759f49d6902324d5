/** Converts a text to lower case as Go does: each character to one, whereas JavaScript makes two of U+0130. */
export function goLower(text: string): string {
  return text.replaceAll('\u0130', 'i').toLowerCase();
}
