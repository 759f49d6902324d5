import { timestamp } from '../schema/clock.ts';
import { jsonEquals } from '../json/json-value.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { conflict, forbidden, notFound } from '../failures/status-answers.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { DeleteOptions } from './delete-options.ts';
import { isFinished } from './writes/object-writer.ts';

/** What a delete came to. */
export interface Removal {
  /** The last state of the object, or the state in which it waits. */
  readonly object: StoredObject;
  /** False: something still keeps the object alive. */
  readonly gone: boolean;
}

/** The finalizers by which a propagation policy waits for the garbage collector. */
const policyFinalizers = { Foreground: 'foregroundDeletion', Orphan: 'orphan' } as const;

/** Removes objects, or marks them for removal while finalizers or a grace period keep them. */
export class ObjectRemover {
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  remove(resource: ServedResource, key: string, options: DeleteOptions): Removal {
    const stored = resource.store.get(key);
    const name = key.slice(key.indexOf('/') + 1);
    if (stored === undefined) throw notFound(resource.subject(name));
    if (resource.id === 'v1/namespaces' && immortal.has(name)) {
      throw forbidden(resource.subject(name), 'this namespace may not be deleted');
    }
    if (resource.id === 'scheduling.k8s.io/v1/priorityclasses' && name.startsWith('system-')) {
      const why = 'this is a system priority class and cannot be deleted';
      throw forbidden(resource.subject(name), why);
    }
    checkPreconditions(resource, stored, options);
    const current = resource.read(stored);
    const marked = this.#marked(resource, current, options);
    if (!isFinished(resource, marked)) {
      return { object: this.#keep(resource, stored, current, marked, options), gone: false };
    }
    if (options.dryRun) return { object: this.#shown(resource, stored, marked), gone: true };
    return { object: this.#take(resource, stored, marked), gone: true };
  }

  /** The object as it waits for its end. */
  #marked(resource: ServedResource, current: ApiObject, options: DeleteOptions): ApiObject {
    const marked = { ...current, metadata: { ...current.metadata } };
    const { metadata } = marked;
    const finalizers = finalizersAfter(resource, current, options);
    delete metadata.finalizers;
    if (finalizers.length > 0) metadata.finalizers = finalizers;
    const grace = gracePeriodOf(resource, current, options);
    if (metadata.deletionTimestamp === undefined) {
      metadata.deletionTimestamp = timestamp(this.#now() + grace * 1000);
      metadata.deletionGracePeriodSeconds = grace;
      if (metadata.generation !== undefined) metadata.generation += 1;
    } else if (grace < (metadata.deletionGracePeriodSeconds ?? 0)) {
      metadata.deletionTimestamp = timestamp(this.#now() + grace * 1000);
      metadata.deletionGracePeriodSeconds = grace;
    }
    if (resource.id === 'v1/namespaces') markNamespace(marked);
    if (resource.id === crds) markDefinition(marked, this.#now());
    return marked;
  }

  /** Stores the mark, unless the object has had it before. */
  #keep(
    resource: ServedResource,
    stored: StoredObject,
    current: ApiObject,
    marked: ApiObject,
    options: DeleteOptions,
  ): StoredObject {
    if (jsonEquals(current, marked)) return stored;
    const object = resource.toStored(marked);
    return options.dryRun ? resource.store.draft(object) : resource.store.put(object);
  }

  /** What a dry run shows of an object that would go: of a pod its mark as well. */
  #shown(resource: ServedResource, stored: StoredObject, marked: ApiObject): StoredObject {
    if (resource.id !== 'v1/pods') return stored;
    return resource.store.draft(resource.toStored(marked));
  }

  /** A pod is told as marked before it goes, as its kubelet would need it. */
  #take(resource: ServedResource, stored: StoredObject, marked: ApiObject): StoredObject {
    if (resource.id !== 'v1/pods') return resource.store.remove(stored);
    return resource.store.remove(resource.store.put(resource.toStored(marked)));
  }
}

/** Namespaces without which a cluster would not work. */
const immortal: ReadonlySet<string> = new Set(['default', 'kube-public', 'kube-system']);

const crds = 'apiextensions.k8s.io/v1/customresourcedefinitions';
/** Keeps a definition until its instances are gone. */
export const definitionFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

function checkPreconditions(
  resource: ServedResource,
  { metadata }: StoredObject,
  { preconditions }: DeleteOptions,
): void {
  const { uid, resourceVersion } = preconditions;
  const { kind, group } = resource.facts;
  const subject = { group, kind, plural: kind, name: metadata.name ?? '' };
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      subject,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      subject,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

function finalizersAfter(
  resource: ServedResource,
  current: ApiObject,
  { propagationPolicy }: DeleteOptions,
): string[] {
  const { finalizers = [] } = current.metadata;
  const wanted = finalizerOf(resource, finalizers, propagationPolicy);
  const own: readonly string[] = Object.values(policyFinalizers);
  const others = finalizers.filter((finalizer) => !own.includes(finalizer));
  const before = resource.id === crds && !others.includes(definitionFinalizer);
  return [
    ...others,
    ...(before ? [definitionFinalizer] : []),
    ...(wanted === undefined ? [] : [wanted]),
  ];
}

/** Without a policy an existing finalizer of one decides, then the kind. */
function finalizerOf(
  resource: ServedResource,
  finalizers: readonly string[],
  policy: DeleteOptions['propagationPolicy'],
): string | undefined {
  if (policy === 'Background') return undefined;
  if (policy !== undefined) return policyFinalizers[policy];
  const present = Object.values(policyFinalizers).find((name) => finalizers.includes(name));
  return present ?? (resource.strategy.orphansByDefault ? policyFinalizers.Orphan : undefined);
}

/** Only pods have a grace period, and only when a kubelet has to stop them. */
function gracePeriodOf(
  resource: ServedResource,
  current: ApiObject,
  { gracePeriodSeconds }: DeleteOptions,
): number {
  if (resource.id !== 'v1/pods') return 0;
  const pod = current as {
    spec?: { nodeName?: string; terminationGracePeriodSeconds?: number };
    status?: { phase?: string };
  };
  if ((pod.spec?.nodeName ?? '') === '') return 0;
  if (['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')) return 0;
  return Math.max(0, gracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 30);
}

function markNamespace(namespace: ApiObject): void {
  const { status } = namespace as { status?: object };
  namespace['status'] = { ...status, phase: 'Terminating' };
  delete namespace.metadata.deletionGracePeriodSeconds;
}

/** A definition is marked by its own registry: no generation, no grace period, a condition. */
function markDefinition(definition: ApiObject, now: number): void {
  const { status } = definition as { status?: { conditions?: { type: string }[] | null } };
  const conditions = status?.conditions ?? [];
  if (conditions.some(({ type }) => type === 'Terminating')) return;
  const { metadata } = definition;
  delete metadata.deletionGracePeriodSeconds;
  if (metadata.generation !== undefined) metadata.generation -= 1;
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: 'InstanceDeletionPending',
    message:
      'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  definition['status'] = { ...status, conditions: [...conditions, terminating] };
}
