import { asJson } from '@keelson/structural-schema';
import { objectAt } from '../json/json-members.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { BackgroundWork } from './background-work.ts';

export interface StorageProtectionContext {
  readonly storage: Storage;
  readonly registry: ResourceRegistry;
  readonly work: BackgroundWork;
  /** Updates the metadata of an object as an update request would. */
  update(
    resource: ServedResource,
    object: StoredObject,
    next: (current: ApiObject) => ApiObject,
  ): void;
}

/** The finalizer that admission adds to new objects of these resources. */
const finalizers: Readonly<Record<string, string>> = {
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  persistentvolumes: 'kubernetes.io/pv-protection',
};

/**
 * Removes the protection finalizers of deleted volumes and claims. A bound volume keeps its own. kube-controller-manager also
 * waits until no running pod uses a claim; this server runs no pods.
 */
export class StorageProtection {
  readonly #context: StorageProtectionContext;
  readonly #stop: () => void;

  constructor(context: StorageProtectionContext) {
    this.#context = context;
    this.#stop = context.storage.onChange((store, { type, object }) => {
      if (store.group !== '' || type === 'DELETED') return;
      const finalizer = finalizers[store.plural];
      if (finalizer === undefined || !isHeld(object, finalizer)) return;
      context.work.add(`release ${store.plural} ${object.key}`, () =>
        this.#release(store.plural, object.key, finalizer),
      );
    });
  }

  close(): void {
    this.#stop();
  }

  #release(plural: string, key: string, finalizer: string): void {
    const resource = this.#context.registry.find({ group: '', version: 'v1', plural });
    const object = resource?.store.get(key);
    if (resource === undefined || object === undefined || !isHeld(object, finalizer)) return;
    if (plural === 'persistentvolumes' && isBound(resource.read(object))) return;
    this.#context.update(resource, object, (current) => {
      const left = current.metadata.finalizers?.filter((name) => name !== finalizer) ?? [];
      if (left.length > 0) current.metadata.finalizers = left;
      else delete current.metadata.finalizers;
      return current;
    });
  }
}

function isBound(volume: ApiObject): boolean {
  return objectAt(asJson(volume), 'status').phase === 'Bound';
}

function isHeld({ metadata }: StoredObject, finalizer: string): boolean {
  return (
    metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true
  );
}
