import { NumberText, rawJson } from './number-text.ts';

/** JSON that may hold bigints; `space` as in `JSON.stringify`. */
export function jsonText(value: unknown, space = 0): string {
  return exactText(value, space).json;
}

/** The same, and whether a bigint was among the values: only then does reading the text need `parseExact`. */
export function exactText(value: unknown, space = 0): { json: string; hasBigints: boolean } {
  try {
    return { json: JSON.stringify(value, null, space), hasBigints: false };
  } catch (error) {
    // Objects without bigints, which are nearly all, shall not pay for a replacer.
    if (!(error instanceof TypeError)) throw error;
    return { json: JSON.stringify(value, withBigints, space), hasBigints: true };
  }
}

function withBigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJson(String(value)) : value;
}

/** Parses a text that the server has written: integers beyond 2^53 become bigints. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, ((_key: string, value: unknown, { source }: Source) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    return new NumberText(source).value;
  }) as Reviver);
}

/** Parses a text of a client: numbers that lose digits or their form become `NumberText`. */
export function parseNumbers(text: string): unknown {
  if (!unusual.test(text)) return JSON.parse(text);
  return JSON.parse(
    text,
    ((_key: string, value: unknown, { source }: Source) =>
      textOf(value, source) ?? value) as Reviver,
  );
}

/** A number of 16 digits and more, or with a fraction or an exponent. Few texts without one match, inside strings. */
const unusual = /[:,[]\s*-?(?:\d{16}|\d+[.eE])[\d.eE+-]*\s*[,\]}]/;

interface Source {
  /** The text of a primitive value. */
  readonly source: string;
}

/** The library of the compiler does not declare the third parameter. */
type Reviver = (key: string, value: unknown) => unknown;

function textOf(value: unknown, source: string): NumberText | undefined {
  if (typeof value !== 'number') return undefined;
  const isFloat = /[.eE]/.test(source);
  const isPlain = Number.isSafeInteger(value) ? !isFloat : isFloat && String(value) === source;
  return isPlain ? undefined : new NumberText(source);
}
