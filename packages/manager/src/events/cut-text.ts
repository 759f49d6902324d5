/**
 * The longest start of a text that takes at most so many bytes in UTF-8 and does not split a
 * character: the API server bounds texts in bytes.
 */
export function cutText(text: string, maxBytes: number): string {
  // `encodeInto` stops before a character that does not fit.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
