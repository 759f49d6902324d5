import type { InformerEvent } from '@keelson/informer';
import type { CauseSet } from '../reconcile/cause.ts';
import { LruMap, type LruEntry } from './lru-map.ts';

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
  /** The latest dropped event with the same key from another source. */
  next: DroppedEvent | undefined;
}

/** What happened to an event. */
export interface Drop {
  readonly reason: DropReason;
  readonly predicate?: number;
  readonly at: number;
}

/** The dropped events of the objects with one key, the latest of each source. */
class DroppedOfObject implements LruEntry<DroppedOfObject> {
  readonly key: string;
  /** The first of a list. */
  latest: DroppedEvent | undefined = undefined;
  before: DroppedOfObject | undefined = undefined;
  after: DroppedOfObject | undefined = undefined;
  hash = 0;
  next: DroppedOfObject | undefined = undefined;

  constructor(key: string) {
    this.key = key;
  }
}

/** The bytes of an entry: the object, its place in the map, and its strings. */
const ENTRY_BYTES = 280;

/**
 * Keeps the latest dropped event of each object. The objects whose first dropped event is the oldest are forgotten
 * first.
 */
export class DroppedEvents {
  readonly #byObject = new LruMap<DroppedOfObject>();
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
    const dropped = this.#byObject.get(key);
    const known = entryOf(dropped?.latest, source);
    if (known === undefined) {
      const next = dropped?.latest;
      const event = { source, at, reason, predicate, type, resourceVersion, count: 1, next };
      this.#insert(dropped ?? this.#create(key), event);
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
    return listOf(this.#byObject.get(key)?.latest);
  }

  /** The entries with the keys of their objects, those that were created last first. */
  *latest(): Generator<readonly [key: string, dropped: DroppedEvent]> {
    for (const { key, latest } of this.#byObject.latestFirst()) {
      for (const dropped of listOf(latest)) yield [key, dropped];
    }
  }

  #create(key: string): DroppedOfObject {
    const created = new DroppedOfObject(key);
    this.#byObject.add(created);
    return created;
  }

  #insert(object: DroppedOfObject, event: DroppedEvent): void {
    object.latest = event;
    this.#count += 1;
    while (this.bytes > this.#maxBytes) {
      const oldest = this.#byObject.removeFirst();
      if (oldest === undefined) return;
      this.#count -= listOf(oldest.latest).length;
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
