/** Parses JSON; `undefined` for any other text. The error of `JSON.parse` quotes the text, which may hold a secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
