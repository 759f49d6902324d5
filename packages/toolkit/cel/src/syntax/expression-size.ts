import { type ExpressionIssue, nowhere } from './expression-issue.ts';
import { type Expression, hasMoreParts } from './expression.ts';

/** Length limit of an expression on kube-apiserver, in characters. */
const MAX_CHARACTERS = 100_000;

/** Returns the issue of a source that is too long; otherwise `undefined`. */
export function lengthIssue(source: string): ExpressionIssue | undefined {
  const size = source.length > MAX_CHARACTERS ? Array.from(source).length : 0;
  if (size <= MAX_CHARACTERS) return undefined;
  const message = `expression code point size exceeds limit: size: ${size}, limit ${MAX_CHARACTERS}`;
  return { offset: nowhere, message };
}

/** Size limit after macro expansion. `optMap` duplicates its target, so a chain of it grows exponentially. */
const MAX_PARTS = 200_000;

/** Returns the issue of an expression that is too large when its macros are expanded; otherwise `undefined`. */
export function sizeIssue(expression: Expression): ExpressionIssue | undefined {
  if (!hasMoreParts(expression, MAX_PARTS)) return undefined;
  const message = `expression has more than ${MAX_PARTS} parts when its macros are expanded`;
  return { offset: nowhere, message };
}
