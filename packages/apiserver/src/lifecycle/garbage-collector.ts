import type { OwnerReference } from '@keelson/apimachinery';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Change } from '../storage/revision-log.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { BackgroundWork } from './background-work.ts';
import { forEach } from './for-each.ts';
import { ObjectGraph, ownersOf } from './object-graph.ts';

/** What happens to the dependents of a deleted object. */
export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

/** Holds a deleted owner until its blocking dependents have gone. */
export const foregroundFinalizer = 'foregroundDeletion';
/** Holds a deleted owner until its dependents have forgotten it. */
export const orphanFinalizer = 'orphan';

/** What the collector takes from the server. */
export interface GarbageCollectorContext {
  readonly storage: Storage;
  readonly registry: ResourceRegistry;
  readonly work: BackgroundWork;
  /** Deletes an object as a client would. */
  remove(resource: ServedResource, object: StoredObject, policy: PropagationPolicy): void;
  /** Updates the metadata of an object as a client would. */
  update(
    resource: ServedResource,
    object: StoredObject,
    next: (current: ApiObject) => ApiObject,
  ): void;
}

/** The owners of an object, told apart by what has become of them. */
interface Owners {
  /** Exist, and keep the object. */
  readonly solid: readonly OwnerReference[];
  /** Have gone, or never existed here. */
  readonly dangling: readonly OwnerReference[];
  /** Are deleted in the foreground and wait for the object to go first. */
  readonly waiting: readonly OwnerReference[];
}

/**
 * Deletes objects whose owners have gone and carries out foreground and orphan deletions: the garbage
 * collector of kube-controller-manager, over the whole storage instead of watches. It keeps its rules:
 * an owner in another namespace does not exist, one solid owner is enough to stay, and an object whose
 * owner is of a kind that is not served is left alone.
 */
export class GarbageCollector {
  readonly #context: GarbageCollectorContext;
  readonly #graph: ObjectGraph;
  readonly #stop: () => void;

  constructor(context: GarbageCollectorContext) {
    this.#context = context;
    this.#graph = new ObjectGraph(context.storage);
    this.#stop = context.storage.onChange((store, change) => this.#changed(store, change));
  }

  close(): void {
    this.#stop();
  }

  #changed(store: ResourceStore, change: Change): void {
    this.#graph.update(store, change);
    const { uid = '' } = change.object.metadata;
    if (change.type === 'DELETED') {
      for (const dependent of this.#graph.dependents(uid)) this.#enqueue(dependent);
      for (const owner of ownersOf(change.object)) this.#enqueue(owner.uid);
      return;
    }
    if (needsAttention(change.object)) this.#enqueue(uid);
    // A reference that is gone, or blocks no longer, may set its owner free.
    for (const owner of change.previous ? ownersOf(change.previous) : []) {
      if (this.#isDeleting(owner.uid)) this.#enqueue(owner.uid);
    }
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

  /** Deletes an object that no owner keeps; takes the references to others out where one does. */
  #collect(resource: ServedResource, object: StoredObject): void {
    const owners = this.#classify(object);
    if (owners === undefined) return;
    const { solid, dangling, waiting } = owners;
    if (solid.length > 0) {
      const gone = new Set([...dangling, ...waiting].map(({ uid }) => uid));
      if (gone.size > 0) this.#forget(resource, object, gone);
      return;
    }
    const hasDependents = this.#graph.dependents(object.metadata.uid ?? '').size > 0;
    const foreground = waiting.length > 0 && hasDependents;
    this.#context.remove(resource, object, foreground ? 'Foreground' : policyOf(object));
  }

  /** `undefined`: nothing to do, or an owner's kind is unknown and nobody can tell. */
  #classify(object: StoredObject): Owners | undefined {
    const references = ownersOf(object);
    if (references.length === 0) return undefined;
    const solid: OwnerReference[] = [];
    const dangling: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const reference of references) {
      if (this.#context.registry.byKind(reference.apiVersion, reference.kind) === undefined) {
        return undefined;
      }
      const owner = this.#ownerOf(object, reference);
      if (owner === undefined) dangling.push(reference);
      else if (isWaiting(owner)) waiting.push(reference);
      else solid.push(reference);
    }
    return { solid, dangling, waiting };
  }

  #ownerOf(object: StoredObject, reference: OwnerReference): StoredObject | undefined {
    const owner = this.#graph.find(reference.uid)?.object;
    if (owner === undefined || owner.metadata.name !== reference.name) return undefined;
    const { namespace } = owner.metadata;
    return namespace === undefined || namespace === object.metadata.namespace ? owner : undefined;
  }

  #orphan(resource: ServedResource, owner: StoredObject): void {
    const uids = new Set([owner.metadata.uid ?? '']);
    forEach(this.#dependentsOf(owner), ([dependentResource, dependent]) => {
      this.#forget(dependentResource, dependent, uids);
    });
    this.#removeFinalizer(resource, owner, orphanFinalizer);
  }

  /** Sets the owner free once nothing that blocks its deletion is left. */
  #deleteDependents(resource: ServedResource, owner: StoredObject): void {
    const { uid } = owner.metadata;
    const dependents = this.#dependentsOf(owner);
    const blocking = dependents.filter(([, dependent]) =>
      ownersOf(dependent).some(
        (reference) => reference.uid === uid && reference.blockOwnerDeletion === true,
      ),
    );
    if (blocking.length === 0) this.#removeFinalizer(resource, owner, foregroundFinalizer);
    for (const [, dependent] of dependents) this.#enqueue(dependent.metadata.uid ?? '');
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

function isWaiting({ metadata }: StoredObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    metadata.finalizers?.includes(foregroundFinalizer) === true
  );
}

/** An object that was to be deleted in some way before is deleted in that way. */
function policyOf({ metadata }: StoredObject): PropagationPolicy {
  if (metadata.finalizers?.includes(orphanFinalizer) === true) return 'Orphan';
  return metadata.finalizers?.includes(foregroundFinalizer) === true ? 'Foreground' : 'Background';
}
