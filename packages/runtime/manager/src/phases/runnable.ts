import { checkOptions, invalidOption, type Clock } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { InformerCache } from '@keelson/informer';
import type { Logger } from '../logging/logger.ts';
import type { Sleep } from '../user-code/sleeper.ts';
import { phases, type Phase } from './phase.ts';

/** The dependencies that a manager passes to a runnable. */
export interface RunnableContext {
  /** The shared cache. A read throws unless a single acquired watch covers it. */
  readonly cache: InformerCache;
  /** In the phase `leader` it refuses writes with `LEADERSHIP_LOST` while the process does not hold the Lease. */
  readonly client: Client;
  /** The clock of the manager, for code that waits or reads the time. */
  readonly clock: Clock;
  /** Waits by `clock`. Rejects with the reason of `signal` when it aborts. Throws `INVALID_OPTION`. */
  readonly sleep: Sleep;
  /** Adds the name of the runnable to each line. */
  readonly log: Logger;
  /** Aborts when the manager stops. */
  readonly signal: AbortSignal;
}

/** User code that runs as long as its manager: a webhook server, a poller, a task of the leader. */
export interface Runnable {
  readonly name: string;
  /** The phase with which it starts and stops. Default `'leader'`. */
  readonly phase?: Phase;
  /**
   * Runs until the work has ended, at the latest soon after the signal aborts. Called in the async context in which
   * the runnable was added. An early return ends only this runnable; an error stops the manager with that error.
   */
  run(context: RunnableContext): Promise<void> | void;
}

/** Throws `INVALID_OPTION` unless the value is a runnable. */
export function checkRunnable(runnable: Runnable): void {
  if (typeof runnable !== 'object' || runnable === null) {
    throw invalidOption('addRunnable', 'must be an object');
  }
  // The methods of a class instance are on its prototype: only own members are checked.
  if (Object.getPrototypeOf(runnable) === Object.prototype) {
    checkOptions(runnable, ['name', 'phase', 'run'], 'addRunnable');
  }
  if (typeof runnable.name !== 'string' || runnable.name === '') {
    throw invalidOption('addRunnable.name', 'must be a name');
  }
  if (runnable.phase !== undefined && !phases.includes(runnable.phase)) {
    throw invalidOption('addRunnable.phase', 'must be a phase', { known: phases.join(' ') });
  }
  if (typeof runnable.run !== 'function')
    throw invalidOption('addRunnable.run', 'must be a function');
}
