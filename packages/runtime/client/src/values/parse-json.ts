/**
 * Parses JSON and returns `undefined` if it is invalid. An error of `JSON.parse` would quote the text, which
 * may hold a secret.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
