/**
 * The longest prefix of a text with at most `maxBytes` bytes in UTF-8; it does not split a character. The API server
 * limits the fields of an `Event` in bytes.
 */
export function cutText(text: string, maxBytes: number): string {
  // `encodeInto` stops before a character that does not fit.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
