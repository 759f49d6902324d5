import { hasCode, TimeSlice } from '@keelson/apimachinery';

/** The retries of the events of one object: of the first event that waits, and of the last one. */
type Retries = readonly [first: () => void, last?: () => void];

/**
 * The events of a controller whose mapper read a kind before its first sync (`NOT_SYNCED`). They are mapped again
 * whenever a watch of the controller has synced.
 */
export class SyncRetries {
  /** The open watches that have not synced. */
  readonly #unsynced = new Set<object>();
  /** By watch and object. States between the first and the last event are skipped, as an informer skips them. */
  readonly #waiting = new Map<object, Map<string, Retries>>();

  opened(watch: object): void {
    this.#unsynced.add(watch);
  }

  /** Keeps an event whose mapper threw. Returns false for an error that no further sync resolves. */
  keeps(watch: object, key: string, error: unknown, retry: () => void): boolean {
    if (this.#unsynced.size === 0 || !hasCode(error, 'NOT_SYNCED')) return false;
    const waiting = this.#waiting.get(watch) ?? new Map<string, Retries>();
    const [first = retry] = waiting.get(key) ?? [];
    // The states of an update may fail one after the other.
    waiting.set(key, first === retry ? [first] : [first, retry]);
    this.#waiting.set(watch, waiting);
    return true;
  }

  /** Retries the events of all watches, in slices of 5 ms. Resolves at the end; `undefined` if none waits. */
  synced(watch: object): Promise<void> | undefined {
    this.#unsynced.delete(watch);
    return this.#waiting.size === 0 ? undefined : this.#retry();
  }

  /** The watch is removed: its own events are dropped, and those of other watches no longer wait for it. */
  removed(watch: object): void {
    this.#waiting.delete(watch);
    // Not at once: user code must not run before all watches of a stopped controller are detached.
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
