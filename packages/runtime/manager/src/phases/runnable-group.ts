import { AsyncLocalStorage } from 'node:async_hooks';
import { ManagerError } from '../errors.ts';
import type { BlockedSpan } from '../event-loop/blocked-span.ts';
import type { UserCalls } from '../event-loop/user-calls.ts';
import type { Logger } from '../logging/logger.ts';
import type { CallScope, UserRun } from '../user-code/call-scope.ts';
import { sleeper } from '../user-code/sleeper.ts';
import { isRequestedEnd } from '../user-code/requested-end.ts';
import type { Runnable, RunnableContext } from './runnable.ts';

export interface RunnableGroupOptions {
  readonly dependencies: Omit<RunnableContext, 'signal' | 'sleep'>;
  /** Called for each error of a runnable, except for the abort of its own signal. */
  readonly failed: (runnable: Runnable, error: unknown) => void;
  readonly callScope: CallScope;
  /** Creates the reporter of a runnable's calls that block the event loop. */
  readonly calls: (name: string, log: Logger) => UserCalls;
}

/** One run of a runnable; the same runnable may be added twice. */
class RunnableRun implements UserRun {
  readonly name: string;
  readonly calls: UserCalls;
  hasEnded = false;
  readonly #slot: number;

  constructor(name: string, calls: UserCalls) {
    this.name = name;
    this.calls = calls;
    this.#slot = calls.began(this);
  }

  get title(): string {
    return `runnable ${this.name}`;
  }

  blocked(span: BlockedSpan): void {
    this.calls.report({ role: 'runnable' }, span);
  }

  end(): void {
    this.hasEnded = true;
    this.calls.ended(this.#slot);
  }
}

/** Starts and stops the runnables of one phase. */
export class RunnableGroup {
  readonly #options: RunnableGroupOptions;
  /** Starts the runnables that were added before the phase. */
  readonly #waiting: (() => void)[] = [];
  readonly #running = new Map<RunnableRun, Promise<void>>();
  readonly #abort = new AbortController();
  #started = false;

  constructor(options: RunnableGroupOptions) {
    this.#options = options;
  }

  /** The names of the runnables that run. */
  get running(): string[] {
    return [...this.#running.keys()].map(({ name }) => name);
  }

  /** Adds a runnable, which starts at once if the phase has. It runs in the async context of the caller. */
  add(runnable: Runnable): void {
    // Captured here, because `start` may be called in another async context.
    const inContext = AsyncLocalStorage.snapshot();
    const start = (): void => inContext(() => this.#run(runnable));
    if (this.#started) start();
    else this.#waiting.push(start);
  }

  start(): void {
    this.#started = true;
    for (const start of this.#waiting.splice(0)) start();
  }

  /** Aborts the signal of the runnables. Resolves when all of them have ended. */
  async stop(): Promise<void> {
    this.#abort.abort(new ManagerError('STOPPING'));
    await Promise.all(this.#running.values());
  }

  #run(runnable: Runnable): void {
    const { name } = runnable;
    const log = this.#options.dependencies.log.child({ runnable: name });
    const run = new RunnableRun(name, this.#options.calls(name, log));
    const ended = this.#untilEnd(runnable, run, log).finally(() => {
      run.end();
      this.#running.delete(run);
    });
    this.#running.set(run, ended);
  }

  async #untilEnd(runnable: Runnable, run: RunnableRun, log: Logger): Promise<void> {
    const { signal } = this.#abort;
    const { dependencies, failed, callScope } = this.#options;
    const sleep = sleeper(dependencies.clock, () => signal);
    const startedAt = performance.now();
    try {
      const running = callScope.run(run, () =>
        runnable.run({ ...dependencies, sleep, log, signal }),
      );
      run.blocked({ startedAt, endedAt: performance.now() });
      await running;
    } catch (error) {
      if (!isRequestedEnd(error, signal)) failed(runnable, error);
    }
  }
}
