import { CodedError } from '@keelson/apimachinery';
import { managerErrors } from '../errors.ts';

/**
 * Thrown by a reconcile that knows that another try cannot help (a spec that is wrong, say). The
 * run is counted as an error and not retried; the next event about the object starts afresh.
 * It is found in the chain of causes too, so it may be wrapped.
 */
export class TerminalError extends CodedError<'TERMINAL'> {
  override readonly name: string = 'TerminalError';

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super('TERMINAL', managerErrors.TERMINAL, { reason }, options);
  }
}

/**
 * True for a `TerminalError`, also of another copy of this package, and for an error that has one
 * among its causes. Never throws: an error whose members cannot be read is not terminal.
 */
export function isTerminal(error: unknown): boolean {
  try {
    return hasTerminal(error);
  } catch {
    return false;
  }
}

function hasTerminal(error: unknown): boolean {
  // A chain of causes may be circular: nothing forbids it.
  const seen = new Set<unknown>();
  for (let at = error; isObject(at) && !seen.has(at); at = at.cause) {
    if (at.name === 'TerminalError' && at.code === 'TERMINAL') return true;
    seen.add(at);
  }
  return false;
}

function isObject(
  value: unknown,
): value is { readonly name?: unknown; readonly code?: unknown; readonly cause?: unknown } {
  return typeof value === 'object' && value !== null;
}
