import type { InformerEvent } from '@keelson/informer';
import type { CauseSet } from '../reconcile/cause.ts';

/**
 * Why an event led to no request.
 *
 * - `filtered`: a predicate did not pass it.
 * - `own-write`: `ignoreOwn` of the source.
 * - `no-request`: its object has no owner of `for`, or the mapper returned no request.
 * - `mapper-failed`: the mapper threw.
 * - `other-shard`: another replica has the slot of its request.
 */
export type DropReason = 'filtered' | 'own-write' | 'no-request' | 'mapper-failed' | 'other-shard';

/** The latest event of an object that led to no request. */
export interface DroppedEvent {
  readonly source: CauseSet;
  at: number;
  reason: DropReason;
  /** The index of the predicate that did not pass the event, in the order in which they are called. */
  predicate: number | undefined;
  type: InformerEvent['type'];
  resourceVersion: string;
  /** The number of its events that led to no request. */
  count: number;
  /** The latest event of an object with the same key of another source. */
  next: DroppedEvent | undefined;
}

/** What happened to an event. */
export interface Drop {
  readonly reason: DropReason;
  readonly predicate?: number;
  readonly at: number;
}

/** The bytes of an entry: the object, its place in the map, and its strings. */
const ENTRY_BYTES = 240;

/** The latest dropped event of each object, of the objects whose events were dropped last. */
export class DroppedEvents {
  readonly #byObject = new Map<string, DroppedEvent>();
  readonly #maxBytes: number;
  #count = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#count * ENTRY_BYTES;
  }

  /** Records an event. Only the first one of an object creates an entry. */
  add(source: CauseSet, { type, key, object }: InformerEvent, drop: Drop): void {
    const { reason, predicate, at } = drop;
    const { resourceVersion } = object;
    const first = this.#byObject.get(key);
    const known = entryOf(first, source);
    if (known === undefined) {
      this.#insert(key, {
        source,
        at,
        reason,
        predicate,
        type,
        resourceVersion,
        count: 1,
        next: first,
      });
      return;
    }
    known.at = at;
    known.reason = reason;
    known.predicate = predicate;
    known.type = type;
    known.resourceVersion = resourceVersion;
    known.count += 1;
  }

  /** The dropped events of an object, of each source that has one. */
  of(key: string): DroppedEvent[] {
    return listOf(this.#byObject.get(key));
  }

  /** The entries with the keys of their objects, those that were created last first. */
  *latest(): Generator<readonly [key: string, dropped: DroppedEvent]> {
    for (const [key, first] of [...this.#byObject].toReversed()) {
      for (const dropped of listOf(first)) yield [key, dropped];
    }
  }

  #insert(key: string, dropped: DroppedEvent): void {
    this.#byObject.set(key, dropped);
    this.#count += 1;
    for (const [oldest, first] of this.#byObject) {
      if (this.bytes <= this.#maxBytes) return;
      this.#byObject.delete(oldest);
      this.#count -= listOf(first).length;
    }
  }
}

function entryOf(first: DroppedEvent | undefined, source: CauseSet): DroppedEvent | undefined {
  let entry = first;
  while (entry !== undefined && entry.source !== source) entry = entry.next;
  return entry;
}

function listOf(first: DroppedEvent | undefined): DroppedEvent[] {
  const list: DroppedEvent[] = [];
  for (let entry = first; entry !== undefined; entry = entry.next) list.push(entry);
  return list;
}
