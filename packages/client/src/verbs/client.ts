import type {
  ApiResource,
  KubernetesList,
  KubernetesObject,
  ObjectName,
} from '@keelson/apimachinery';
import type { ApiConstructor } from './typed-api.ts';
import type { Discovery } from './discovery/discovery.ts';
import type { ClientListerWatcher, ListerWatcherQuery } from './lists/lister-watcher.ts';
import type { Partially, Patch } from './calls/patch.ts';
import type { RawRequest, RawResponse } from './raw-request.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ItemsOptions,
  ListOptions,
  Selection,
  WatchOptions,
  WriteOptions,
} from './calls/request-options.ts';
import type { Scale, StatusClient, SubresourceClient } from './subresource.ts';
import type { WatchEvent } from './lists/watch-event.ts';

/**
 * The API of one cluster, typed by resource tokens. What the server refuses is thrown as
 * `StatusError`, what keeps it from answering as `ClientError`; wrong arguments throw before
 * anything is sent.
 */
export interface Client extends AsyncDisposable {
  get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    options?: GetOptions,
  ): Promise<T>;
  /** One request; items have apiVersion and kind. Follow `metadata.continue`, or use `items`. */
  list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: ListOptions,
  ): Promise<KubernetesList<T>>;
  /** Every object, one after the other, parsed as they arrive; page after page. */
  items<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: ItemsOptions,
  ): AsyncIterableIterator<T>;
  create<T extends KubernetesObject>(
    resource: ApiResource<T>,
    object: NoInfer<T>,
    options?: WriteOptions,
  ): Promise<T>;
  /** Replaces the whole object; 409 unless its resourceVersion is the newest or absent. */
  update<T extends KubernetesObject>(
    resource: ApiResource<T>,
    object: NoInfer<T>,
    options?: WriteOptions,
  ): Promise<T>;
  patch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    patch: Patch<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<T>;
  /** Server-side apply: sets the given fields, and creates the object if it does not exist. */
  apply<T extends KubernetesObject>(
    resource: ApiResource<T>,
    object: NoInfer<T> | Partially<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<T>;
  /** The object in its last state where the server sent it (it may still be finalizing). */
  delete<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    options?: DeleteOptions,
  ): Promise<T | undefined>;
  /** Deletes every object selected. */
  deleteCollection(resource: ApiResource, options?: DeleteOptions & Selection): Promise<void>;
  /** One watch request as events. It neither reconnects nor relists: that is what informers are for. */
  watch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: WatchOptions,
  ): AsyncIterableIterator<WatchEvent<T>>;
  status<T extends KubernetesObject>(resource: ApiResource<T>): StatusClient<T>;
  subresource(resource: ApiResource, name: 'scale'): SubresourceClient<Scale>;
  subresource<S extends object = KubernetesObject>(
    resource: ApiResource,
    name: string,
  ): SubresourceClient<S>;
  /** The resources that the server serves; responses are cached. */
  readonly discovery: Discovery;
  request(request: RawRequest): Promise<RawResponse>;
  /** The source of an informer. */
  listerWatcher(query: ListerWatcherQuery): ClientListerWatcher;
  /**
   * One of the typed APIs of `@kubernetes/client-node` on this client's connections and
   * credentials: `await client.apiClient(CoreV1Api)`. Loads client-node.
   */
  apiClient<Api>(constructor: ApiConstructor<Api>): Promise<Api>;
  /** The same client with another default field manager. It shares everything; closing it does nothing. */
  withFieldManager(fieldManager: string): Client;
  /** Breaks what still runs; settles when every socket is closed. */
  close(): Promise<void>;
}
