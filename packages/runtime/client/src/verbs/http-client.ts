import {
  checkFunction,
  checkMethods,
  type ApiResource,
  type Clock,
  type DefaultedResource,
  type DeepReadonly,
  type KubernetesList,
  type KubernetesObject,
  type ObjectName,
  type Persisted,
} from '@keelson/apimachinery';
import { Caller, type CallerSettings } from './calls/caller.ts';
import type { Client } from './client.ts';
import { Discovery } from './discovery/discovery.ts';
import {
  createListerWatcher,
  type ClientListerWatcher,
  type ListerWatcherQuery,
} from './lists/lister-watcher.ts';
import { fieldManager as checkFieldManager } from '../values/option-check.ts';
import { patchBody, type Partially, type Patch, type Submitted } from './calls/patch.ts';
import { sendRaw, type RawRequest, type RawResponse } from './raw-request.ts';
import { readItems } from './lists/read-items.ts';
import { readWatch } from './lists/read-watch.ts';
import { requestFor } from './calls/request-for.ts';
import {
  applyQuery,
  checkCall,
  deleteBody,
  getQuery,
  listQuery,
  NO_OPTIONS,
  selectionParameters,
  writeQuery,
  type ApplyOptions,
  type DeleteOptions,
  type GetOptions,
  type ItemsOptions,
  type ListOptions,
  type Selection,
  type WatchOptions,
  type WriteOptions,
} from './calls/request-options.ts';
import {
  deletionReader,
  listReader,
  objectReader,
  readConfirmation,
} from './calls/response-object.ts';
import {
  collectionPath,
  creationPath,
  nameOf,
  objectPath,
  queryOf,
} from './calls/resource-path.ts';
import {
  createStatusClient,
  createSubresourceClient,
  type StatusClient,
  type SubresourceClient,
} from './subresource.ts';
import { createTypedApi, type ApiConstructor } from './typed-api.ts';
import { fillType, typedObject } from './calls/typed-object.ts';
import type { WatchEvent } from './lists/watch-event.ts';
import type { WriteGuard } from '../http/transport-request.ts';
import { writeObserverMethods, type WriteObserver } from './calls/write-observer.ts';
import { guardedObserver } from '../values/guarded-observer.ts';

/** The client over HTTP: checks arguments, builds paths and queries, and passes calls to its caller. */
export class HttpClient implements Client {
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly #caller: Caller;
  /** False for a client that another one returned, such as `withSignal`: closing it does not close the connections. */
  readonly #owner: boolean;

  constructor(caller: Caller, discovery: Discovery = new Discovery(caller), owner: boolean = true) {
    this.#caller = caller;
    this.discovery = discovery;
    this.clock = caller.transport.clock;
    this.#owner = owner;
  }

