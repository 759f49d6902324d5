import type { OwnerReference } from '@keelson/apimachinery';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Change } from '../storage/revision-log.ts';
import type { Storage } from '../storage/storage.ts';
import { keyOfMetadata, type StoredObject } from '../storage/stored-object.ts';
import type { BackgroundWork } from './background-work.ts';
import type { Warning } from './event-recorder.ts';
import { forEach } from './for-each.ts';
import { ObjectGraph, ownersOf } from './object-graph.ts';

/** How a delete treats the dependents of the object. */
export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

/** Keeps a deleted owner until its blocking dependents are gone. */
export const foregroundFinalizer = 'foregroundDeletion';
/** Keeps a deleted owner until the collector has removed it from its dependents' owner references. */
export const orphanFinalizer = 'orphan';

export interface GarbageCollectorContext {
  readonly storage: Storage;
  readonly registry: ResourceRegistry;
  readonly work: BackgroundWork;
  /** Deletes an object as a delete request would. */
  remove(resource: ServedResource, object: StoredObject, policy: PropagationPolicy): void;
  /** Updates the metadata of an object as an update request would. */
  update(
    resource: ServedResource,
    object: StoredObject,
    next: (current: ApiObject) => ApiObject,
  ): void;
  /** Writes an Event about an object. */
  warn(resource: ServedResource, object: StoredObject, warning: Warning): void;
}

/** The owner references of an object, grouped by the state of the owner. */
interface Owners {
  /** Owners that exist and keep the object. */
  readonly solid: readonly OwnerReference[];
  /** Owners that do not exist. */
  readonly dangling: readonly OwnerReference[];
  /** Owners in foreground deletion that wait for the object to be removed first. */
  readonly waiting: readonly OwnerReference[];
}

/**
 * Why no decision about an object is possible:
 *
 * - `unserved`: an owner has a kind that is not served. The object is kept until the kind is served: the collector of
 *   kube-controller-manager asks for it again and again, this one once.
 * - `unresolvable`: the object is cluster-scoped and an owner is namespaced, so that the reference names no object. The
 *   object is kept.
 */
type Undecided = 'unserved' | 'unresolvable';

/**
 * Deletes objects without existing owners and carries out foreground and orphan deletions. It follows the garbage
 * collector of kube-controller-manager, but reads the storage instead of watches. A reference names an owner by group,
 * kind, name and the namespace of the object; an owner with another uid counts as missing. One existing owner keeps an
 * object.
 */
export class GarbageCollector {
  readonly #context: GarbageCollectorContext;
  readonly #graph: ObjectGraph;
  readonly #stop: () => void;
  /** Objects with an owner of an unserved kind, by their uid. */
  readonly #unresolved = new Set<string>();

  constructor(context: GarbageCollectorContext) {
    this.#context = context;
    this.#graph = new ObjectGraph(context.storage);
    context.registry.onAdd(() => {
      for (const uid of this.#unresolved) this.#enqueue(uid);
      this.#unresolved.clear();
    });
    this.#stop = context.storage.onChange((store, change) => this.#changed(store, change));
  }

  close(): void {
    this.#stop();
  }

  #changed(store: ResourceStore, change: Change): void {
    this.#graph.update(store, change);
    this.#reportNamespaces(store, change);
    const { uid = '' } = change.object.metadata;
    if (change.type === 'DELETED') {
      this.#unresolved.delete(uid);
      for (const dependent of this.#graph.dependents(uid)) this.#enqueue(dependent);
      for (const owner of ownersOf(change.object)) this.#enqueue(owner.uid);
      return;
    }
    // The deletion of an owner may continue when a reference to it is removed or stops blocking. It comes before the object,
    // which may be deleted only after it.
    for (const owner of change.previous ? ownersOf(change.previous) : []) {
      if (this.#isDeleting(owner.uid)) this.#enqueue(owner.uid);
    }
    if (needsAttention(change.object)) this.#enqueue(uid);
  }

  #enqueue(uid: string): void {
    this.#context.work.add(`collect ${uid}`, () => this.#process(uid));
  }

  #isDeleting(uid: string): boolean {
    return this.#graph.find(uid)?.object.metadata.deletionTimestamp !== undefined;
  }

