import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Change } from '../storage/revision-log.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { BackgroundWork } from './background-work.ts';
import { forEach } from './for-each.ts';
import type { PropagationPolicy } from './garbage-collector.ts';

const finalizer = 'kubernetes';

/** What the deletion of namespaces takes from the server. */
export interface NamespaceDeletionContext {
  readonly storage: Storage;
  readonly registry: ResourceRegistry;
  readonly namespaces: ResourceStore;
  readonly work: BackgroundWork;
  /** Deletes an object as a client would. */
  remove(resource: ServedResource, object: StoredObject, policy: PropagationPolicy): void;
  /** Updates a namespace through its `finalize` subresource. */
  finalize(namespace: StoredObject, next: (current: ApiObject) => ApiObject): void;
}

/**
 * Empties a namespace that is being deleted, then takes the finalizer `kubernetes` out of its spec:
 * the namespace controller of kube-controller-manager.
 */
export class NamespaceDeletion {
  readonly #context: NamespaceDeletionContext;
  readonly #stop: () => void;

  constructor(context: NamespaceDeletionContext) {
    this.#context = context;
    this.#stop = context.storage.onChange((store, change) => this.#changed(store, change));
  }

  close(): void {
    this.#stop();
  }

  #changed(store: ResourceStore, change: Change): void {
    if (store === this.#context.namespaces) {
      if (change.type !== 'DELETED' && isDeleting(change.object)) this.#enqueue(change.object.key);
      return;
    }
    const { namespace } = change.object.metadata;
    if (change.type === 'DELETED' && namespace !== undefined && this.#isDeleting(namespace)) {
      this.#enqueue(namespace);
    }
  }

  #isDeleting(name: string): boolean {
    const namespace = this.#context.namespaces.get(name);
    return namespace !== undefined && isDeleting(namespace);
  }

  #enqueue(name: string): void {
    this.#context.work.add(`empty namespace ${name}`, () => this.#empty(name));
  }

  #empty(name: string): void {
    const namespace = this.#context.namespaces.get(name);
    if (namespace === undefined || !isDeleting(namespace)) return;
    forEach(this.#contentOf(name), ([resource, object]) => {
      if (!isDeleting(object)) this.#context.remove(resource, object, 'Background');
    });
    if (this.#contentOf(name).length === 0) this.#finalize(namespace);
  }

  #contentOf(namespace: string): [ServedResource, StoredObject][] {
    const found: [ServedResource, StoredObject][] = [];
    for (const store of this.#context.storage.stores()) {
      const resource = this.#context.registry.anyVersion(store.group, store.plural);
      if (resource === undefined || !resource.facts.namespaced) continue;
      for (const object of store.values()) {
        if (object.metadata.namespace === namespace) found.push([resource, object]);
      }
    }
    return found;
  }

  #finalize(namespace: StoredObject): void {
    this.#context.finalize(namespace, (current) => {
      const spec = (current['spec'] ?? {}) as { finalizers?: string[] };
      current['spec'] = {
        ...spec,
        finalizers: spec.finalizers?.filter((name) => name !== finalizer) ?? [],
      };
      return current;
    });
  }
}

function isDeleting({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
