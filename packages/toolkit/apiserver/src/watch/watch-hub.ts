import { setImmediate } from 'node:timers';
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

export interface WatchHubOptions {
  /**
   * Returns true if the events of a change may wait until the end of the turn of the event loop, so that those of other requests of
   * the turn go into the same write to a socket.
   */
  readonly defers: () => boolean;
}

/**
 * Holds the open watches and notifies them after every change of their resource. As in a cluster, the response to a write may
 * arrive before its event.
 */
export class WatchHub {
  readonly #watches = new Set<OpenWatch>();
  readonly #byStore = new Map<ResourceStore, Set<WatchStream>>();
  readonly #events = new EventEmitter<'count'>();
  readonly #defers: () => boolean;
  /** The streams of each resource whose events wait for the end of the turn. */
  readonly #waiting = new Set<ReadonlySet<WatchStream>>();

  constructor(storage: Storage, { defers }: WatchHubOptions) {
    this.#defers = defers;
    storage.onChange((store) => {
      const streams = this.#byStore.get(store);
      if (streams !== undefined) this.#wake(streams);
    });
  }

  /** Sends the events that wait for the end of the turn. */
  flush(): void {
    for (const streams of this.#waiting) for (const stream of streams) stream.flush();
    this.#waiting.clear();
  }

  #wake(streams: ReadonlySet<WatchStream>): void {
    const defers = this.#defers();
    // Not the global function, which the fake timers of a test replace.
    if (defers && this.#waiting.size === 0) setImmediate(() => this.flush());
    if (defers) this.#waiting.add(streams);
    for (const stream of streams) {
      stream.wake();
      if (!defers) stream.flush();
    }
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
