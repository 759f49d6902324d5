import { timestamp } from '../schema/clock.ts';
import { jsonEquals } from '@keelson/structural-schema';
import type { ServedResource } from '../resources/served-resource.ts';
import { conflict, forbidden, notFound } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { AdmissionChain } from '../admission/admission-chain.ts';
import {
  type AdmittedRequest,
  optionsOf,
  wholeForm,
} from '../admission/dynamic/admission-attributes.ts';
import type { DeleteOptions } from './delete-options.ts';
import { carryOut, carryOutNow, type Steps, wait } from './writes/steps.ts';
import { WriteDeadline } from './writes/write-deadline.ts';
import { draft, isFinished, prepared, storedForm } from './writes/object-writer.ts';

/** The result of a delete. */
export interface Removal {
  /** The last state of the object, or the stored state if the object still exists. */
  readonly object: StoredObject;
  /** False while a finalizer or grace period keeps the object. */
  readonly gone: boolean;
}

/** A delete as webhooks and policies see it. */
export interface AdmittedDelete {
  readonly admitted: AdmittedRequest;
  /** Warnings of the response; webhooks append to the list. */
  readonly warnings: string[];
}

/** Finalizers that represent a propagation policy until the garbage collector has carried it out. */
const policyFinalizers = { Foreground: 'foregroundDeletion', Orphan: 'orphan' } as const;

/** Removes objects, or marks them as deleted while finalizers or a grace period keep them. */
export class ObjectRemover {
  readonly #now: () => number;
  readonly #admission: AdmissionChain;

  constructor(now: () => number, admission: AdmissionChain) {
    this.#now = now;
    this.#admission = admission;
  }

  /** Removes an object for the server itself: no webhook and no policy applies. */
  remove(resource: ServedResource, key: string, options: DeleteOptions): Removal {
    return carryOutNow(this.#remove(resource, key, options));
  }

  /** Removes an object for a request. */
  removeFor(
    resource: ServedResource,
    key: string,
    options: DeleteOptions,
    request: AdmittedDelete,
  ): Promise<Removal> {
    return carryOut(this.#remove(resource, key, options, request));
  }

  *#remove(
    resource: ServedResource,
    key: string,
    options: DeleteOptions,
    request?: AdmittedDelete,
  ): Steps<Removal> {
    const deadline = new WriteDeadline();
    for (;;) {
      const stored = resource.store.get(key);
      const name = key.slice(key.indexOf('/') + 1);
      if (stored === undefined) throw notFound(resource.subject(name));
      const refusal = resource.strategy.deletion.refusalOf(name);
      if (refusal !== undefined) throw forbidden(resource.subject(name), refusal);
      checkPreconditions(resource, stored, options);
      if (isPending(resource, stored, options)) return { object: stored, gone: false };
      yield* prepared(resource, stored);
      if (request !== undefined) yield* this.#admit(resource, stored, request);
      const current = resource.read(stored);
      const marked = this.#marked(resource, current, options);
      const ends = isFinished(resource, marked);
      // Only pods are stored as marked before they are removed.
      const isStored = ends ? showsMark(resource, stored) : !jsonEquals(current, marked);
      const form = isStored ? yield* storedForm(resource, marked) : undefined;
      if (resource.store.get(key) !== stored) {
        deadline.check();
        continue;
      }
      return { gone: ends, object: this.#store({ resource, stored, marked, form, ends }, options) };
    }
  }

  /** Stores the marked object and removes it, as far as both are necessary. Returns the object of the response. */
  #store(
    { resource, stored, marked, form, ends }: Marked,
    { dryRun }: DeleteOptions,
  ): StoredObject {
    if (dryRun) return form === undefined ? stored : draft(resource, form, marked);
    const kept = form === undefined ? stored : resource.store.put(form);
    return ends ? resource.store.remove(kept) : kept;
  }

  *#admit(
    resource: ServedResource,
    stored: StoredObject,
    { admitted, warnings }: AdmittedDelete,
  ): Steps<void> {
    if (!this.#admission.isDynamic) return;
    const oldObject = resource.read(stored);
    const options = optionsOf('DELETE', admitted.options);
    const facts = { operation: 'DELETE', resource, subresource: '', object: undefined } as const;
    const form = wholeForm(resource);
    yield* wait(
      this.#admission.admit({ ...admitted, ...facts, ...form, options, oldObject, warnings }),
    );
  }

  /** Returns the object marked as deleted. */
  #marked(resource: ServedResource, current: ApiObject, options: DeleteOptions): ApiObject {
    const { deletion } = resource.strategy;
    const marked = { ...current, metadata: { ...current.metadata } };
    const { metadata } = marked;
    const finalizers = finalizersAfter(resource, current, options);
    delete metadata.finalizers;
    if (finalizers.length > 0) metadata.finalizers = finalizers;
    const grace = deletion.gracePeriodOf(current, options.gracePeriodSeconds);
    if (metadata.deletionTimestamp === undefined) {
      metadata.deletionTimestamp = timestamp(this.#now() + grace * 1000);
      metadata.deletionGracePeriodSeconds = grace;
      if (metadata.generation !== undefined) metadata.generation += 1;
    } else if (grace < (metadata.deletionGracePeriodSeconds ?? 0)) {
      metadata.deletionTimestamp = timestamp(this.#now() + grace * 1000);
      metadata.deletionGracePeriodSeconds = grace;
    }
    deletion.mark(marked, this.#now());
    return marked;
  }
}

/** An object that is about to be removed. */
interface Marked {
  readonly resource: ServedResource;
  readonly stored: StoredObject;
  /** The object with its time of deletion. */
  readonly marked: ApiObject;
  /** The stored form of `marked`; absent if that is not stored. */
  readonly form: ApiObject | undefined;
  /** True if nothing keeps the object. */
  readonly ends: boolean;
}

/** True if a pod already waits for its kubelet. Then a delete can only shorten the grace period. */
function isPending(
  { strategy }: ServedResource,
  { metadata }: StoredObject,
  { gracePeriodSeconds }: DeleteOptions,
): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: pending = 0 } = metadata;
  if (!strategy.deletion.showsMark || deletionTimestamp === undefined || pending === 0)
    return false;
  return gracePeriodSeconds === undefined || gracePeriodSeconds >= pending;
}

/** A pod that waited only for finalizers is removed as it is. */
function showsMark({ strategy }: ServedResource, { metadata }: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  const isMarked = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
  return strategy.deletion.showsMark && !isMarked;
}

/** Resources whose registries compare the uid before the common code does. */
const checksUidItself: ReadonlySet<string> = new Set([
  '/namespaces',
  'apiextensions.k8s.io/customresourcedefinitions',
]);

function checkPreconditions(
  resource: ServedResource,
  { metadata }: StoredObject,
  { preconditions }: DeleteOptions,
): void {
  const { uid, resourceVersion } = preconditions;
  const { kind, plural, group } = resource.facts;
  const name = metadata.name ?? '';
  // kube-apiserver names the kind that it stores, and stores all Events in the core group.
  const subject = { group: group === 'events.k8s.io' ? '' : group, kind, plural: kind, name };
  if (uid !== undefined && uid !== metadata.uid) {
    if (checksUidItself.has(`${group}/${plural}`)) {
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
      throw conflict({ group, kind: plural, plural, name }, why);
    }
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
  const { finalizer } = resource.strategy.deletion;
  return [
    ...others,
    ...(finalizer === undefined || others.includes(finalizer) ? [] : [finalizer]),
    ...(wanted === undefined ? [] : [wanted]),
  ];
}

/** Without a policy in the request, existing finalizers decide, then the default of the kind. */
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
