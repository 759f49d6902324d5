import type { ApiResource, KubernetesObject, Persisted } from '@keelson/apimachinery';
import type { Indexer } from './indexer.ts';
import type { WatchPart } from './watch-part.ts';

/** The part of each object that the server sends: all of it, or `PartialObjectMetadata`. */
export type Projection = 'full' | 'metadata';

/**
 * How the store keeps objects.
 * - `lazy`: the bytes of the response. An object is parsed when it is read, and the most recent
 *   results stay (see `parsedBytes`).
 * - `object`: parsed on arrival, for small kinds with many reads.
 * - `compressed`: as `lazy`, but the bytes are deflated when they have not changed for a second, for
 *   large kinds with few reads. A read of the metadata inflates the object too.
 * - `metadata`: the metadata only. It means the same as `projection: 'metadata'`.
 */
export type Retention = 'lazy' | 'object' | 'compressed' | 'metadata';

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
  /** The namespace of the objects. Default: all namespaces. */
  readonly namespace?: string;
  /** A label selector such as `app=web`. Default: all objects. */
  readonly labelSelector?: string;
  /** A field selector such as `spec.nodeName=a`. Default: all objects. */
  readonly fieldSelector?: string;
  /**
   * The part of each object that the server sends. With `metadata`, objects have no body, and the handle has only their
   * metadata. Default `full`.
   */
  readonly projection?: Projection;
  /** Changes each object on arrival; the watch then parses every object. Default: none. */
  readonly transform?: NamedTransform<T>;
  /**
   * Indexes that are added with the handle and removed with it. They do not affect which handles
   * share a watch. Default: none.
   */
  readonly indexers?: readonly Indexer<NoInfer<T>>[];
  /**
   * How the store keeps the objects. Default: as other handles of the watch request it, otherwise `lazy`. If handles of
   * a watch differ, the first of `object`, `lazy`, `compressed` applies. Only `metadata` affects which handles share a
   * watch, because it is a projection.
   */
  readonly retain?: Retention;
  /**
   * The number of objects in one page of a list, from 1 to 10 000. Default 500. The largest value of
   * the handles applies to the whole watch; it does not affect which handles share one.
   */
  readonly pageSize?: number;
  /** Whether a watch of a wider query may serve this one. Default `views`. */
  readonly sharing?: Sharing;
  /**
   * Keeps only a part of the objects, such as the shard of this replica. Queries with a part share a watch only with
   * queries of the same part, and reads of the whole cache are not served from it. Default: all objects.
   */
  readonly part?: WatchPart;
}

/** A query of the metadata: its objects have no body. */
export type MetadataQuery<T extends KubernetesObject = KubernetesObject> = WatchQuery<T> &
  ({ readonly projection: 'metadata' } | { readonly retain: 'metadata' });

/** A query in normal form, from which the cache creates a lister-watcher. */
export interface NormalQuery {
  readonly resource: ApiResource;
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly projection: Projection;
}
