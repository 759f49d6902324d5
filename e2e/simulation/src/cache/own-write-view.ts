import type { ApiResource, ObjectKey } from '@keelson/apimachinery';
import type { SimulatedServer } from '../server/simulated-server.ts';
import type { Shown, StoreTimeline } from './store-timeline.ts';

/** A write that no event has confirmed may be shown for this long, and some turns more. */
const MAX_AGE_MS = 5 * 60_000;
const TOLERANCE_MS = 1_000;

/** The writes of this process that a handle must show, and those that it may show. */
export class OwnWriteView {
  readonly #resource: ApiResource;
  readonly #server: SimulatedServer;
  /** The number of changes when the handle was acquired: it may miss writes from before. */
  #since: number;

  constructor(resource: ApiResource, server: SimulatedServer) {
    this.#resource = resource;
    this.#server = server;
    this.#since = server.stamp;
  }

  /** The handle shows nothing until its watch lists again. It may miss the writes until now. */
  forget(): void {
    this.#since = this.#server.stamp;
  }

  /** The numbers of the changes of an object that the handle may show before their events. */
  stampsOf(key: ObjectKey): readonly number[] {
    const oldest = performance.now() - MAX_AGE_MS - TOLERANCE_MS;
    const writes = this.#server.ownWrites.to(this.#resource, key);
    return writes.filter(({ at }) => at >= oldest).map(({ stamp }) => stamp);
  }

  /**
   * Returns a write that is not shown, although its response has arrived: the state of its object is an earlier one.
   * A handle whose versions may have no order shows no own writes.
   */
  missing(shown: Shown, timeline: StoreTimeline): string | undefined {
    if (this.#server.hasRepeated || this.#server.number > 0) return undefined;
    const oldest = performance.now() - MAX_AGE_MS + TOLERANCE_MS;
    const history = this.#server.historyOf(this.#resource);
    for (const { resource, key, stamp, at, deleted } of this.#server.ownWrites) {
      if (resource !== this.#resource || stamp <= this.#since || at < oldest) continue;
      const found = shown.get(key);
      if (timeline.isSince(key, found, stamp)) continue;
      if (this.#isReplaced(key, stamp, oldest)) continue;
      // A deletion is known by its uid: a former object of the name is shown until its own deletion arrives.
      const uid = history.stateOf(found ?? 0)?.identity.uid;
      if (deleted !== undefined && uid !== deleted) continue;
      const what = found === undefined ? 'does not have it' : `has it in state ${found}`;
      return `change ${stamp} of ${key} was written, and the store ${what}`;
    }
    return undefined;
  }

  /** A later write replaced it, and is no longer shown. */
  #isReplaced(key: ObjectKey, before: number, oldest: number): boolean {
    const writes = this.#server.ownWrites.to(this.#resource, key);
    return writes.some(({ stamp, at }) => stamp > before && at < oldest);
  }
}
