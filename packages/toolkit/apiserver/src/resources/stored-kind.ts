import type { ResourceStore } from '../storage/resource-store.ts';

/** A storage version and the last revision at which objects were stored in it. */
export interface StorageVersionPeriod {
  readonly version: string;
  readonly until: number;
}

/** How the stored objects of a custom resource may differ from its present definition. */
export interface StorageHistory {
  /** Earlier storage versions, oldest first. */
  readonly storageVersions: readonly StorageVersionPeriod[];
  /** True if the definition may have changed since an object was stored. */
  readonly schemaChanged: boolean;
}

/** A kind in the version in which its objects are stored, and their store. */
export interface StoredKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly store: ResourceStore;
  /** Absent for built-in kinds. */
  readonly history?: StorageHistory;
}
