import { checkOptions, invalidOption } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { InformerCache } from '@keelson/informer';
import type { Logger } from '../logging/logger.ts';
import { phases, type Phase } from './phase.ts';

/** What a runnable has at hand. */
export interface RunnableContext {
  readonly cache: InformerCache;
  readonly client: Client;
  readonly log: Logger;
  /** Aborts when the manager stops. */
  readonly signal: AbortSignal;
}

/** Anything that runs as long as the manager does: a webhook server, a poller, a leader's chore. */
export interface Runnable {
  readonly name: string;
  /** When it starts; it ends when that phase is left. Default `'leader'`. */
  readonly phase?: Phase;
  /**
   * Called in the async context in which the runnable was added. Settles when the work has ended, soon after the signal aborts at the latest. One that ends
   * early is done; one that throws stops the manager with its error.
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
