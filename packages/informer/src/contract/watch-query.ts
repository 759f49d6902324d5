import type { ApiResource, KubernetesObject } from '@keelson/apimachinery';
import type { Indexer } from './object-store.ts';

/** How much of each object travels: all of it, or `PartialObjectMetadata`. */
export type Projection = 'full' | 'metadata';

/**
 * How objects are kept: as the bytes they came in and parsed when read (`lazy`), or parsed at once
 * (`object`: for small kinds that are read all the time).
 */
export type Retention = 'lazy' | 'object';

/**
 * Changes objects on their way into the store. The name stands for the function: another function of the same
 * name on a watch of the same kind is refused (`TRANSFORM_CONFLICT`).
 */
export interface NamedTransform<T extends KubernetesObject = KubernetesObject> {
  readonly name: string;
  /** Runs exactly once per object version; may change and return its argument. */
  apply(object: T): T;
}

/** What to watch. */
export interface WatchQuery<T extends KubernetesObject = KubernetesObject> {
  readonly resource: ApiResource<T>;
  /** All namespaces without it. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Default `full`. */
  readonly projection?: Projection;
  /** Makes the watch parse every object as it arrives. */
  readonly transform?: NamedTransform<T>;
  /** Indexes to find objects by, added with the handle and removed with it. Not part of the identity. */
  readonly indexers?: readonly Indexer<T>[];
  /** Default `lazy`. Not part of the identity: `object` wins while one handle asks for it. */
  readonly retain?: Retention;
}

/** A query in normal form: what a lister-watcher has to be made for. */
export interface NormalQuery {
  readonly resource: ApiResource;
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly projection: Projection;
}
