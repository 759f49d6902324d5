import {
  checkFunction,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type ObjectName,
  type Persisted,
  TimeSlice,
} from '@keelson/apimachinery';
import { endedWait } from './ended-wait.ts';
import type { AsyncCacheListOptions, CacheListOptions, CacheReader } from './cache-reader.ts';
import {
  checkListOptions,
  checkName,
  checkNamespaceOf,
  checkReadOptions,
  checkResource,
} from '../contract/check-arguments.ts';
import type { Index } from '../contract/indexer.ts';
import { readOfList, readOfName, type Read, type ReadOptions } from '../contract/read.ts';
import {
  selectionBy,
  selectionOfOwned,
  type IndexReadOptions,
  type OwnedReadOptions,
} from './index-read.ts';
import { checkWaitFor, type ObjectWaits, type WaitForOptions } from './object-wait.ts';
import type { ServedListeners } from './served-listeners.ts';
import {
  checkAbsence,
  isServedIn,
  servingStores,
  wholeStore,
  type ReadScope,
} from './serving-stores.ts';
import { formsOf, untilFull } from '../store/selection.ts';
import { StoreUnion, type LocatedObject, type UnionSelection } from './store-union.ts';
import { ifReadable, type StoredObject } from '../store/stored-object.ts';

/** The parts that all readers of a cache share. */
export interface ReaderHost {
  readonly now: () => number;
  readonly objectWaits: ObjectWaits;
  readonly served: ServedListeners;
  /** Called with the error of a listener about a kind. */
  readonly listenerFailed: (resource: ApiResource, error: unknown) => void;
}

/**
 * Reads from the stores that serve a scope. If several stores have an object, it returns the newest
 * version.
 */
export class StoreReader implements CacheReader {
  readonly #scope: ReadScope;
  readonly #time: () => number;
  readonly #waits: ObjectWaits;
  readonly #host: ReaderHost;

  constructor(scope: ReadScope, host: ReaderHost) {
    this.#scope = scope;
    this.#time = host.now;
    this.#waits = host.objectWaits;
    this.#host = host;
  }

