import type { ApiResource, KubernetesObject, Persisted } from '@keelson/apimachinery';
import type { Indexer } from './object-store.ts';

/** The part of each object that the server sends: all of it, or `PartialObjectMetadata`. */
export type Projection = 'full' | 'metadata';

/**
 * How the store keeps objects. `lazy` keeps the bytes of the response, parses them when
 * they are read, and keeps the most recent results (see `parsedBytes`). `object` parses on arrival; use it for small kinds with many reads.
 */
export type Retention = 'lazy' | 'object';

/**
 * Whether a watch of a wider query may serve a query.
 * - `views`: a wider watch of the kind serves the query while one runs.
 * - `exact`: the query always has the watch of exactly this query.
 */
export type Sharing = 'views' | 'exact';

/**
 * Changes objects before they are stored. One name means one function: a watch of the same kind
 * with another function of this name throws `TRANSFORM_CONFLICT`.
 */
export interface NamedTransform<T extends KubernetesObject = KubernetesObject> {
  /** Identifies the function, and is part of the identity of the watch. */
  readonly name: string;
  /** Called once per object version; may change and return its argument. */
  apply(object: Persisted<T>): T;
}

/** Selects the objects that a watch keeps in its store. */
export interface WatchQuery<T extends KubernetesObject = KubernetesObject> {
  /** The watched kind. */
  readonly resource: ApiResource<T>;
  /** Default: all namespaces. */
  readonly namespace?: string;
  /** A label selector such as `app=web`. Default: all objects. */
  readonly labelSelector?: string;
  /** A field selector such as `spec.nodeName=a`. Default: all objects. */
  readonly fieldSelector?: string;
  /** Default `full`. */
  readonly projection?: Projection;
  /** Changes each object on arrival; the watch then parses every object. Default: none. */
  readonly transform?: NamedTransform<T>;
  /**
   * Indexes that are added with the handle and removed with it. They do not affect which handles
   * share a watch. Default: none.
   */
  readonly indexers?: readonly Indexer<T>[];
  /**
   * Default `lazy`; `object` applies while at least one handle requests it. It does not affect
   * which handles share a watch.
   */
  readonly retain?: Retention;
  /**
   * The number of objects in one page of a list, from 1 to 10 000. Default 500. The largest value of
   * the handles applies to the whole watch; it does not affect which handles share one.
   */
  readonly pageSize?: number;
  /** Default `views`. */
  readonly sharing?: Sharing;
}

/** A query in normal form, from which the cache creates a lister-watcher. */
export interface NormalQuery {
  readonly resource: ApiResource;
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly projection: Projection;
}
