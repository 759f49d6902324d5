import { EventEmitter } from 'eventemitter3';
import type { ApiObject } from './api-object.ts';
import { ResourceStore, type StoreContext } from './resource-store.ts';
import type { Change, HistoryBounds } from './revision-log.ts';
import type { SelectableValues } from './stored-object.ts';

/** Called after a change and before the write returns. Must not throw. */
export type ChangeListener = (store: ResourceStore, change: Change) => void;

/**
 * Holds all objects of the server. One counter gives every write its revision, so resourceVersions are comparable
 * across resources, as in etcd.
 */
export class Storage {
  /** The services that all stores share. */
  readonly #context: StoreContext;
  readonly #stores = new Set<ResourceStore>();
  readonly #events = new EventEmitter<{ change: ChangeListener }>();
  #revision = 1;

  constructor(history: HistoryBounds) {
    this.#context = {
      revision: () => this.#revision,
      advance: () => ++this.#revision,
      changed: (store, change) => void this.#events.emit('change', store, change),
      history,
    };
  }

  get revision(): number {
    return this.#revision;
  }

  createStore(
    name: { readonly group: string; readonly plural: string },
    selectable: (object: ApiObject) => SelectableValues,
  ): ResourceStore {
    const store = new ResourceStore(name, this.#context, selectable);
    this.#stores.add(store);
    return store;
  }

  /** Sets the newest revision to that of a snapshot. */
  restart(revision: number): void {
    this.#revision = revision;
  }

  /** Calls the listeners as if every present object was new, after a snapshot has been restored. */
  announce(): void {
    for (const store of this.#stores) {
      for (const object of store.values()) {
        const { revision } = object;
        this.#events.emit('change', store, {
          type: 'ADDED',
          revision,
          object,
          previous: undefined,
        });
      }
    }
  }

  dropStore(store: ResourceStore): void {
    this.#stores.delete(store);
  }

  stores(): Iterable<ResourceStore> {
    return this.#stores;
  }

  /** Makes all revisions before this one unreadable; reads of them get 410. */
  compact(revision: number = this.#revision): void {
    for (const store of this.#stores) store.log.compact(revision);
  }

  /** Calls the listener after every change. Returns a function that removes the listener. */
  onChange(listener: ChangeListener): () => void {
    this.#events.on('change', listener);
    return () => this.#events.off('change', listener);
  }
}
