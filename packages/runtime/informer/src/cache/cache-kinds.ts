import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ignoreRejection,
  isPromised,
  objectKey,
  parseDuration,
  type ApiResource,
  type Clock,
  type DeepReadonly,
  type KubernetesObject,
  type ObjectKey,
} from '@keelson/apimachinery';
import type { InformerObserver } from '../contract/informer-observer.ts';
import { Informer } from '../informer/informer.ts';
import type { ChangeListener } from '../informer/informer-options.ts';
import { MemoryBudgets } from '../budget/memory-budgets.ts';
import type { MemoryBudget } from '../budget/memory-budget.ts';
import { Memory, type CacheMemory } from '../memory/memory.ts';
import { ReconnectSpread } from '../reflector/timing/reconnect-spread.ts';
import { StartSlots } from '../reflector/timing/start-slots.ts';
import { WatchListSupports } from '../reflector/watch-list-support.ts';
import { KindWatches, type NewInformer, type WatchFactory } from '../sharing/kind-watches.ts';
import { Overlay } from '../overlay/overlay.ts';
import { OwnWrite, type DeletedObject } from '../overlay/own-write.ts';
import { WriteKeeper } from '../overlay/write-keeper.ts';
import type { InformerCacheOptions } from './informer-cache-options.ts';
import { ResourceMap } from './resource-map.ts';

const DEFAULT_LINGER_MS = 10_000;
const DEFAULT_PARSED_BYTES = 32 * 1024 * 1024;

/** The callbacks of the kinds of a cache. */
export interface CacheKindsHost {
  readonly observer: InformerObserver;
  readonly clock: Clock;
  /** Called when a watch has synced or a handle has moved. */
  readonly onChange: () => void;
  readonly waits: ChangeListener;
}

/** The watches of a cache, by kind, and the parts that they share. */
export class CacheKinds {
  readonly memory: Memory;
  readonly #options: InformerCacheOptions;
  readonly #host: CacheKindsHost;
  readonly #linger: number;
  readonly #budgets: MemoryBudgets | undefined;
  readonly #supports: WatchListSupports;
  readonly #spread: ReconnectSpread;
  readonly #starts: StartSlots;
  /**
   * Runs a function in the async context in which the cache was created. The lister-watcher and the observer must not
   * run in the context of the first handle.
   */
  readonly #inContext = AsyncLocalStorage.snapshot();
  readonly #kinds = new ResourceMap<KindWatches>();
  readonly #factory: WatchFactory = {
    informer: (options) => this.#informer(options),
    overlay: (informer, epoch) => this.#overlay(informer, epoch),
    start: (informer) => this.#inContext(() => informer.start()),
  };
  /** Watches that have ended, but whose last request may still be open. */
  readonly #ending = new Set<Promise<void>>();

  constructor(options: InformerCacheOptions, host: CacheKindsHost) {
    const { linger = DEFAULT_LINGER_MS, parsedBytes = DEFAULT_PARSED_BYTES } = options;
    const { clock } = host;
    const now = (): number => clock.monotonic();
    this.#options = options;
    this.#host = host;
    this.#linger = parseDuration(linger, 'createInformerCache.linger');
    this.memory = new Memory({ parsedBytes, freeze: options.freeze, now });
    this.#budgets = options.memoryBudget && this.#budgetsOf(options.memoryBudget);
    this.#supports = new WatchListSupports(now);
    this.#starts = new StartSlots(clock);
    this.#spread = new ReconnectSpread(now, () => clock.random());
  }

  /** Returns the kind if it has a watch. */
  get(resource: ApiResource): KindWatches | undefined {
    return this.#kinds.get(resource);
  }

  values(): KindWatches[] {
    return [...this.#kinds.values()];
  }

  /** Returns the watches of a kind. Creates an entry without a watch if the kind has none. */
  make(resource: ApiResource): KindWatches {
    const found = this.#kinds.get(resource);
    if (found !== undefined) return found;
    const kind: KindWatches = new KindWatches({
      linger: this.#linger,
      clock: this.#host.clock,
      factory: this.#factory,
      listener: {
        changed: this.#host.onChange,
        ending: (ended) => {
          const ending: Promise<void> = ended.finally(() => this.#ending.delete(ending));
          this.#ending.add(ending);
        },
        emptied: () => this.#kinds.delete(resource),
      },
    });
    this.#kinds.set(resource, kind);
    return kind;
  }

  /** The memory in bytes that does not belong to a store, and the budgets of the stores. */
  get memoryUse(): CacheMemory {
    const { pinned, free } = this.memory.slabs;
    return { pinnedBytes: pinned, freeBytes: free, budgets: this.#budgets?.uses ?? [] };
  }

  /** Records a state that the server returned for a write. */
  written(resource: ApiResource, object: DeepReadonly<KubernetesObject>): void {
    const kind = this.#recording(resource);
    const write = kind && OwnWrite.of(resource, object);
    if (write !== undefined && kind?.written(write) === true) {
      this.#host.waits.objectChanged?.(resource, write);
    }
  }

  /** Records that an object no longer exists. */
  deleted(resource: ApiResource, object: DeletedObject): void {
    if (this.#recording(resource)?.deleted(object) !== true) return;
    this.#host.waits.objectChanged?.(resource, { key: objectKey(object) });
  }

  /** Ends every watch without linger. */
  close(): void {
    this.#budgets?.close();
    for (const kind of this.values()) kind.close();
  }

  /** Resolves when the last request of every watch has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#ending);
  }

  #budgetsOf(budget: MemoryBudget): MemoryBudgets {
    const { observer } = this.#host;
    return new MemoryBudgets({
      budget,
      watches: () => this.values().flatMap(({ watches }) => [...watches]),
      onChange: (change) => observer.memoryBudgetChanged?.(change),
    });
  }

  /** Returns the kind if own writes are recorded and it has a watch. */
  #recording(resource: ApiResource): KindWatches | undefined {
    return this.#options.overlay === false ? undefined : this.get(resource);
  }

  #overlay(informer: Informer, epoch: () => number): Overlay {
    const { keepManagedFields = false } = this.#options;
    const { observer, clock, waits } = this.#host;
    const now = (): number => clock.monotonic();
    const { identity, transform } = informer;
    const { memory } = this;
    const onLost = (object: { readonly key: ObjectKey }): void =>
      waits.objectChanged?.(identity.query.resource, object);
    const shared = { identity, transform, keepManagedFields, memory, observer, now };
    const keeper = new WriteKeeper(shared);
    return new Overlay({ watch: informer, keeper, observer, epoch, now, clock, onLost });
  }

  #informer(options: NewInformer): Informer {
    const { keepManagedFields = false, listerWatcher } = this.#options;
    const { observer, clock, waits } = this.#host;
    const { query } = options.identity;
    return new Informer({
      ...options,
      waits,
      keepManagedFields,
      listerWatcher: () => {
        const made = listerWatcher(query);
        // The promise of an async function is not a lister-watcher. Its rejection must not end the process.
        if (!isPromised(made)) return this.memory.servedBy(made);
        ignoreRejection(made);
        return made;
      },
      memory: this.memory,
      growth: (informer) => this.#budgets?.growthOf(informer),
      support: this.#supports.of(query.resource.group),
      spread: this.#spread,
      starts: this.#starts,
      observer,
      clock,
    });
  }
}
