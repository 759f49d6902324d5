import { CodedError } from '@keelson/apimachinery';
import { managerErrors } from '../errors.ts';

/**
 * An error that a reconcile throws when a retry cannot help, for an invalid spec for example. The run counts as an
 * error and is not retried; the next event about the object starts a new first attempt. A `TerminalError` may also be
 * among the causes of the thrown error.
 */
export class TerminalError extends CodedError<'TERMINAL'> {
  override readonly name: string = 'TerminalError';

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super('TERMINAL', managerErrors.TERMINAL, { reason }, options);
  }
}

/**
 * True for a `TerminalError` of any copy of this package, and for an error with one among its causes. Never throws:
 * an error with unreadable members is not terminal.
 */
export function isTerminal(error: unknown): boolean {
  try {
    return hasTerminal(error);
  } catch {
    return false;
  }
}

function hasTerminal(error: unknown): boolean {
  // A chain of causes may be circular.
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
