import type { ApiResource, KubernetesObject, Persisted } from '@keelson/apimachinery';
import type { Indexer } from './object-store.ts';

/** The part of each object that the server sends: all of it, or `PartialObjectMetadata`. */
export type Projection = 'full' | 'metadata';

/**
 * How the store keeps objects. `lazy` keeps the bytes of the response and parses them on each read.
 * `object` parses on arrival; use it for small kinds with many reads.
 */
export type Retention = 'lazy' | 'object';

/**
 * Changes objects before they are stored. One name means one function: a watch of the same kind
 * with another function of this name throws `TRANSFORM_CONFLICT`.
 */
export interface NamedTransform<T extends KubernetesObject = KubernetesObject> {
  readonly name: string;
  /** Called once per object version; may change and return its argument. */
  apply(object: Persisted<T>): T;
}

/** Selects the objects that a watch keeps in its store. */
export interface WatchQuery<T extends KubernetesObject = KubernetesObject> {
  readonly resource: ApiResource<T>;
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Default `full`. */
  readonly projection?: Projection;
  /** The watch parses every object on arrival. */
  readonly transform?: NamedTransform<T>;
  /**
   * Indexes that are added with the handle and removed with it. They do not affect which handles
   * share a watch.
   */
  readonly indexers?: readonly Indexer<T>[];
  /**
   * Default `lazy`; `object` applies while at least one handle requests it. It does not affect
   * which handles share a watch.
   */
  readonly retain?: Retention;
}

/** A query in normal form, from which the cache creates a lister-watcher. */
export interface NormalQuery {
  readonly resource: ApiResource;
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly projection: Projection;
}
