import {
  examineResult,
  ignoreRejections,
  parseDuration,
  type Duration,
} from '@keelson/apimachinery';
import { outcomeMistakes, type HintsOf } from '../common-mistakes.ts';
import { isError } from '../logging/error-text.ts';
import { ManagerError } from '../errors.ts';

/**
 * The result of a reconcile. No result is a success and resets the failures of the request. An invalid result is
 * logged as `INVALID_RESULT`, counted, and treated as no result.
 */
export interface Outcome extends HintsOf<typeof outcomeMistakes> {
  /**
   * Runs the request again after exactly this time, or earlier for an event, and resets the failures. It must be
   * more than zero. The removal of a watch does not cancel this run. Default: a run for the next event only.
   */
  readonly requeueAfter?: Duration;
  /**
   * Runs the request again after its backoff, as if the run had failed. No effect with `requeueAfter`. Default false.
   */
  readonly retry?: boolean;
  /** The priority of the next run. Default: that of this run. */
  readonly priority?: number;
}

/** A checked outcome. */
export interface Decision {
  readonly kind: 'success' | 'requeue' | 'requeue_after';
  /** Milliseconds; with `requeue_after`. */
  readonly after: number;
  readonly priority: number | undefined;
}

/** The decision for no result and for an invalid result. */
export const success: Decision = { kind: 'success', after: 0, priority: undefined };

const cures = {
  result: 'return nothing, or an object with requeueAfter, retry or priority',
  requeueAfter: "give a time above zero, such as '30s'; leave it out to run on events only",
  retry: 'give true or false',
  priority: 'give a finite number',
} as const;

/** Decides what follows a run. Throws `INVALID_RESULT` with the member and its cure. */
export function decide(result: Outcome | void): Decision {
  if (result === undefined) return success;
  return examineResult(membersOf(result), decisionOf);
}

function decisionOf({ requeueAfter, retry = false, priority }: Outcome): Decision {
  if (typeof retry !== 'boolean') throw invalid('retry', retry);
  if (priority !== undefined && !Number.isFinite(priority)) throw invalid('priority', priority);
  if (requeueAfter === undefined)
    return { kind: retry ? 'requeue' : 'success', after: 0, priority };
  return { kind: 'requeue_after', after: delayOf(requeueAfter), priority };
}

/** A copy of the members, each read once: a getter may throw, or return another value each time. */
function membersOf(result: unknown): Outcome {
  let members: Readonly<Record<string, unknown>> | undefined;
  try {
    members = isResult(result) ? { ...result } : undefined;
  } catch (error) {
    ignoreRejections(result);
    throw invalid('result', result, {}, error);
  }
  if (members === undefined) {
    ignoreRejections(result);
    throw invalid('result', result);
  }
  for (const member of Object.keys(members)) {
    if (!Object.hasOwn(cures, member) || member === 'result') {
      ignoreRejections(members);
      throw invalid('result', result, { unknown: member, ...cureOf(member) });
    }
  }
  return members;
}

/** The cure of a member name of another runtime, else the general cure. */
function cureOf(member: string): { readonly cure?: string } {
  return Object.hasOwn(outcomeMistakes, member)
    ? { cure: outcomeMistakes[member as keyof typeof outcomeMistakes] }
    : {};
}

/** True for a plain object, and for an instance with own members. A `Map` or a `Date` is not a result. */
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
