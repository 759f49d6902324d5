/**
 * Source text access of JSON (https://github.com/tc39/proposal-json-parse-with-source), which Node.js has since version 21. The
 * libraries of TypeScript do not declare it.
 */
interface ExactJson extends JSON {
  parse(
    text: string,
    reviver?: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  /** Makes a value that `stringify` writes as this text. */
  rawJSON(text: string): ExactInteger;
  isRawJSON(value: unknown): value is ExactInteger;
}

/** An integer with its digits. */
export interface ExactInteger {
  readonly rawJSON: string;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface adds what every supported runtime has
const json = JSON as ExactJson;

/** Makes an integer that `JSON.stringify` writes with these digits. */
export function exactInteger(digits: string): ExactInteger {
  return json.rawJSON(digits);
}

/** True for an integer of `parseExactly`. */
export function isExactInteger(value: unknown): value is ExactInteger {
  return json.isRawJSON(value);
}

/**
 * Parses a JSON text with an `ExactInteger` for each integer beyond 2^53. Undefined if the text has none, which is found
 * without parsing for nearly every text.
 */
export function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return undefined;
  let isWide = false;
  const value = json.parse(text, (_, member, { source = '' }) => {
    if (typeof member !== 'number' || Number.isSafeInteger(member)) return member;
    // Go reads a number with a fraction or an exponent as a float64, as JavaScript does.
    if (!/^-?\d+$/.test(source)) return member;
    isWide = true;
    return exactInteger(source);
  });
  return isWide ? value : undefined;
}
