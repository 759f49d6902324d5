import type { DeepReadonly, KubernetesObject, ObjectMeta } from '@keelson/apimachinery';
import { LRUCache } from 'lru-cache';
import { SlabPool } from './arena.ts';

/** An object whose parsed parts are remembered here. */
export interface Remembered {
  /** What is common to the objects of its watch; they are released together. */
  readonly of: object;
  readonly byteLength: number;
  forgetHead(): void;
}

/** Memory of a cache that belongs to none of its stores. */
export interface CacheMemory {
  /**
   * Bytes of objects that no store has any more: those of views that user code keeps, and, until the next garbage
   * collection tells, those of all objects that were replaced or deleted lately.
   */
  readonly pinnedBytes: number;
  /** Bytes that are free to be used again. At most 16 MiB. */
  readonly freeBytes: number;
}

const rememberedHeads = 512;

/**
 * What all stores of a cache share: the memory of their slabs, and what is parsed and might be read
 * again: bodies up to a bound in bytes of text, and the metadata of the objects looked at last.
 */
export class Memory {
  readonly freeze: boolean;
  readonly slabs: SlabPool;
  readonly #bodies: LRUCache<Remembered, KubernetesObject>;
  readonly #heads: (Remembered | undefined)[] = Array.from({ length: rememberedHeads });
  #nextHead = 0;

  constructor(options: {
    readonly parsedBytes: number;
    readonly freeze: boolean;
    readonly now?: () => number;
  }) {
    this.freeze = options.freeze;
    this.slabs = new SlabPool(options.now);
    this.#bodies = new LRUCache({
      maxSize: options.parsedBytes,
      sizeCalculation: (_body, owner) => owner.byteLength + 1,
    });
  }

  body(owner: Remembered): KubernetesObject | undefined {
    return this.#bodies.get(owner);
  }

  rememberBody(owner: Remembered, body: KubernetesObject): void {
    this.#bodies.set(owner, body);
  }

  /** Hands the body back to an object that is leaving its store. */
  takeBody(owner: Remembered): KubernetesObject | undefined {
    const body = this.#bodies.peek(owner);
    if (body !== undefined) this.#bodies.delete(owner);
    return body;
  }

  /** Makes room for one more remembered head by forgetting the oldest. */
  rememberHead(owner: Remembered): void {
    this.#heads[this.#nextHead]?.forgetHead();
    this.#heads[this.#nextHead] = owner;
    this.#nextHead = (this.#nextHead + 1) % rememberedHeads;
  }

  /** Lets go of every object of a watch that has ended. */
  release(of: object): void {
    for (const owner of this.#bodies.keys()) if (owner.of === of) this.#bodies.delete(owner);
    this.#heads.forEach((owner, at) => {
      if (owner?.of === of) this.#heads[at] = undefined;
    });
  }

  /** What readers share: frozen to its depth where the cache was asked to. */
  shared<T extends KubernetesObject | ObjectMeta>(value: T): DeepReadonly<T> {
    return (this.freeze ? deepFreeze(value) : value) as DeepReadonly<T>;
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
