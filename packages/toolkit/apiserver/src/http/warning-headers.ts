/** The total length of all warnings of a response, in characters; above it each text is truncated. */
const MAX_CHARACTERS = 4096;
/** The length of a truncated text in characters. */
const MAX_CHARACTERS_OF_ONE = 256;

/**
 * The values of the `Warning` headers of a response. As in kube-apiserver, each text is sent once. If the total is
 * too long, each text is truncated, and texts beyond the limit are dropped.
 */
export function warningHeaders(warnings: readonly string[]): string[] {
  const texts = [...new Set(warnings)]
    .filter((text) => text !== '')
    .map((text) => Array.from(text));
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  if (total <= MAX_CHARACTERS) return texts.map((text) => warningHeader(text.join('')));
  const headers: string[] = [];
  let written = 0;
  for (const text of texts) {
    if (written >= MAX_CHARACTERS) break;
    const cut = text.slice(0, MAX_CHARACTERS_OF_ONE);
    written += cut.length;
    headers.push(warningHeader(cut.join('')));
  }
  return headers;
}

/** Formats a warning with code 299 (RFC 7234): the quoted text without characters that are invalid in headers. */
function warningHeader(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}]/gu, ' ').replaceAll(/[\\"]/g, String.raw`\$&`);
  return `299 - "${Buffer.from(plain).toString('latin1')}"`;
}
