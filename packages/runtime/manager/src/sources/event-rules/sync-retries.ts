import { hasCode, TimeSlice } from '@keelson/apimachinery';

/** The retries of the waiting events of one object: of the first event and of the last one. */
type Retries = readonly [first: () => void, last?: () => void];

/**
 * The events of a controller whose mapper read a kind before its first sync (`NOT_SYNCED`). They are mapped again
 * whenever a watch of the controller has synced.
 */
export class SyncRetries {
  /** The open watches that have not synced. */
  readonly #unsynced = new Set<object>();
  /**
   * By watch and object. Only the first and the last event of an object wait, as an informer may skip states in
   * between.
   */
  readonly #waiting = new Map<object, Map<string, Retries>>();

  opened(watch: object): void {
    this.#unsynced.add(watch);
  }

  /** Keeps an event whose mapper threw. Returns false if the error does not depend on a sync. */
  keeps(watch: object, key: string, error: unknown, retry: () => void): boolean {
    if (this.#unsynced.size === 0 || !hasCode(error, 'NOT_SYNCED')) return false;
    const waiting = this.#waiting.get(watch) ?? new Map<string, Retries>();
    const [first = retry] = waiting.get(key) ?? [];
    // The mapper may throw for both states of one update, whose `retry` is the same.
    waiting.set(key, first === retry ? [first] : [first, retry]);
    this.#waiting.set(watch, waiting);
    return true;
  }

  /** Retries the events of all watches, in slices of 5 ms. Resolves at the end; `undefined` if none waits. */
  synced(watch: object): Promise<void> | undefined {
    this.#unsynced.delete(watch);
    return this.#waiting.size === 0 ? undefined : this.#retry();
  }

  /** Drops the events of a removed watch. Events of other watches no longer wait for its sync. */
  removed(watch: object): void {
    this.#waiting.delete(watch);
    // In a microtask, because user code must not run before all watches of a stopped controller are detached.
    if (this.#unsynced.delete(watch)) queueMicrotask(() => void this.synced(watch));
  }

  async #retry(): Promise<void> {
    const retries = Array.from(this.#waiting.values()).flatMap((events) =>
      Array.from(events.values()).flat(),
    );
    this.#waiting.clear();
    const slice = new TimeSlice(() => performance.now());
    await slice.each(retries, (retry) => retry?.());
  }
}
