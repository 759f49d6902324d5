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

/** The messages of V8 for a write to a frozen object. */
const WRITE_TO_FROZEN =
  /^Cannot (assign to read only property|add property|delete property|define property|redefine property)/;

const CURE =
  'objects from a cache are read-only and frozen in development: change a copy (mutableCopy), and write it with the client';

/**
 * The facts that explain an error of code that changed a frozen object, such as one of a cache; none for other errors.
 * Never throws.
 */
export function frozenObjectFacts(thrown: unknown): { readonly cure?: string } {
  return isPanic(thrown) && isWriteToFrozen(thrown) ? { cure: CURE } : {};
}

function isWriteToFrozen(thrown: unknown): boolean {
  try {
    return isError(thrown) && thrown.name === 'TypeError' && WRITE_TO_FROZEN.test(thrown.message);
  } catch {
    return false;
  }
}
