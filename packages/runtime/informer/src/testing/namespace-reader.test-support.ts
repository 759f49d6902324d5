import { expect } from '@jest/globals';
import { keyOf } from '@keelson/apimachinery';
import type { CacheReader } from '../cache/cache-reader.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import { Thing } from './scripted-source.test-support.ts';

/** A handle on one namespace. */
export interface NamespaceHandle {
  readonly handle: WatchHandle<Thing>;
  release(): void;
}

/** Reads a set of namespaces in one scope. A change of the set acquires and releases the difference. */
export class NamespaceReader<H extends NamespaceHandle> {
  readonly held: Map<string, H> = new Map();
  readonly #scope: CacheReader;
  readonly #acquire: (namespace: string) => H;

  /** `acquire` acquires a handle of the scope. */
  constructor(scope: CacheReader, acquire: (namespace: string) => H) {
    this.#scope = scope;
    this.#acquire = acquire;
  }

  /** Returns the released handles. */
  change(wanted: readonly string[]): H[] {
    for (const namespace of wanted) {
      if (!this.held.has(namespace)) this.held.set(namespace, this.#acquire(namespace));
    }
    const left = [...this.held].filter(([namespace]) => !wanted.includes(namespace));
    for (const [namespace, held] of left) {
      held.release();
      this.held.delete(namespace);
    }
    return left.map(([, held]) => held);
  }

  /** Expects that a list is the union of the synced namespaces, and that a read of another namespace throws. */
  expectReads(all: readonly string[]): void {
    const synced = [...this.held.values()].filter(({ handle }) => handle.hasSynced);
    const union = synced.flatMap(({ handle }) => handle.store.views().map(({ key }) => key));
    const list = outcomeOf(() => this.#scope.list(Thing).map(keyOf).toSorted());
    if (synced.length > 0) expect(list).toEqual(union.toSorted());
    else expect(list).toBe(this.held.size === 0 ? 'NOT_WATCHED' : 'NOT_SYNCED');
    for (const namespace of all.filter((name) => !this.held.has(name))) {
      expect(outcomeOf(() => this.#scope.list(Thing, { namespace }))).toBe('NOT_WATCHED');
    }
  }
}

/** The result of a read, or the code of its error. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return (error as { code?: string }).code;
  }
}
