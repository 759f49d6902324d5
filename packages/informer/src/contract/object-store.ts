import type { DeepReadonly, KubernetesObject, ObjectName } from '@keelson/apimachinery';
import type { ObjectView } from './object-view.ts';

/** Computes the values under which an object is found; several, or none. */
export type Indexer<T extends KubernetesObject = KubernetesObject> =
  | {
      readonly name: string;
      /** From the metadata alone: costs no parse. */
      head(view: ObjectView<T>): readonly string[];
    }
  | {
      readonly name: string;
      /** From the whole object: every object is parsed as it arrives. */
      body(object: DeepReadonly<T>): readonly string[];
    };

/** Which objects of a store to list; every condition given has to hold. */
export interface StoreListOptions {
  /** All namespaces without it, and with `""`. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  /** Evaluated by scanning; fields other than metadata cost a parse per candidate. */
  readonly fieldSelector?: string;
  /** A named index and the value to look up. */
  readonly index?: { readonly name: string; readonly value: string } | undefined;
}

/** A list that is worked off in slices. */
export interface AsyncListOptions extends StoreListOptions {
  /** Ends the list: its promise rejects with the reason. */
  readonly signal?: AbortSignal;
}

/**
 * The objects of one watch, as read by its holders. Never sends a request. Throws
 * `NAMESPACE_REQUIRED` and `NAMESPACE_NOT_ALLOWED` for a name or namespace that the kind cannot have,
 * and `HANDLE_RELEASED` once the handle is released.
 */
export interface ObjectStore<T extends KubernetesObject = KubernetesObject> {
  readonly size: number;
  /** The bytes kept outside the V8 heap; objects that are kept parsed have none. */
  readonly bytes: number;
  /** The resourceVersion up to which the store is known to be current; `""` before the first sync. */
  readonly resourceVersion: string;
  get(name: ObjectName): DeepReadonly<T> | undefined;
  has(name: ObjectName): boolean;
  /** The object without parsing its body. */
  view(name: ObjectName): ObjectView<T> | undefined;
  /**
   * Blocks the event loop until it returns: about 3 µs for each object whose labels or metadata are
   * compared, and the time of `JSON.parse` for each object returned. Use `listAsync` for more than some thousands.
   */
  list(options?: StoreListOptions): DeepReadonly<T>[];
  /** The same list, worked off in slices of 5 ms. Changes of the store meanwhile do not show in it. */
  listAsync(options?: AsyncListOptions): Promise<DeepReadonly<T>[]>;
  /** Blocks the event loop as `list` does, without parsing what it returns. */
  views(options?: StoreListOptions): ObjectView<T>[];
}
