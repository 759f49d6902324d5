import { EventEmitter } from 'eventemitter3';
import type { ResourceRequestInfo } from '../http/request-info.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Storage } from '../storage/storage.ts';
import type { WatchStream } from './watch-stream.ts';

export interface OpenWatch {
  readonly resource: ServedResource;
  /** The request that opened the watch. */
  readonly info: ResourceRequestInfo;
  readonly stream: WatchStream;
}

/** Holds the open watches and notifies them after every change of their resource. */
export class WatchHub {
  readonly #watches = new Set<OpenWatch>();
  readonly #byStore = new Map<ResourceStore, Set<WatchStream>>();
  readonly #events = new EventEmitter<'count'>();

  constructor(storage: Storage) {
    storage.onChange((store) => {
      for (const stream of this.#byStore.get(store) ?? []) stream.wake();
    });
  }

  /** Starts a stream and holds it until it ends. */
  open(watch: OpenWatch): void {
    const { stream } = watch;
    const { store } = watch.resource;
    const streams = this.#byStore.get(store) ?? new Set();
    this.#byStore.set(store, streams.add(stream));
    this.#watches.add(watch);
    stream.start(() => {
      this.#watches.delete(watch);
      streams.delete(stream);
      if (streams.size === 0) this.#byStore.delete(store);
      this.#events.emit('count');
    });
    this.#events.emit('count');
  }

  all(): OpenWatch[] {
    return [...this.#watches];
  }

  of(resource: ServedResource): OpenWatch[] {
    return this.all().filter((watch) => watch.resource === resource);
  }

  /** Calls the listener when a watch has opened or ended. */
  onCount(listener: () => void): () => void {
    this.#events.on('count', listener);
    return () => this.#events.off('count', listener);
  }
}
