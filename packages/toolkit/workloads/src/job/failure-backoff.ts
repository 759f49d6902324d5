import type { Pod } from '../objects/kinds.ts';
import { endOf } from './job-state.ts';

/** The delay of a new Pod after the first failure; it doubles with each further one. */
const BASE_MS = 10_000;
const MAX_MS = 600_000;

/** The failures of a Job since its last success. */
export interface Failures {
  readonly count: number;
  /** The time of the latest one in milliseconds. */
  readonly last: number;
}

/** Remembers the failures of Jobs, which delay their next Pods. */
export class FailureBackoff {
  readonly #failures = new Map<string, Failures>();

  /** The failures with those of Pods that have newly ended. */
  next(uid: string, succeeded: readonly Pod[], failed: readonly Pod[]): Failures {
    const success = Math.max(-1, ...succeeded.map(endOf));
    const before = success >= 0 ? undefined : this.#failures.get(uid);
    const later = failed.map(endOf).filter((end) => end > success);
    return {
      count: (before?.count ?? 0) + later.length,
      last: Math.max(before?.last ?? 0, ...later),
    };
  }

  /** Remembers failures when the status that counts them is written. */
  set(uid: string, failures: Failures): void {
    this.#failures.set(uid, failures);
  }

  forget(uid: string): void {
    this.#failures.delete(uid);
  }
}

/** The milliseconds until a Job with these failures may create a Pod. */
export function backoffOf({ count, last }: Failures, now: number): number {
  return count === 0 ? 0 : Math.max(0, last + Math.min(MAX_MS, BASE_MS * 2 ** (count - 1)) - now);
}
