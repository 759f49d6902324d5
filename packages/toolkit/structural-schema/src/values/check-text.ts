import type { StatusCause } from '@keelson/apimachinery';
import { hasFormat } from '@keelson/cel/internal';
import { goQuote } from '../json/go-text.ts';
import { tooLong, typeInvalid } from '../validation/field-error.ts';
import type { FieldPath } from '../validation/field-path.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import type { PatternMatcher } from '../validation/pattern-matcher.ts';
import { inBody } from './validate-number.ts';

/** Checks length and pattern. Reports only the first of the three problems, as kube-apiserver does. */
export function checkLengthAndPattern(
  schema: JsonSchema,
  text: string,
  path: FieldPath,
  patterns: PatternMatcher,
): StatusCause[] {
  const { minLength, maxLength, pattern } = schema;
  const length = codePoints(text);
  if (maxLength !== undefined && length > maxLength) return [tooLong(path, maxLength)];
  if (minLength !== undefined && length < minLength) {
    return [inBody(path, text, `should be at least ${minLength} chars long`)];
  }
  if (pattern !== undefined && pattern !== '' && !patterns.matches(pattern, text)) {
    return [inBody(path, text, `should match '${pattern}'`)];
  }
  return [];
}

/** Go counts code points; `length` counts the two halves of an astral character. */
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Checks the format of a string. Every string has an unknown format. */
export function checkFormat(format: string, text: string, path: FieldPath): StatusCause[] {
  if (hasFormat(text, format)) return [];
  const detail = `${path} in body must be of type ${format}: ${goQuote(text)}`;
  return [typeInvalid(path, text, detail)];
}
