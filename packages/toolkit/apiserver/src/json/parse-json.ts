import { type JsonValue, parseNumbers } from '@keelson/structural-schema';
import { jsonSyntaxError } from './json-syntax-error.ts';

/** The deepest nesting of objects and lists, as in Go's JSON decoder. */
export const MAX_NESTING = 10_000;

/** The text has deeper nesting than `MAX_NESTING`. */
export class NestingError extends SyntaxError {
  override readonly name = 'NestingError';

  constructor(character: string) {
    super(`invalid character '${character}' exceeded max depth`);
  }
}

/** True if an error is a stack overflow: later steps recurse, and the stack may be too small for the limit. */
export function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.startsWith('Maximum call stack');
}

/**
 * Like `JSON.parse`, but keeps inexact numbers as `NumberText`, rejects deep nesting, and has the error messages of
 * Go.
 */
export function parseJson(text: string): JsonValue {
  const character = tooDeep(text);
  if (character !== undefined) throw new NestingError(character);
  try {
    return parseNumbers(text) as JsonValue;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxError(jsonSyntaxError(text), { cause: error });
  }
}

const quote = 34;
const backslash = 92;
/** The bit in which `[ ]` and `{ }` differ. */
const isCurly = 32;
const opening = 91;
const closing = 93;

/** The bracket that opens the first value beyond the limit. Short texts have none. */
function tooDeep(text: string): string | undefined {
  if (text.length <= MAX_NESTING) return undefined;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if ((code & ~isCurly) === opening && ++depth > MAX_NESTING) return text[at];
    else if ((code & ~isCurly) === closing) depth--;
  }
  return undefined;
}

/** The position of the closing quote of a string. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === backslash) first--;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
