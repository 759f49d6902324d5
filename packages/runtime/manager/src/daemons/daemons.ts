import {
  checkOptions,
  invalidOption,
  parseDuration,
  type Clock,
  type Duration,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { Logger } from '../logging/logger.ts';
import type { Sleep } from '../user-code/sleeper.ts';

/** The argument of a task at each start. */
export interface DaemonContext {
  /** Aborts when the daemon ends: its object is gone, a run did not keep it, or the controller stops. */
  readonly signal: AbortSignal;
  /** Waits by `clock`. Rejects with the reason of `signal` when it aborts. Throws `INVALID_OPTION`. */
  readonly sleep: Sleep;
  /** The client of the controller. Its requests end when `signal` aborts. */
  readonly client: Client;
  /** Adds the controller, the request and the name of the daemon to each line. */
  readonly log: Logger;
  /** The clock of the manager, for code that waits or reads the time. */
  readonly clock: Clock;
  /** 1 plus the failures since the last success. */
  readonly attempt: number;
  /** Runs the request of the daemon again. Has no effect after `signal` has aborted. */
  readonly enqueue: () => void;
}

/** Work that continues between the runs of a request. It ends soon after `signal` aborts. */
export type DaemonTask = (context: DaemonContext) => Promise<void> | void;

/** How often a daemon runs, and when it is replaced. */
export interface DaemonOptions {
  /** Runs the task again this long after it has succeeded. Default: a task that has returned does not run again. */
  readonly every?: Duration | undefined;
  /**
   * A value on which the task depends, such as an address in the spec. With another value the daemon ends, and starts
   * with the new task. Default: the daemon continues with the task with which it began.
   */
  readonly version?: string | number | undefined;
}

/** The daemons of the request of a run: work that continues until a run does not keep it. */
export interface Daemons {
  /**
   * Starts a daemon, or keeps the one of this name. The request has it until a run that succeeds does not call this
   * for the name, the object is deleted, the request moves to another replica, or the controller stops. A task that throws is started
   * again after 1 s, and after at most 1 min if it fails again. Throws `TOO_MANY_DAEMONS` and `INVALID_OPTION`.
   */
  readonly run: (name: string, task: DaemonTask, options?: DaemonOptions) => void;
  /**
   * Ends the daemon of this name, or all of the request, and resolves when their tasks have ended. Has no effect after the
   * run has ended, as `run`.
   */
  readonly end: (name?: string) => Promise<void>;
}

/** A daemon that a run wants, with checked options. */
export interface WantedDaemon {
  readonly name: string;
  readonly task: DaemonTask;
  /** Milliseconds. */
  readonly every: number | undefined;
  readonly version: string | number | undefined;
}

/** Throws `INVALID_OPTION` for arguments of `daemons.run` with which no daemon can start. */
export function wantedDaemon(
  name: string,
  task: DaemonTask,
  options: DaemonOptions = {},
): WantedDaemon {
  if (typeof name !== 'string' || name === '')
    throw invalidOption('daemons.run.name', 'must be a name');
  if (typeof task !== 'function') throw invalidOption('daemons.run.task', 'must be a function');
  checkOptions(options, ['every', 'version'], 'daemons.run.options');
  const { every, version } = options;
  if (version !== undefined && typeof version !== 'string' && typeof version !== 'number') {
    throw invalidOption('daemons.run.options.version', 'must be a text or a number');
  }
  return { name, task, every: intervalOf(every), version };
}

/** Without a pause a daemon would use up the process. */
function intervalOf(every: Duration | undefined): number | undefined {
  if (every === undefined) return undefined;
  const option = 'daemons.run.options.every';
  const milliseconds = parseDuration(every, option);
  if (milliseconds === 0) throw invalidOption(option, 'must be longer than 0');
  return milliseconds;
}
