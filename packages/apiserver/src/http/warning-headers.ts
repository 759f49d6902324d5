/** What the texts of all warnings of a response may come to before they are cut. */
const MOST_CHARACTERS = 4096;
/** What is left of each text then. */
const MOST_OF_ONE = 256;

/**
 * The values of the `Warning` headers of a response. As kube-apiserver does, a text is sent once; if all of them are too
 * long, each is cut, and warnings are sent until the limit is reached.
 */
export function warningHeaders(warnings: readonly string[]): string[] {
  const texts = [...new Set(warnings)]
    .filter((text) => text !== '')
    .map((text) => Array.from(text));
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  if (total <= MOST_CHARACTERS) return texts.map((text) => warningHeader(text.join('')));
  const headers: string[] = [];
  let written = 0;
  for (const text of texts) {
    if (written >= MOST_CHARACTERS) break;
    const cut = text.slice(0, MOST_OF_ONE);
    written += cut.length;
    headers.push(warningHeader(cut.join('')));
  }
  return headers;
}

/** RFC 7234 warning with code 299; the text is quoted and free of what no header may carry. */
function warningHeader(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}]/gu, ' ').replaceAll(/[\\"]/g, String.raw`\$&`);
  return `299 - "${Buffer.from(plain).toString('latin1')}"`;
}
