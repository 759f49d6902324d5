/** Text without a break that is so long, or half so long and has a digit, is rather a credential than a word. */
const CREDENTIAL = /(?=[A-Za-z+=_.~-]*\d)[A-Za-z0-9+=_.~-]{16,}|[A-Za-z+=_.~-]{32,}/g;
const QUOTED = /(["'`]).*?\1/gs;
const LIMIT = 300;

/**
 * What may be shown of a text by somebody else that has to do with credentials: its first line, without
 * what is quoted and without what looks like a token.
 */
export function redacted(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.replaceAll(QUOTED, '…').replaceAll(CREDENTIAL, '…').slice(0, LIMIT);
}
