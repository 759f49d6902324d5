import type { Persisted } from '@keelson/apimachinery';
import { LRUCache } from 'lru-cache';

/** An object whose parsed body is remembered. */
export interface BodyOwner {
  /** Shared by all objects of a watch; `release` takes it to forget them together. */
  readonly of: object;
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
