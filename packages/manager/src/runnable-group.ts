import type { Runnable, RunnableContext } from './runnable.ts';
import { ManagerError } from './manager-error.ts';

export interface RunnableGroupOptions {
  readonly surroundings: Omit<RunnableContext, 'signal'>;
  /** A runnable threw; what it throws because it is told to stop does not count. */
  readonly failed: (runnable: Runnable, error: unknown) => void;
}

/** The runnables of one phase. */
export class RunnableGroup {
  readonly #options: RunnableGroupOptions;
  readonly #waiting: Runnable[] = [];
  readonly #running = new Map<Runnable, Promise<void>>();
  readonly #abort = new AbortController();
  #started = false;

  constructor(options: RunnableGroupOptions) {
    this.#options = options;
  }

  /** The names of those that run. */
  get running(): string[] {
    return [...this.#running.keys()].map(({ name }) => name);
  }

  /** Starts it at once if the others have started. */
  add(runnable: Runnable): void {
    if (this.#started) this.#run(runnable);
    else this.#waiting.push(runnable);
  }

  start(): void {
    this.#started = true;
    for (const runnable of this.#waiting.splice(0)) this.#run(runnable);
  }

  /** Resolves when every one has ended. */
  async stop(): Promise<void> {
    this.#abort.abort(new ManagerError('STOPPING'));
    await Promise.all(this.#running.values());
  }

  #run(runnable: Runnable): void {
    const ended = this.#untilEnd(runnable).finally(() => this.#running.delete(runnable));
    this.#running.set(runnable, ended);
  }

  async #untilEnd(runnable: Runnable): Promise<void> {
    const { signal } = this.#abort;
    const { surroundings, failed } = this.#options;
    const log = surroundings.log.child({ runnable: runnable.name });
    try {
      await runnable.run({ ...surroundings, log, signal });
    } catch (error) {
      if (!isOurAbort(error, signal)) failed(runnable, error);
    }
  }
}

/** The signal's reason, or an `AbortError` after the signal: what we asked for. */
function isOurAbort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error as { name?: unknown } | null)?.name === 'AbortError';
}
