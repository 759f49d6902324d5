import { examineResult, invalidOption, parseDuration, type Duration } from '@keelson/apimachinery';
import type { ReconcileContext } from './reconcile.ts';

/**
 * The reaction to an error of a reconcile.
 *
 * - `'retry'`: a run after the backoff, also for a `TerminalError`.
 * - `{ requeueAfter }`: a run after this time instead of the backoff. The attempt counts as failed.
 * - `'terminal'`: the request is given up, as after a `TerminalError`.
 * - `'ignore'`: the run counts as a success.
 */
export type ErrorDecision =
  | 'retry'
  | 'terminal'
  | 'ignore'
  | {
      /** More than zero. A failure during an earlier delay keeps the end of that delay. */
      readonly requeueAfter: Duration;
    };

/**
 * Chooses the reaction to an error that a reconcile threw, or that a loop passed to `work.fail`. It must be
 * synchronous. `context.attempt` is the number of the attempt. Without a result the default applies: `'terminal'` for a
 * `TerminalError`, else `'retry'`.
 */
export type ErrorPolicy<Q extends object> = (
  error: unknown,
  request: Q,
  context: ReconcileContext,
) => ErrorDecision | undefined | void;

/** A checked decision. */
export interface FailureDecision {
  readonly kind: 'retry' | 'terminal' | 'ignore';
  /** Milliseconds that replace the backoff; with `retry`. */
  readonly after?: number;
}

const cure = "must return 'retry', 'terminal', 'ignore' or { requeueAfter }, and no promise";

/** Checks the result of an error policy. Throws `INVALID_OPTION` for an invalid one. */
export function failureDecision(
  result: ReturnType<ErrorPolicy<object>>,
): FailureDecision | undefined {
  switch (result) {
    case undefined:
      return undefined;
    case 'retry':
    case 'terminal':
    case 'ignore':
      return { kind: result };
    default:
      // The promise of an async policy is not awaited, so its rejection must not end the process.
      return { kind: 'retry', after: examineResult(result, delayOf) };
  }
}

function delayOf(result: unknown): number {
  if (typeof result !== 'object' || result === null) {
    throw invalidOption('errorPolicy', cure, { returned: String(result) });
  }
  const members = Object.keys(result);
  if (members.length !== 1 || members[0] !== 'requeueAfter') {
    throw invalidOption('errorPolicy', cure, { returned: members.join(' ') || typeof result });
  }
  const { requeueAfter } = result as { readonly requeueAfter: Duration };
  const delay = parseDuration(requeueAfter, 'errorPolicy.requeueAfter');
  if (delay === 0) throw invalidOption('errorPolicy.requeueAfter', 'must be more than zero');
  return delay;
}
