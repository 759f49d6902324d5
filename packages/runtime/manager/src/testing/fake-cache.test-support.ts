import {
  keyOf,
  matchesLabels,
  objectKey,
  parseLabelSelector,
  resourceId,
  type ApiResource,
  type DeepReadonly,
  type Duration,
  type KubernetesObject,
  type LabelRequirements,
  type ObjectName,
  type Persisted,
} from '@keelson/apimachinery';
import type {
  CacheMemory,
  CacheScope,
  EventHandler,
  EventHandlerOptions,
  EventHandlerRegistration,
  InformerCache,
  InformerEvent,
  ObjectStore,
  ObjectView,
  PlannedHandle,
  WatchHandle,
  WatchHealth,
  WatchInventory,
  WatchQuery,
  WatchState,
} from '@keelson/informer';
import { UnsupportedReads } from './unsupported-reads.test-support.ts';

/** A view of a plain object, which has the metadata that the test reads. */
export function viewOf<T extends KubernetesObject>(object: T): ObjectView<T> {
  const { apiVersion = '', kind = '' } = object;
  const given = { name: '', uid: '', resourceVersion: '', ...object.metadata };
  const metadata = given as ObjectView<T>['metadata'];
  const { namespace, name, uid, resourceVersion } = metadata;
  const value = (): DeepReadonly<Persisted<T>> => object as unknown as DeepReadonly<Persisted<T>>;
  return {
    key: keyOf(object),
    namespace,
    name,
    uid,
    resourceVersion,
    apiVersion,
    kind,
    metadata,
    value,
  };
}

/**
 * A cache without network and timers. The test drives its watches, which deliver every event synchronously. It counts
 * handles and handlers, so that a test can check that all of them are released.
 */
export class FakeCache extends UnsupportedReads implements InformerCache {
  readonly handles: Set<FakeHandle> = new Set();
  /** Every acquired kind, in the order of the calls. */
  readonly acquired: string[] = [];
  /** If false, kinds sync only when the test calls `sync`. */
  syncsAtOnce = true;
  closed = false;
  readonly #kinds = new Map<string, Map<string, KubernetesObject>>();
  readonly #synced = new Set<string>();
  #version = 0;

  /** The number of registered handlers. */
  get handlers(): number {
    return [...this.handles].reduce((sum, handle) => sum + handle.handlers.size, 0);
  }

