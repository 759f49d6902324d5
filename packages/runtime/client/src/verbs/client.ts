import type {
  ApiResource,
  Clock,
  DefaultedResource,
  KubernetesList,
  KubernetesObject,
  ObjectName,
  Persisted,
} from '@keelson/apimachinery';
import type { ApiConstructor } from './typed-api.ts';
import type { Discovery } from './discovery/discovery.ts';
import type { ClientListerWatcher, ListerWatcherQuery } from './lists/lister-watcher.ts';
import type { Partially, Patch, Submitted } from './calls/patch.ts';
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
import type { WriteGuard } from '../http/transport-request.ts';
import type { WriteObserver } from './calls/write-observer.ts';

/**
 * The API of one cluster, typed by resource tokens. An error response is thrown as `StatusError`; other
 * failures are thrown as `ClientError`. Invalid arguments throw before a request is sent.
 */
export interface Client extends AsyncDisposable {
  /** The clock by which the client waits. Default: the clock of the system. */
  readonly clock?: Clock;
  /** Reads one object. Throws 404 as `StatusError`; `isNotFound` recognizes it. */
  get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    options?: GetOptions,
  ): Promise<Persisted<T>>;
  /**
   * Sends one list request; its items have apiVersion and kind. For further pages pass `metadata.continue`,
   * or use `items`.
   */
  list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: ListOptions,
  ): Promise<KubernetesList<Persisted<T>>>;
  /** Yields all objects of a list, page by page, parsed as they arrive. */
  items<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: ItemsOptions,
  ): AsyncIterableIterator<Persisted<T>>;
  /**
   * Creates an object and returns it as the server stored it. Throws 409 if it exists; `isAlreadyExists` recognizes
   * it. The metadata of a review such as `TokenReview` is empty, because it is not stored, and a dry
   * run has no resourceVersion.
   */
  create<T extends KubernetesObject, Input extends KubernetesObject = T>(
    resource: DefaultedResource<T, Input>,
    object: Submitted<T, Input>,
    options?: WriteOptions,
  ): Promise<Persisted<T>>;
  /** Replaces the whole object. Throws 409 if the object has a resourceVersion that is not the newest one. */
  update<T extends KubernetesObject, Input extends KubernetesObject = T>(
    resource: DefaultedResource<T, Input>,
    object: Submitted<T, Input>,
    options?: WriteOptions,
  ): Promise<Persisted<T>>;
  /** Changes parts of an object with a JSON patch, a merge patch or a strategic merge patch. */
  patch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    patch: Patch<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<Persisted<T>>;
  /** Server-side apply: sets the given fields, and creates the object if it does not exist. */
  apply<T extends KubernetesObject, Input extends KubernetesObject = T>(
    resource: DefaultedResource<T, Input>,
    object: Submitted<T, Input> | Partially<NoInfer<Input>>,
    options?: ApplyOptions,
  ): Promise<Persisted<T>>;
  /** Deletes an object. Returns its last state if the server sent it; the object may still have finalizers. */
  delete<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    options?: DeleteOptions,
  ): Promise<Persisted<T> | undefined>;
  /** Deletes the selected objects; without a selection, all objects of the resource in all namespaces. */
  deleteCollection(resource: ApiResource, options?: DeleteOptions & Selection): Promise<void>;
  /** Sends one watch request and yields its events. It neither reconnects nor relists, as an informer does. */
  watch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: WatchOptions,
  ): AsyncIterableIterator<WatchEvent<T>>;
  /** Returns the verbs of the status subresource. */
  status<T extends KubernetesObject>(resource: ApiResource<T>): StatusClient<T>;
  /** Returns the verbs of a subresource such as `scale`, `eviction` or `token`. */
  subresource(resource: ApiResource, name: 'scale'): SubresourceClient<Scale>;
  subresource<S extends object = KubernetesObject>(
    resource: ApiResource,
    name: string,
  ): SubresourceClient<S>;
  /** The resources that the server serves; responses are cached. */
  readonly discovery: Discovery;
  /** Sends any request with the credentials of the client, and returns the response as text. */
  request(request: RawRequest): Promise<RawResponse>;
  /** Creates the source of an informer. */
  listerWatcher(query: ListerWatcherQuery): ClientListerWatcher;
  /**
   * Creates one of the typed APIs of `@kubernetes/client-node`: `await client.apiClient(CoreV1Api)`. It uses the
   * connections and credentials of this client. The first call loads client-node.
   */
  apiClient<Api>(constructor: ApiConstructor<Api>): Promise<Api>;
  /**
   * Returns a client with another default field manager. It shares everything else, and closing it does
   * nothing.
   */
  withFieldManager(fieldManager: string): Client;
  /**
   * Returns a client that writes only while the guard permits it; a refused write rejects with the reason of the
   * guard's signal. Reads and watches continue. It shares everything else, and closing it does nothing.
   */
  withWriteGuard(guard: WriteGuard): Client;
  /**
   * Returns a client that also reports the responses of its writes to the observer: an informer cache, for example,
   * whose reads then include them. It shares everything else, and closing it does nothing. Observers of this client
   * receive them too.
   */
  withWriteObserver(observer: WriteObserver): Client;
  /**
   * Returns a client whose requests and watches also end when a signal aborts. It calls the function at the beginning
   * of each of them. Those of `listerWatcher` are not affected. It shares everything else, and closing it does nothing.
   */
  withSignal(signal: () => AbortSignal): Client;
  /**
   * Aborts running requests and watches; settles when every socket is closed. Waits up to 1 s for a `credentials`
   * function that ignores its signal, and not for a `cluster` function.
   */
  close(): Promise<void>;
}
