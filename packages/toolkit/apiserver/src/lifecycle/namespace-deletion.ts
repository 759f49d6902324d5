import { ensureObject, objectAt } from '../json/json-members.ts';
import { timestamp } from '../schema/clock.ts';
import { asJson } from '@keelson/structural-schema';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Change } from '../storage/revision-log.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { BackgroundWork } from './background-work.ts';
import { errorsOf, throwAll } from './for-each.ts';
import type { PropagationPolicy } from './garbage-collector.ts';
import {
  deletionConditions,
  type NamespaceCondition,
  type RemainingContent,
} from './namespace-conditions.ts';

const finalizer = 'kubernetes';

export interface NamespaceDeletionContext {
  readonly storage: Storage;
  readonly registry: ResourceRegistry;
  readonly namespaces: ResourceStore;
  readonly work: BackgroundWork;
  /** Deletes an object as a delete request would. */
  remove(resource: ServedResource, object: StoredObject, policy: PropagationPolicy): void;
  readonly now: () => number;
  /** Updates the status of a namespace. */
  updateStatus(namespace: StoredObject, next: (current: ApiObject) => ApiObject): void;
  /** Updates a namespace through its `finalize` subresource. */
  finalize(namespace: StoredObject, next: (current: ApiObject) => ApiObject): void;
}

/**
 * Empties a namespace that is being deleted, then removes the finalizer `kubernetes` from its spec. It corresponds to
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
    if (namespace === undefined || !isDeleting(namespace) || !hasFinalizer(namespace)) return;
    const errors = errorsOf(this.#contentOf(name), ([resource, object]) => {
      if (!isDeleting(object)) this.#context.remove(resource, object, 'Background');
    });
    const objects = this.#contentOf(name);
    this.#report(namespace, { objects, errors });
    if (objects.length === 0) this.#finalize(namespace);
    throwAll(errors);
  }

  /** Reports in the status of the namespace why its deletion has not finished. */
  #report(namespace: StoredObject, remaining: RemainingContent): void {
    const now = timestamp(this.#context.now());
    this.#context.updateStatus(namespace, (current) => {
      const status = ensureObject(asJson(current), 'status');
      const before = (status.conditions ?? []) as unknown as readonly NamespaceCondition[];
      const conditions = deletionConditions(before, remaining, now);
      return Object.assign(current, { status: { ...status, conditions } });
    });
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

/** True until the namespace controller has removed its finalizer; finalizers of others may remain after that. */
function hasFinalizer(namespace: StoredObject): boolean {
  const { finalizers } = objectAt(asJson(namespace.parse()), 'spec');
  return Array.isArray(finalizers) && finalizers.includes(finalizer);
}