  async get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    options: GetOptions = NO_OPTIONS,
  ): Promise<Persisted<T>> {
    checkCall('get', options);
    const path = objectPath(resource, name);
    const request = requestFor('get', { path, query: getQuery(options) });
    return this.#caller.call({ request, read: objectReader(resource) }, options);
  }

  async list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: ListOptions = NO_OPTIONS,
  ): Promise<KubernetesList<Persisted<T>>> {
    checkCall('list', options);
    const path = collectionPath(resource, options.namespace);
    const { compression } = this.#caller;
    const request = requestFor('list', { path, query: listQuery(options), compression });
    const list = await this.#caller.call<KubernetesList<Persisted<T>>>(
      { request, read: listReader(resource) },
      options,
    );
    for (const item of list.items) fillType(resource, item);
    return list;
  }

  items<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: ItemsOptions = NO_OPTIONS,
  ): AsyncIterableIterator<Persisted<T>> {
    checkCall('items', options);
    return readItems(this.#caller, resource, options);
  }

  async create<T extends KubernetesObject, Input extends KubernetesObject = T>(
    resource: DefaultedResource<T, Input>,
    object: Submitted<T, Input>,
    options: WriteOptions = NO_OPTIONS,
  ): Promise<Persisted<T>> {
    checkCall('write', options, 'create');
    const body = typedObject(resource, object);
    const path = creationPath(resource, body);
    const query = writeQuery(options, this.#caller.fieldManager);
    const { name, generateName } = body.metadata ?? {};
    const read = objectReader(resource, { needsMetadata: Boolean(name ?? generateName) });
    const request = requestFor('create', { path, query, body });
    return this.#caller.call({ request, target: { resource }, read }, options);
  }

  async update<T extends KubernetesObject, Input extends KubernetesObject = T>(
    resource: DefaultedResource<T, Input>,
    object: Submitted<T, Input>,
    options: WriteOptions = NO_OPTIONS,
  ): Promise<Persisted<T>> {
    checkCall('write', options, 'update');
    const body = typedObject(resource, object);
    const path = objectPath(resource, nameOf(resource, body));
    const query = writeQuery(options, this.#caller.fieldManager);
    const request = requestFor('update', { path, query, body });
    const read = objectReader(resource);
    return this.#caller.call({ request, target: { resource }, read }, options);
  }

  async patch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    patch: Patch<NoInfer<T>>,
    options: WriteOptions = NO_OPTIONS,
  ): Promise<Persisted<T>> {
    checkCall('write', options, 'patch');
    const path = objectPath(resource, name);
    const body = patchBody(patch);
    const query = writeQuery(options, this.#caller.fieldManager);
    const request = requestFor('patch', { path, query, ...body });
    const read = objectReader(resource);
    return this.#caller.call({ request, target: { resource }, read }, options);
  }

  async apply<T extends KubernetesObject, Input extends KubernetesObject = T>(
    resource: DefaultedResource<T, Input>,
    object: Submitted<T, Input> | Partially<NoInfer<Input>>,
    options: ApplyOptions = NO_OPTIONS,
  ): Promise<Persisted<T>> {
    checkCall('apply', options);
    const body = typedObject(resource, object as DeepReadonly<KubernetesObject>);
    const path = objectPath(resource, nameOf(resource, body));
    const query = applyQuery(options, this.#caller.fieldManager);
    const request = requestFor('apply', { path, query, body });
    const read = objectReader(resource);
    return this.#caller.call({ request, target: { resource }, read }, options);
  }

  async delete<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    options: DeleteOptions = NO_OPTIONS,
  ): Promise<Persisted<T> | undefined> {
    checkCall('delete', options);
    const path = objectPath(resource, name);
    const request = requestFor('delete', { path, body: deleteBody(options) });
    const target = { resource, deleted: name };
    const response = await this.#caller.call<Persisted<T>>(
      { request, target, read: deletionReader(resource) },
      options,
    );
    return response.kind === 'Status' ? undefined : response;
  }

  async deleteCollection(
    resource: ApiResource,
    options: DeleteOptions & Selection = NO_OPTIONS,
  ): Promise<void> {
    checkCall('deleteCollection', options);
    const path = collectionPath(resource, options.namespace);
    const query = queryOf(selectionParameters(options));
    const request = requestFor('deletecollection', { path, query, body: deleteBody(options) });
    await this.#caller.call({ request, read: readConfirmation }, options);
  }

  watch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: WatchOptions = NO_OPTIONS,
  ): AsyncIterableIterator<WatchEvent<T>> {
    checkCall('watch', options);
    return readWatch(this.#caller, resource, options);
  }

  status<T extends KubernetesObject>(resource: ApiResource<T>): StatusClient<T> {
    return createStatusClient(this.#caller, resource);
  }

  subresource<S extends object>(resource: ApiResource, name: string): SubresourceClient<S> {
    return createSubresourceClient<S>(this.#caller, resource, name);
  }

  async request(request: RawRequest): Promise<RawResponse> {
    return sendRaw(this.#caller, request);
  }

  listerWatcher(query: ListerWatcherQuery): ClientListerWatcher {
    return createListerWatcher(this.#caller, query);
  }

  async apiClient<Api>(constructor: ApiConstructor<Api>): Promise<Api> {
    return createTypedApi(this.#caller, constructor);
  }

  withFieldManager(fieldManager: string): Client {
    checkFieldManager(fieldManager, 'withFieldManager');
    return this.#derived({ ...this.#caller.settings, fieldManager });
  }

  withWriteGuard(guard: WriteGuard): Client {
    checkMethods(guard, ['check'], 'withWriteGuard');
    checkMethods(guard.signal, ['addEventListener'], 'withWriteGuard.signal');
    return this.#derived({ ...this.#caller.settings, guard });
  }

  withWriteObserver(observer: WriteObserver): Client {
    checkMethods(observer, writeObserverMethods, 'withWriteObserver');
    const { writeObservers = [] } = this.#caller.settings;
    return this.#derived({
      ...this.#caller.settings,
      writeObservers: [...writeObservers, guardedObserver(observer, writeObserverMethods)],
    });
  }

  withSignal(signal: () => AbortSignal): Client {
    checkFunction(signal, 'withSignal');
    return this.#derived({ ...this.#caller.settings, signal });
  }

  async close(): Promise<void> {
    if (this.#owner) await this.#caller.transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #derived(settings: CallerSettings): Client {
    const caller = new Caller(settings);
    return new HttpClient(caller, Discovery.derived({ discovery: this.discovery, caller }), false);
  }
}
