import { parseDuration, type Duration } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { CacheScope } from '@keelson/informer';
import type { Cause } from './cause.ts';
import { outcomeMistakes, type HintsOf } from '../common-mistakes.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Logger } from '../logging/logger.ts';
import { isError } from '../logging/error-text.ts';
import { ManagerError } from '../errors.ts';

/**
 * The result of a reconcile. No result: done, the failures are forgotten. A result that is invalid is
 * logged as `INVALID_RESULT`, counted, and treated like no result.
 */
export interface Outcome extends HintsOf<typeof outcomeMistakes> {
  /**
   * Run again after exactly this time, which is more than zero (an event may bring it forward); the
   * failures are forgotten. Removing the watch that asked for this run does not withdraw it: the reconcile asked.
   */
  readonly requeueAfter?: Duration;
  /** Run again after the backoff of the request, as if the run had failed. */
  readonly retry?: boolean;
  /** The priority of that next run, instead of the one this run had. */
  readonly priority?: number;
}

/** What a run has at hand beside its request. */
export interface ReconcileContext {
  /**
   * Reads what the controller itself watches: `for`, `owns`, `watches`, `reads` and the watches that were
   * added at run time. Throws `NOT_WATCHED` for anything else, naming the watch to declare.
   */
  readonly cache: CacheScope;
  /** Writes as the controller: its field manager is the controller's name. */
  readonly client: Client;
  /** Carries the controller, the request and the `reconcileId` of the run. */
  readonly log: Logger;
  /** Aborts at the controller's `timeout` and when the time to stop is over. */
  readonly signal: AbortSignal;
  /** Writes `Event` objects about what the run does. */
  readonly events: EventRecorder;
  /** Unique to the run. */
  readonly reconcileId: string;
  /** 1 for the first try, more after failures. */
  readonly attempt: number;
  /** Why the request was queued: a few distinct reasons. */
  readonly causes: readonly Cause[];
  /** The priority the request had in the queue. */
  readonly priority: number;
}

/**
 * Brings the world in line with what the object asks for. Called for a request at most once at a
 * time; a throw is retried with backoff, except a `TerminalError`.
 */
export type Reconcile<Q extends object> = (
  request: Q,
  context: ReconcileContext,
) => Promise<Outcome | void> | Outcome | void;

/** An outcome, checked. */
export interface Decision {
  readonly kind: 'success' | 'requeue' | 'requeue_after';
  /** Milliseconds; with `requeue_after`. */
  readonly after: number;
  readonly priority: number | undefined;
}

/** The decision for no result, and for an invalid one. */
export const success: Decision = { kind: 'success', after: 0, priority: undefined };

const cures = {
  result: 'return nothing, or an object with requeueAfter, retry or priority',
  requeueAfter: "give a time above zero, such as '30s'; leave it out to run on events only",
  retry: 'give true or false',
  priority: 'give a finite number',
} as const;

/** Decides what happens after a run. Throws `INVALID_RESULT`, which names the member and its cure. */
export function decide(result: Outcome | void): Decision {
  if (result === undefined) return success;
  const { requeueAfter, retry = false, priority } = membersOf(result);
  if (typeof retry !== 'boolean') throw invalid('retry', retry);
  if (priority !== undefined && !Number.isFinite(priority)) throw invalid('priority', priority);
  if (requeueAfter === undefined)
    return { kind: retry ? 'requeue' : 'success', after: 0, priority };
  return { kind: 'requeue_after', after: delayOf(requeueAfter), priority };
}

/** A copy of the members, each read once: getters of the user may throw, or change their minds. */
function membersOf(result: unknown): Outcome {
  let members: Readonly<Record<string, unknown>> | undefined;
  try {
    members = isResult(result) ? { ...result } : undefined;
  } catch (error) {
    throw invalid('result', result, {}, error);
  }
  if (members === undefined) throw invalid('result', result);
  for (const member of Object.keys(members)) {
    if (!Object.hasOwn(cures, member) || member === 'result') {
      throw invalid('result', result, { unknown: member, ...cureOf(member) });
    }
  }
  return members;
}

/** The cure of a member that other runtimes know, in place of the general one. */
function cureOf(member: string): { readonly cure?: string } {
  return Object.hasOwn(outcomeMistakes, member)
    ? { cure: outcomeMistakes[member as keyof typeof outcomeMistakes] }
    : {};
}

/** An instance of a class is a result only if it has members of its own: a `Map` or a `Date` asks for nothing. */
function isResult(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value) || isError(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain || Object.keys(value).length > 0;
}

function delayOf(requeueAfter: Duration): number {
  let delay: number;
  try {
    delay = parseDuration(requeueAfter, 'requeueAfter');
  } catch (error) {
    throw invalid('requeueAfter', requeueAfter, {}, error);
  }
  if (delay <= 0) throw invalid('requeueAfter', requeueAfter);
  return delay;
}

function invalid(
  member: keyof typeof cures,
  value: unknown,
  facts: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): ManagerError {
  const isShort = typeof value === 'string' || typeof value === 'number';
  const shown = isShort ? value : typeof value;
  const all = { member, value: shown, cure: cures[member], ...facts };
  return new ManagerError('INVALID_RESULT', all, cause === undefined ? {} : { cause });
}
