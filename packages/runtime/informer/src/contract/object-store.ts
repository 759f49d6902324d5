import type { DeepReadonly, KubernetesObject, ObjectName, Persisted } from '@keelson/apimachinery';
import type { ObjectView } from './object-view.ts';

/** Decides whether a read of a handle includes own writes. */
export interface StoreReadOptions {
  /**
   * Whether the read returns own writes that the watch has not received yet. Default true. With
   * false it returns what the event handlers have received.
   */
  readonly overlay?: boolean;
}

/** Selects objects of a store. An object must match every given option. */
export interface StoreListOptions extends StoreReadOptions {
  /** The namespace of the objects. Default: all namespaces, as with `""`. */
  readonly namespace?: string | undefined;
  /** A label selector. A `labelIndex` of one of its labels saves the scan. Default: all objects. */
  readonly labelSelector?: string;
  /**
   * A field selector. A `fieldIndex` of one of its fields saves the scan, in which a field outside the
   * metadata parses each candidate. Default: all objects.
   */
  readonly fieldSelector?: string;
  /** The name of an index and the value to look up in it. Default: no index. */
  readonly index?: { readonly name: string; readonly value: string } | undefined;
  /** The most objects that the list returns, from 1; no later one is parsed. Default: no limit. */
  readonly limit?: number | undefined;
}

/** Selects the objects of a list that runs in slices of 5 ms, and can abort it. */
export interface AsyncListOptions extends StoreListOptions {
  /** Ends the list: its promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/**
 * The objects of one watch, as its handles read them. It never sends a request.
 * Throws `NAMESPACE_REQUIRED` and `NAMESPACE_NOT_ALLOWED` for a name or namespace that does not fit
 * the scope of the kind, `INVALID_OPTION` for an invalid argument, and `HANDLE_RELEASED` after the
 * release of the handle.
 */
export interface ObjectStore<T extends KubernetesObject = KubernetesObject> {
  /** The number of objects. */
  readonly size: number;
  /** The size of all objects kept as bytes, outside the V8 heap. Objects kept parsed count 0. */
  readonly bytes: number;
  /**
   * The resourceVersion up to which the store is known to be current; `""` before the first sync.
   */
  readonly resourceVersion: string;
  /** Returns the object, parsed; `undefined` if it is not in the store. */
  get(name: ObjectName, options?: StoreReadOptions): DeepReadonly<Persisted<T>> | undefined;
  /** True if the object is in the store. Parses nothing. */
  has(name: ObjectName, options?: StoreReadOptions): boolean;
  /** Returns the object without parsing its body. */
  view(name: ObjectName, options?: StoreReadOptions): ObjectView<T> | undefined;
  /**
   * Returns the selected objects, parsed. It blocks the event loop: about 3 µs for each object
   * whose labels or metadata it compares, and one `JSON.parse` for each object in the result. Use
   * `listAsync` for more than a few thousand objects.
   */
  list(options?: StoreListOptions): DeepReadonly<Persisted<T>>[];
  /**
   * Returns the same objects as `list`, but works in slices of 5 ms. The result has the state at
   * the time of the call.
   */
  listAsync(options?: AsyncListOptions): Promise<DeepReadonly<Persisted<T>>[]>;
  /**
   * Returns the selected objects without parsing their bodies. It blocks the event loop as `list`
   * does.
   */
  views(options?: StoreListOptions): ObjectView<T>[];
}
