// The functions of the module are those of Node.js, even where a test replaces the global ones.
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { EnvtestError } from '../errors.ts';
import type { WorkCount } from './work-count.ts';

/**
 * Turns of the event loop without work after which nothing is left to do. Work is counted from its begin to its end; the
 * turns are for the callbacks between the end of one piece of work and the start of the next one.
 */
const QUIET_TURNS = 8;
/** The names of running work in an error. */
const MAX_NAMES = 10;

/** The bounds of the work at one time. */
export interface QuietLimits {
  /** The number of times that work may begin, end or continue. */
  readonly maxSteps: number;
  /** Milliseconds of real time in which some work must begin or end. */
  readonly stallTimeout: number;
}

/** Waits until the counted work of a test has ended. */
export class Quiet {
  readonly #work: WorkCount;
  readonly #limits: QuietLimits;
  /** The count of changes at which the present time began. */
  #since = 0;

  constructor(work: WorkCount, limits: QuietLimits) {
    this.#work = work;
    this.#limits = limits;
  }

  /** Counts the steps from now on. */
  restart(): void {
    this.#since = this.#work.changes;
  }

  /** Resolves when no work is left. Rejects with `TIME_NOT_SETTLED` beyond the limits. */
  async reached(): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns++) {
      const { changes } = this.#work;
      if (this.#work.isBusy) await this.#end();
      else await turn();
      this.#checkSteps();
      if (this.#work.isBusy || this.#work.changes !== changes) turns = -1;
    }
  }

  #checkSteps(): void {
    const { maxSteps } = this.#limits;
    const steps = this.#work.changes - this.#since;
    if (steps > maxSteps) throw this.#error({ reason: 'too many steps at one time', maxSteps });
  }

  /** Resolves when no work runs, or when there were too many steps. */
  async #end(): Promise<void> {
    const { maxSteps, stallTimeout } = this.#limits;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = this.#watchForStall(() =>
      reject(this.#error({ reason: 'work does not end', stallTimeout })),
    );
    this.#work.onChange = () => {
      if (!this.#work.isBusy || this.#work.changes - this.#since > maxSteps) resolve();
    };
    try {
      await promise;
    } finally {
      this.#work.onChange = () => undefined;
      stop();
    }
  }

  /** Calls `stalled` when no work begins or ends for the time limit. Returns a function that ends the watch. */
  #watchForStall(stalled: () => void): () => void {
    let { changes } = this.#work;
    let timer: NodeJS.Timeout;
    const check = (isLast: boolean): void => {
      if (this.#work.changes !== changes) {
        ({ changes } = this.#work);
        timer = setTimeout(check, this.#limits.stallTimeout, false);
      } else if (isLast) stalled();
      // The event loop may have been blocked, so pending events get a turn before the error.
      else timer = setTimeout(check, 0, true);
    };
    timer = setTimeout(check, this.#limits.stallTimeout, false);
    return () => clearTimeout(timer);
  }

  #error(facts: Readonly<Record<string, unknown>>): EnvtestError {
    const waitsFor = this.#work.running;
    const more = waitsFor.length - MAX_NAMES;
    return new EnvtestError('TIME_NOT_SETTLED', {
      ...facts,
      waitsFor: waitsFor.slice(0, MAX_NAMES),
      ...(more > 0 && { more }),
    });
  }
}

/** Resolves in the next turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