  #process(uid: string): void {
    const found = this.#graph.find(uid);
    const resource = found && this.#resourceOf(found.store);
    if (found === undefined || resource === undefined) return;
    const { metadata } = found.object;
    if (metadata.deletionTimestamp === undefined) {
      this.#collect(resource, found.object);
    } else if (metadata.finalizers?.includes(orphanFinalizer) === true) {
      this.#orphan(resource, found.object);
    } else if (metadata.finalizers?.includes(foregroundFinalizer) === true) {
      this.#deleteDependents(resource, found.object);
    }
  }

  #resourceOf(store: ResourceStore): ServedResource | undefined {
    return this.#context.registry.anyVersion(store.group, store.plural);
  }

  /** Deletes an object without existing owners; otherwise removes its references to missing owners. */
  #collect(resource: ServedResource, object: StoredObject): void {
    if (ownersOf(object).length === 0) return;
    const owners = this.#classify(object);
    if (owners === 'unserved') this.#unresolved.add(object.metadata.uid ?? '');
    if (owners === 'unserved' || owners === 'unresolvable') return;
    const { solid, dangling, waiting } = owners;
    if (solid.length > 0) {
      const gone = new Set([...dangling, ...waiting].map(({ uid }) => uid));
      if (gone.size > 0) this.#forget(resource, object, gone);
      return;
    }
    const dependents = this.#dependentsOf(object);
    const foreground = waiting.length > 0 && dependents.length > 0;
    const mayBeCircle = foreground && dependents.some(([, dependent]) => isWaiting(dependent));
    // kube-controller-manager deletes the object under the version that it read before, and tries again after the conflict.
    if (mayBeCircle && isBlocking(object)) return this.#unblock(resource, object);
    this.#context.remove(resource, object, foreground ? 'Foreground' : policyOf(object));
  }

  /** Groups the owner references of an object, unless one of them prevents a decision. */
  #classify(object: StoredObject): Owners | Undecided {
    const references = ownersOf(object);
    const solid: OwnerReference[] = [];
    const dangling: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const reference of references) {
      const owner = this.#ownerOf(object, reference);
      if (typeof owner === 'string') return owner;
      if (owner === undefined) dangling.push(reference);
      else if (isWaiting(owner)) waiting.push(reference);
      else solid.push(reference);
    }
    return { solid, dangling, waiting };
  }

  #ownerOf(
    object: StoredObject,
    { apiVersion, kind, name, uid }: OwnerReference,
  ): StoredObject | Undecided | undefined {
    const resource = this.#context.registry.byKind(apiVersion, kind);
    if (resource === undefined) return 'unserved';
    const { namespace } = object.metadata;
    if (resource.facts.namespaced && namespace === undefined) return 'unresolvable';
    const place = resource.facts.namespaced && namespace !== undefined ? { namespace } : {};
    const owner = resource.store.get(keyOfMetadata({ ...place, name }));
    return owner?.metadata.uid === uid ? owner : undefined;
  }

  /** Writes an Event about the first new reference to an object of another namespace. */
  #reportNamespaces(store: ResourceStore, { type, object, previous }: Change): void {
    if (type === 'DELETED' || ownersOf(object).length === 0) return;
    const { namespace = '' } = object.metadata;
    const known = new Set(previous ? ownersOf(previous).map(({ uid }) => uid) : []);
    const references = ownersOf(object).filter(({ uid }) => !known.has(uid));
    const wrong = references.find((reference) => this.#isElsewhere(reference, namespace));
    if (wrong === undefined) return;
    const { apiVersion, kind, name, uid } = wrong;
    const identity = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    const message = `ownerRef ${identity} does not exist in namespace ${JSON.stringify(namespace)}`;
    const resource = this.#resourceOf(store);
    if (resource === undefined) return;
    this.#context.work.add(`report owner of ${object.metadata.uid}`, () => {
      this.#context.warn(resource, object, { reason: 'OwnerRefInvalidNamespace', message });
    });
  }

  #isElsewhere({ uid }: OwnerReference, namespace: string): boolean {
    const owner = this.#graph.find(uid)?.object.metadata.namespace;
    return owner !== undefined && owner !== namespace;
  }

  #orphan(resource: ServedResource, owner: StoredObject): void {
    const uids = new Set([owner.metadata.uid ?? '']);
    forEach(this.#dependentsOf(owner), ([dependentResource, dependent]) => {
      this.#forget(dependentResource, dependent, uids);
    });
    this.#removeFinalizer(resource, owner, orphanFinalizer);
  }

  /** Removes the foreground finalizer of the owner once no dependent blocks its deletion. */
  #deleteDependents(resource: ServedResource, owner: StoredObject): void {
    const { uid } = owner.metadata;
    const dependents = this.#dependentsOf(owner);
    const blocking = dependents.filter(([, dependent]) =>
      ownersOf(dependent).some(
        (reference) => reference.uid === uid && reference.blockOwnerDeletion === true,
      ),
    );
    if (blocking.length === 0) this.#removeFinalizer(resource, owner, foregroundFinalizer);
    // One in foreground deletion continues when its own dependents change. Without this, a circle would never come to rest.
    for (const [, dependent] of dependents) {
      if (!isWaiting(dependent)) this.#enqueue(dependent.metadata.uid ?? '');
    }
  }

  #dependentsOf(owner: StoredObject): [ServedResource, StoredObject][] {
    const found: [ServedResource, StoredObject][] = [];
    for (const uid of this.#graph.dependents(owner.metadata.uid ?? '')) {
      const dependent = this.#graph.find(uid);
      const resource = dependent && this.#resourceOf(dependent.store);
      if (dependent && resource) found.push([resource, dependent.object]);
    }
    return found;
  }

  /** Lets the owners of the object go first: else a circle of owners would wait for itself. The change queues the object again. */
  #unblock(resource: ServedResource, object: StoredObject): void {
    this.#context.update(resource, object, (current) => {
      for (const reference of current.metadata.ownerReferences ?? []) {
        if (reference.blockOwnerDeletion === true) reference.blockOwnerDeletion = false;
      }
      return current;
    });
  }

  #forget(resource: ServedResource, object: StoredObject, uids: ReadonlySet<string>): void {
    this.#context.update(resource, object, (current) => {
      const left = current.metadata.ownerReferences?.filter(({ uid }) => !uids.has(uid)) ?? [];
      if (left.length > 0) current.metadata.ownerReferences = left;
      else delete current.metadata.ownerReferences;
      return current;
    });
  }

  #removeFinalizer(resource: ServedResource, object: StoredObject, finalizer: string): void {
    this.#context.update(resource, object, (current) => {
      const left = current.metadata.finalizers?.filter((name) => name !== finalizer) ?? [];
      if (left.length > 0) current.metadata.finalizers = left;
      else delete current.metadata.finalizers;
      return current;
    });
  }
}

function needsAttention(object: StoredObject): boolean {
  return ownersOf(object).length > 0 || object.metadata.deletionTimestamp !== undefined;
}

function isBlocking(object: StoredObject): boolean {
  return ownersOf(object).some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
}

function isWaiting({ metadata }: StoredObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    metadata.finalizers?.includes(foregroundFinalizer) === true
  );
}

/** Keeps the propagation policy of an earlier delete of the object. */
function policyOf({ metadata }: StoredObject): PropagationPolicy {
  if (metadata.finalizers?.includes(orphanFinalizer) === true) return 'Orphan';
  return metadata.finalizers?.includes(foregroundFinalizer) === true ? 'Foreground' : 'Background';
}
