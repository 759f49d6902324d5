import type { DeepReadonly, Persisted, PersistedMeta } from '@keelson/apimachinery';
import { LRUCache } from 'lru-cache';
import { SlabPool } from './slab-pool.ts';
import type { ListerWatcher } from '../contract/lister-watcher.ts';
import type { BudgetUse } from '../contract/informer-observer.ts';

/** An object whose parsed body is remembered. */
export interface BodyOwner {
  /** Shared by all objects of a watch; `release` takes it to forget them together. */
  readonly of: object;
}

/** An object whose parsed parts are kept in a {@link Memory}. */
export interface Remembered extends BodyOwner {
  forgetHead(): void;
}

/** The memory of a cache that does not belong to a store, and the budgets for the stores. */
export interface CacheMemory {
  /**
   * Bytes of objects that left their store but whose views user code keeps. Until the next garbage
   * collection it also counts all replaced and deleted objects that user code has seen as views.
   */
  readonly pinnedBytes: number;
  /** Bytes that are free for reuse. At most 16 MiB, and 64 MiB until the second garbage collection after a burst of changes. */
  readonly freeBytes: number;
  /** The memory budgets of the cache, and their use. */
  readonly budgets: readonly BudgetUse[];
}

const MAX_PARSED_HEADS = 512;

/**
 * The memory that all stores of a cache share: their slabs, and parsed objects. Parsed bodies are
 * limited in bytes of JSON text, parsed metadata in the number of objects.
 */
export class Memory {
  readonly slabs: SlabPool;
  readonly bodies: ParsedBodies;
  readonly #heads: (Remembered | undefined)[] = Array.from({ length: MAX_PARSED_HEADS });
  #nextHead = 0;
  /** Whether objects are frozen; `undefined` until it is known. */
  #freezes: boolean | undefined;
  /**
   * A source that can tell apart clusters of development, used when the option `freeze` is missing. All sources of a
   * cache belong to one cluster.
   */
  #source: Pick<ListerWatcher, 'isDevelopment'> | undefined;

  constructor(options: {
    readonly parsedBytes: number;
    /** Whether objects are frozen. `undefined`: only if the source of the objects is a cluster of development. */
    readonly freeze: boolean | undefined;
    readonly now?: () => number;
  }) {
    this.#freezes = options.freeze;
    this.slabs = new SlabPool(options.now);
    this.bodies = new ParsedBodies(options.parsedBytes);
  }

  /** Records that an object keeps its parsed metadata. At most 512 objects do: the oldest one then forgets its own. */
  rememberHead(owner: Remembered): void {
    this.#heads[this.#nextHead]?.forgetHead();
    this.#heads[this.#nextHead] = owner;
    this.#nextHead = (this.#nextHead + 1) % MAX_PARSED_HEADS;
  }

  /** Forgets all objects of a watch that has ended. */
  release(of: object): void {
    this.bodies.release(of);
    this.#heads.forEach((owner, at) => {
      if (owner?.of === of) this.#heads[at] = undefined;
    });
  }

  /** Records a source of objects, and returns it. */
  servedBy(source: ListerWatcher): ListerWatcher {
    this.#source ??= source;
    return source;
  }

  /** Prepares a value for readers: deeply frozen if the cache freezes objects. */
  shared<T extends Persisted | PersistedMeta>(value: T): DeepReadonly<T> {
    const freezes = this.#freezes ?? this.#askSource();
    return (freezes ? deepFreeze(value) : value) as DeepReadonly<T>;
  }

  #askSource(): boolean {
    if (this.#source === undefined) return false;
    const { isDevelopment = () => false } = this.#source;
    this.#freezes = isDevelopment.call(this.#source);
    return this.#freezes ?? false;
  }
}

/**
 * A body, and the size that it takes of the limit: the length of its JSON text in bytes, and 1 because the cache accepts
 * no size of 0. An entry is also its own option of `set`, which needs the size.
 */
interface Entry {
  readonly body: Persisted;
  readonly size: number;
}

/** The part of the limit that bodies which were read again may use. */
const PROTECTED_FRACTION = 0.8;

/**
 * Parsed bodies, limited in bytes of JSON text. A body that was read again is protected from those
 * that were read once, so a list of very many objects does not evict the bodies that are read
 * often. Bodies that were read once use all of the limit that protected ones leave.
 */
export class ParsedBodies {
  readonly #limit: number;
  readonly #protected: LRUCache<BodyOwner, Entry>;
  readonly #readOnce: LRUCache<BodyOwner, Entry>;

  constructor(limit: number) {
    this.#limit = limit;
    this.#readOnce = new LRUCache({ maxSize: limit });
    this.#protected = new LRUCache({
      maxSize: Math.max(1, Math.floor(limit * PROTECTED_FRACTION)),
      dispose: (entry, owner, reason) => {
        if (reason === 'evict') this.#readOnce.set(owner, entry, entry);
      },
    });
  }

  /** Returns a body that was added; this read protects it. */
  get(owner: BodyOwner): Persisted | undefined {
    const known = this.#protected.get(owner);
    if (known !== undefined) return known.body;
    const entry = this.#readOnce.get(owner);
    if (entry === undefined) return undefined;
    this.#protected.set(owner, entry, entry);
    // A body that is larger than the protected part stays where it is.
    if (this.#protected.has(owner)) this.#readOnce.delete(owner);
    return entry.body;
  }

  /** `size` is the length of the JSON text, in bytes. */
  add(owner: BodyOwner, body: Persisted, size: number): void {
    const entry: Entry = { body, size: size + 1 };
    this.#readOnce.set(owner, entry, entry);
    const room = this.#limit - this.#protected.calculatedSize;
    while (this.#readOnce.calculatedSize > room) this.#readOnce.pop();
  }

  /** Returns the body of an object that leaves its store, and forgets it. */
  take(owner: BodyOwner): Persisted | undefined {
    const entry = this.#protected.peek(owner) ?? this.#readOnce.peek(owner);
    if (entry === undefined) return undefined;
    this.#protected.delete(owner);
    this.#readOnce.delete(owner);
    return entry.body;
  }

  /** Forgets all objects of a watch that has ended. */
  release(of: object): void {
    for (const bodies of [this.#protected, this.#readOnce]) {
      for (const owner of bodies.keys()) if (owner.of === of) bodies.delete(owner);
    }
  }
}

/**
 * Freezes a value at every level. It uses no recursion, because a stored object may be nested as deeply as an API
 * server accepts.
 */
function deepFreeze<T>(value: T): T {
  const rest: unknown[] = [value];
  // The set is needed because a transform may return an object that refers to itself. That an object is frozen does not
  // suffice, because its members may not be.
  const seen = new Set<unknown>();
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    // A typed array cannot be frozen.
    if (!ArrayBuffer.isView(next)) Object.freeze(next);
    for (const member of Object.values(next)) rest.push(member);
  }
  return value;
}
