import type { ObjectKey } from '@keelson/apimachinery';

/** The interval of resyncs in milliseconds. */
export const RESYNC_MS = 100_000;
/** An interval is up to 10 % shorter or longer, and a round takes some time. */
const SHORTEST_MS = RESYNC_MS * 0.85;
const LONGEST_MS = RESYNC_MS * 1.15;

/** When a handler with resync was called again for each object. */
export class ResyncModel {
  readonly #last = new Map<ObjectKey, number>();
  #calmSince: number = Infinity;

  /** The handler was called again for an object. Returns what is wrong with the time. */
  take(key: ObjectKey): string | undefined {
    const now = performance.now();
    const last = this.#last.get(key) ?? -Infinity;
    this.#last.set(key, now);
    if (now - last >= SHORTEST_MS) return undefined;
    return `arrives again ${Math.round(now - last)} ms after the last resync`;
  }

  /** From now on nothing delays a resync. */
  calm(): void {
    this.#calmSince = Math.min(this.#calmSince, performance.now());
  }

  /** Returns the objects that had no resync for longer than the interval. */
  missing(keys: readonly ObjectKey[]): string | undefined {
    const since = performance.now() - LONGEST_MS;
    if (this.#calmSince > since) return undefined;
    const late = keys.filter((key) => (this.#last.get(key) ?? -Infinity) < since);
    return late.length === 0 ? undefined : late.join(', ');
  }
}
