import { withoutLoneSurrogates } from './surrogate-escapes.ts';
import { NumberText, rawJson } from './number-text.ts';

/** Formats JSON that may contain bigints; `space` as in `JSON.stringify`. */
export function jsonText(value: unknown, space = 0): string {
  return exactText(value, space).json;
}

/** Like `jsonText`, and whether the value contains a bigint: only then the text needs `parseExact`. */
export function exactText(value: unknown, space = 0): { json: string; hasBigints: boolean } {
  try {
    return { json: JSON.stringify(value, null, space), hasBigints: false };
  } catch (error) {
    // Nearly all objects have no bigints and need no replacer.
    if (!(error instanceof TypeError)) throw error;
    return { json: JSON.stringify(value, withBigints, space), hasBigints: true };
  }
}

function withBigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJson(String(value)) : value;
}

/** Parses JSON that the server wrote; integers beyond 2^53 become bigints. */
export function parseExact(text: string): unknown {
  // A reviver is slow, and nearly all texts have no such integer.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, ((_key: string, value: unknown, { source }: Source) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    return new NumberText(source).value;
  }) as Reviver);
}

/**
 * Parses JSON of a client. Numbers that JavaScript cannot represent exactly become `NumberText`, and lone surrogates
 * U+FFFD.
 */
export function parseNumbers(json: string): unknown {
  const text = withoutLoneSurrogates(json);
  if (!unusual.test(text)) return JSON.parse(text);
  return JSON.parse(
    text,
    ((_key: string, value: unknown, { source }: Source) =>
      textOf(value, source) ?? value) as Reviver,
  );
}

/** Matches numbers of 16 or more digits, or with a fraction or exponent. It may also match inside strings. */
const unusual = /[:,[]\s*-?(?:\d{16}|\d+[.eE])[\d.eE+-]*\s*[,\]}]/;

interface Source {
  /** The source text of a primitive value. */
  readonly source: string;
}

/** TypeScript's library does not declare the third parameter. */
type Reviver = (key: string, value: unknown) => unknown;

function textOf(value: unknown, source: string): NumberText | undefined {
  if (typeof value !== 'number') return undefined;
  const isFloat = /[.eE]/.test(source);
  const isPlain = Number.isSafeInteger(value) ? !isFloat : isFloat && String(value) === source;
  return isPlain ? undefined : new NumberText(source);
}
