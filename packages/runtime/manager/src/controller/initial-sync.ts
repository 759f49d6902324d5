import { SyncWait, type SyncWaitOptions } from '../source-set/sync-wait.ts';

/** The sources of a controller, whose sync its start awaits. */
interface OpenedSources {
  /** Resolves when every required watch has synced, including watches added during the wait. */
  synced(): Promise<void>;
  /** Resolves when every required watch has synced, or the server does not serve or allow its kind. */
  settled(): Promise<void>;
}

/** The wait of a controller for its required watches, from its start to its first reconcile. */
export class InitialSync {
  /** Rejects with `CACHE_SYNC_TIMEOUT`, and with the error of a source or of a stop. */
  readonly done: Promise<void>;
  readonly #waiter = Promise.withResolvers<void>();
  readonly #sources: OpenedSources;
  readonly #wait: SyncWait;
  #isStopped = false;

  constructor(sources: OpenedSources, options: SyncWaitOptions) {
    this.#sources = sources;
    this.#wait = new SyncWait(options);
    this.done = this.#waiter.promise;
    this.done.catch(() => undefined); // Awaiting it is optional: the manager reports the error too.
  }

  /** Begins the wait. `open` opens the sources, and its promise resolves when the required watches have synced. */
  async begin(open: () => Promise<unknown>): Promise<void> {
    try {
      const opened = open().then(() => undefined);
      await this.#wait.until(Promise.race([opened, this.done]));
      this.#waiter.resolve();
    } catch (error) {
      this.#waiter.reject(error);
    }
  }

  /** Waits for the required watches that were added after the sync. Rejects with `CACHE_SYNC_TIMEOUT`. */
  late(): Promise<void> {
    return this.#wait.until(this.#sources.synced());
  }

  /** Resolves with `done`. A stop of the controller resolves it too; it is not an error. */
  async doneOrStopped(): Promise<void> {
    try {
      await this.done;
    } catch (error) {
      if (!this.#isStopped) throw error;
    }
  }

  /**
   * Resolves when every required watch has synced, or the server does not serve or allow its kind. Rejects as `done`
   * does, unless the controller was stopped.
   */
  async settled(): Promise<void> {
    await Promise.race([this.#sources.settled(), this.doneOrStopped()]);
  }

  stop(reason: Error): void {
    this.#isStopped = true;
    this.#waiter.reject(reason);
  }
}
