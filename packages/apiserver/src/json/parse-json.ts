import { parseNumbers } from '../json/exact-json.ts';
import { jsonSyntaxError } from './json-syntax-error.ts';
import type { JsonValue } from './json-value.ts';

/** Objects and lists within each other, as Go's JSON decoder allows. */
export const mostNested = 10_000;

/** A text is nested more deeply than `mostNested`. */
export class NestingError extends SyntaxError {
  override readonly name = 'NestingError';

  constructor(character: string) {
    super(`invalid character '${character}' exceeded max depth`);
  }
}

/** What follows the parsing recurses, and the stack may end before the limit of the parser. */
export function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.startsWith('Maximum call stack');
}

/** `JSON.parse` that keeps unusual numbers as `NumberText`, refuses deep nesting, and words its errors as Go does. */
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
/** `[ ]` and `{ }` differ in this bit alone. */
const isCurly = 32;
const opening = 91;
const closing = 93;

/** The bracket that opens the first value beyond the limit. Short texts cannot have one. */
function tooDeep(text: string): string | undefined {
  if (text.length <= mostNested) return undefined;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at);
    else if ((code & ~isCurly) === opening && ++depth > mostNested) return text[at];
    else if ((code & ~isCurly) === closing) depth--;
  }
  return undefined;
}

/** The place of the quote that ends a text. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === backslash) first--;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