  acquire<T extends KubernetesObject>(
    query: WatchQuery<T>,
    options: { owner: string; required?: boolean },
  ): WatchHandle<T> {
    const { resource } = query;
    const id = resourceId(resource);
    this.acquired.push(id);
    const handle = new FakeHandle(this, query, options.owner, options.required ?? true);
    this.handles.add(handle);
    if (this.syncsAtOnce || this.#synced.has(id)) handle.sync();
    return handle as unknown as WatchHandle<T>;
  }

  holds({ metadata }: DeepReadonly<KubernetesObject>): boolean {
    const all = [...this.#kinds.values()].flatMap((objects) => [...objects.values()]);
    return all.some((object) => object.metadata?.uid === metadata?.uid);
  }

  /** Creates or updates an object and notifies the watches of its kind. */
  set(resource: ApiResource, object: KubernetesObject): KubernetesObject {
    const objects = this.#objectsOf(resource);
    const key = keyOf(object);
    const before = objects.get(key);
    this.#version += 1;
    const metadata = {
      uid: before?.metadata?.uid ?? `uid-${this.#version}`,
      ...object.metadata,
      resourceVersion: String(this.#version),
    };
    const after = { ...object, metadata };
    objects.set(key, after);
    const facts = { key, object: viewOf(after), receivedAt: performance.now() };
    this.emit(
      resource,
      before === undefined
        ? { type: 'added', initial: false, ...facts }
        : { type: 'updated', previous: viewOf(before), ...facts },
    );
    return after;
  }

  delete(resource: ApiResource, name: ObjectName): void {
    const objects = this.#objectsOf(resource);
    const key = objectKey(name);
    const object = viewOf(objects.get(key) ?? {});
    objects.delete(key);
    this.emit(resource, {
      type: 'deleted',
      finalStateUnknown: false,
      key,
      object,
      receivedAt: performance.now(),
    });
  }

  emit(resource: ApiResource, event: InformerEvent): void {
    for (const handle of this.#handlesOf(resource)) handle.emit(event);
  }

  sync(resource: ApiResource): void {
    this.#synced.add(resourceId(resource));
    for (const handle of this.#handlesOf(resource)) handle.sync();
  }

  /** Changes the health of the watches of a kind; with a namespace, of those of that namespace only. */
  setHealth(resource: ApiResource, state: WatchState, reason: string, namespace?: string): void {
    for (const handle of this.#handlesOf(resource)) {
      if (namespace === undefined || handle.query.namespace === namespace) {
        handle.setHealth(state, reason);
      }
    }
  }

  /** The namespaces of the handles on a kind; `''` for a handle on all. */
  namespacesOf(resource: ApiResource): string[] {
    return this.#handlesOf(resource).map(({ query }) => query.namespace ?? '');
  }

  /** The handles on a kind in a namespace. */
  handlesIn(resource: ApiResource, namespace: string): FakeHandle[] {
    return this.#handlesOf(resource).filter(({ query }) => query.namespace === namespace);
  }

  objects(resource: ApiResource): KubernetesObject[] {
    return [...this.#objectsOf(resource).values()];
  }

  get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
  ): DeepReadonly<T> | undefined {
    return this.#objectsOf(resource).get(objectKey(name)) as DeepReadonly<T> | undefined;
  }

  list<T extends KubernetesObject>(resource: ApiResource<T>): DeepReadonly<T>[] {
    return this.objects(resource) as unknown as DeepReadonly<T>[];
  }

  async listAsync<T extends KubernetesObject>(
    resource: ApiResource<T>,
  ): Promise<DeepReadonly<T>[]> {
    return this.list(resource);
  }

  /** The scope reads every object that the test has set. */
  scope(): CacheScope {
    return this;
  }

  async waitForSync(): Promise<void> {}

  served(): void {}

  inventory(): readonly WatchInventory[] {
    return [];
  }

  plan(): readonly PlannedHandle[] {
    return [];
  }

  written(): void {}

  deleted(): void {}

  memory(): CacheMemory {
    return { pinnedBytes: 1_024, freeBytes: 0, budgets: [] };
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const handle of this.handles) handle.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #objectsOf(resource: ApiResource): Map<string, KubernetesObject> {
    const id = resourceId(resource);
    const objects = this.#kinds.get(id) ?? new Map<string, KubernetesObject>();
    this.#kinds.set(id, objects);
    return objects;
  }

  #handlesOf(resource: ApiResource): FakeHandle[] {
    const id = resourceId(resource);
    return [...this.handles].filter(({ query }) => resourceId(query.resource) === id);
  }
}

/** A handle of the fake cache. */
export class FakeHandle implements Omit<
  WatchHandle,
  'store' | 'events' | 'addIndexer' | 'restart' | 'followPart'
> {
  readonly query: WatchQuery;
  readonly owner: string;
  readonly required: boolean;
  readonly handlers: Set<EventHandler> = new Set();
  /** The interval of the resyncs of each handler. */
  readonly resyncs: Map<EventHandler, Duration> = new Map();
  readonly synced: Promise<void>;
  hasSynced = false;
  /** True while the store has states that the handlers have not received. */
  isBehind = false;
  health: WatchHealth = healthOf('syncing', 'reading the initial state');
  readonly #cache: FakeCache;
  readonly #labels: LabelRequirements;
  #isReplaying = false;
  readonly #listeners = new Set<(health: WatchHealth) => void>();
  readonly #waiter = Promise.withResolvers<void>();

  constructor(cache: FakeCache, query: WatchQuery, owner: string, required: boolean) {
    this.#cache = cache;
    this.query = query;
    this.#labels = parseLabelSelector(query.labelSelector ?? '');
    this.owner = owner;
    this.required = required;
    this.synced = this.#waiter.promise;
    this.synced.catch(() => undefined);
  }

  /** The part of a store that a controller uses. */
  get store(): Pick<ObjectStore, 'has' | 'view' | 'views'> {
    const view = (name: ObjectName): ObjectView | undefined => {
      const object = this.hasSynced ? this.#cache.get(this.query.resource, name) : undefined;
      const found = object && viewOf(object as KubernetesObject);
      return found && this.#selects(found) ? found : undefined;
    };
    return { has: (name) => view(name) !== undefined, view, views: () => this.#views() };
  }

  get identity(): string {
    return resourceId(this.query.resource);
  }

  addEventHandler(
    handler: EventHandler,
    { resync = 0 }: EventHandlerOptions = {},
  ): EventHandlerRegistration {
    this.handlers.add(handler);
    this.resyncs.set(handler, resync);
    if (this.hasSynced) this.#replay(handler);
    const remove = (): void => void this.handlers.delete(handler);
    const { hasSynced } = this;
    const isCurrent = (): boolean => this.hasSynced && !this.#isReplaying && !this.isBehind;
    return {
      synced: this.synced,
      hasSynced,
      get isCurrent() {
        return isCurrent();
      },
      resyncEvery: (interval) => void this.resyncs.set(handler, interval),
      remove,
      [Symbol.dispose]: remove,
    };
  }

  onHealthChange(listener: (health: WatchHealth) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  emit(event: InformerEvent): void {
    const seen = this.hasSynced ? this.#seen(event) : undefined;
    if (seen === undefined) return;
    for (const handler of this.handlers) handler(seen);
  }

  sync(): void {
    if (this.hasSynced) return;
    this.hasSynced = true;
    this.setHealth('live', 'synced');
    for (const handler of this.handlers) this.#replay(handler);
    this.#waiter.resolve();
  }

  setHealth(state: WatchState, reason: string): void {
    this.health = healthOf(state, reason);
    for (const listener of this.#listeners) listener(this.health);
  }

  release(): void {
    this.#cache.handles.delete(this);
    this.handlers.clear();
    this.#waiter.reject(new Error('released'));
  }

  [Symbol.dispose](): void {
    this.release();
  }

  /** Of an update: an object that begins to match is added, one that stops matching is deleted. */
  #seen(event: InformerEvent): InformerEvent | undefined {
    const matches = this.#selects(event.object);
    if (event.type !== 'updated') return matches ? event : undefined;
    const { key, object, previous, receivedAt } = event;
    const matched = this.#selects(previous);
    if (matched === matches) return matches ? event : undefined;
    return matches
      ? { type: 'added', key, object, receivedAt, initial: false }
      : { type: 'deleted', key, object: previous, receivedAt, finalStateUnknown: false };
  }

  #views(): ObjectView[] {
    if (!this.hasSynced) return [];
    return this.#cache
      .objects(this.query.resource)
      .map(viewOf)
      .filter((view) => this.#selects(view));
  }

  #selects({ namespace, metadata }: ObjectView): boolean {
    const isInNamespace = !this.query.namespace || this.query.namespace === namespace;
    return isInNamespace && matchesLabels(this.#labels, metadata.labels);
  }

  #replay(handler: EventHandler): void {
    this.#isReplaying = true;
    for (const object of this.#views()) {
      const { key } = object;
      handler({ type: 'added', initial: true, key, object, receivedAt: performance.now() });
    }
    this.#isReplaying = false;
  }
}

function healthOf(state: WatchState, reason: string): WatchHealth {
  const verb = state === 'forbidden' ? 'list' : undefined;
  return { state, reason, verb, since: 0, lastError: undefined, attempts: 0 };
}
