import { isError } from '../logging/error-text.ts';

/** Errors that JavaScript throws for a bug, as Go panics for a nil pointer or an index. */
const bugs: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'RangeError']);

/**
 * True for the equivalent of a panic in Go: an error of the language (`x is not a function`), a failed assertion, or a
 * thrown value that is not an Error. An error with a `code` (`ERR_INVALID_URL`) or a `cause` (`fetch failed`) comes
 * from a library and does not count. Never throws.
 */
export function isPanic(thrown: unknown): boolean {
  if (!isError(thrown)) return true;
  try {
    if (thrown.name === 'AssertionError') return true;
    return bugs.has(thrown.name) && thrown.cause === undefined && !('code' in thrown);
  } catch {
    return false;
  }
}