  isServed(resource: ApiResource): boolean {
    checkResource(resource, 'isServed.resource');
    return isServedIn(this.#scope, resource);
  }

  onServedChange(resource: ApiResource, listener: (isServed: boolean) => unknown): Disposable {
    checkResource(resource, 'onServedChange.resource');
    checkFunction(listener, 'onServedChange.listener');
    const { served, listenerFailed } = this.#host;
    // If the cache is closed or the kind has no watch, the kind counts as not served.
    const isServed = (): boolean => {
      try {
        return isServedIn(this.#scope, resource);
      } catch {
        return false;
      }
    };
    return served.add(isServed, listener, (error) => listenerFailed(resource, error));
  }

  get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    options?: ReadOptions,
  ): DeepReadonly<Persisted<T>> | undefined {
    checkResource(resource, 'get.resource');
    checkName(resource, name);
    if (options === undefined) {
      const only = this.#scope.onlyView?.(resource);
      const whole = only?.hasSynced === true ? only.store : wholeStore(this.#scope, resource, name);
      if (whole !== undefined)
        return whole.find(name)?.value() as DeepReadonly<Persisted<T>> | undefined;
    }
    checkReadOptions(options, 'get');
    const object = this.#find(resource, name, options);
    return object === undefined ? undefined : formOf<T>(object, options);
  }

  list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: CacheListOptions = {},
  ): DeepReadonly<Persisted<T>>[] {
    checkResource(resource, 'list.resource');
    checkListOptions(options, 'list');
    return this.#list(resource, options);
  }

  async listAsync<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: AsyncCacheListOptions = {},
  ): Promise<DeepReadonly<Persisted<T>>[]> {
    checkResource(resource, 'listAsync.resource');
    checkListOptions(options, 'listAsync');
    await this.#listed(resource, options).built(options.index?.name);
    // Copies all stores at once, because they may change between two slices. The objects stay readable.
    const selections = this.#listed(resource, options)
      .select(options)
      .map(({ candidates, condition }) => ({
        objects: Array.from(candidates, (object) => object.shown()),
        condition,
      }));
    const found: DeepReadonly<Persisted<T>>[] = [];
    const slice = new TimeSlice(this.#time);
    for (const { objects, condition } of selections) {
      const take = (object: StoredObject): void => {
        if (condition?.(object) === false) return;
        const form = readableForm<T>(object, options);
        if (form !== undefined) found.push(form);
      };
      await slice.each(untilFull(objects, found, options.limit), take, options.signal);
    }
    return found;
  }

  by<T extends KubernetesObject>(
    index: Index<T>,
    value: string,
    options: IndexReadOptions = {},
  ): DeepReadonly<Persisted<T>>[] {
    const selection = selectionBy(index, value, options, 'by');
    return this.#list(index.resource, selection);
  }

  namesBy<T extends KubernetesObject>(
    index: Index<T>,
    value: string,
    options: IndexReadOptions = {},
  ): ObjectName[] {
    const selection = { ...selectionBy(index, value, options, 'namesBy'), ...headOnly };
    return this.#forms(index.resource, selection, nameOf);
  }

  indexValues<T extends KubernetesObject>(
    index: Index<T>,
    options: IndexReadOptions = {},
  ): string[] {
    const selection = { ...selectionBy(index, '', options, 'indexValues'), ...headOnly };
    return this.#listed(index.resource, selection).indexValues(selection);
  }

  owned<T extends KubernetesObject>(
    resource: ApiResource<T>,
    owner: DeepReadonly<KubernetesObject>,
    options: OwnedReadOptions = {},
  ): DeepReadonly<Persisted<T>>[] {
    checkResource(resource, 'owned.resource');
    return this.#list(resource, selectionOfOwned(owner, options));
  }

  waitFor<T extends KubernetesObject, S extends DeepReadonly<Persisted<T>> | undefined>(
    resource: ApiResource<T>,
    name: ObjectName,
    predicate: (object: DeepReadonly<Persisted<T>> | undefined) => object is S,
    options?: WaitForOptions,
  ): Promise<S>;
  waitFor<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    predicate: (object: DeepReadonly<Persisted<T>> | undefined) => boolean,
    options?: WaitForOptions,
  ): Promise<DeepReadonly<Persisted<T>> | undefined>;
  async waitFor<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    predicate: (object: DeepReadonly<Persisted<T>> | undefined) => boolean,
    options: WaitForOptions = {},
  ): Promise<DeepReadonly<Persisted<T>> | undefined> {
    checkResource(resource, 'waitFor.resource');
    checkName(resource, name);
    checkWaitFor(predicate, options);
    const read = readOfName(name, options);
    const find = (): LocatedObject => this.#union(resource, read).locate(name);
    const show = (object: StoredObject): DeepReadonly<Persisted<T>> => formOf<T>(object, options);
    const target = { resource, name, predicate, find, formOf: show };
    return endedWait(this.#scope.signal, options, (ended) => this.#waits.wait(target, ended));
  }

  #find(resource: ApiResource, name: ObjectName, options?: ReadOptions): StoredObject | undefined {
    const read = readOfName(name, options);
    const object = this.#union(resource, read).find(name);
    if (object === undefined) checkAbsence(this.#scope, resource, read, name);
    return object;
  }

  #list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    selection: CacheListOptions & UnionSelection,
  ): DeepReadonly<Persisted<T>>[] {
    return this.#forms(resource, selection, (object) => readableForm<T>(object, selection));
  }

  /** The forms of the selected objects of all stores, as many as the limit. */
  #forms<Form>(
    resource: ApiResource,
    options: CacheListOptions & UnionSelection,
    show: (object: StoredObject) => Form | undefined,
  ): Form[] {
    const { limit = Infinity } = options;
    const found: Form[] = [];
    for (const selection of this.#listed(resource, options).select(options)) {
      for (const form of formsOf(selection, show, limit - found.length)) found.push(form);
    }
    return found;
  }

  /** The stores that serve a list. */
  #listed(resource: ApiResource, selection: CacheListOptions): StoreUnion {
    checkNamespaceOf(resource, selection.namespace);
    return this.#union(resource, readOfList(selection));
  }

  #union(resource: ApiResource, read: Read): StoreUnion {
    return new StoreUnion(resource, servingStores(this.#scope, resource, read));
  }
}

const headOnly = { projection: 'metadata' } as const;

function nameOf({ namespace, name }: StoredObject): ObjectName {
  return namespace === undefined ? { name } : { namespace, name };
}

/**
 * Returns the form of an object that a list returns; `undefined` if its bytes do not parse. The list omits such an
 * object until it has been fetched again.
 */
function readableForm<T extends KubernetesObject>(
  object: StoredObject,
  options: ReadOptions,
): DeepReadonly<Persisted<T>> | undefined {
  return ifReadable(() => formOf<T>(object, options), undefined);
}

/** Returns the metadata or the whole object. */
function formOf<T extends KubernetesObject>(
  object: StoredObject,
  options: ReadOptions | undefined,
): DeepReadonly<Persisted<T>> {
  const form = options?.projection === 'metadata' ? object.partial() : object.value();
  return form as unknown as DeepReadonly<Persisted<T>>;
}
