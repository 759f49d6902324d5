import type { AdmissionChain } from '../../admission/admission-chain.ts';
import type { AdmissionRequest } from '../../admission/admission-plugin.ts';
import type { ResourceAttributes } from '../../auth/authorizer.ts';
import type { WriteAccess } from '../../auth/rbac/write-access.ts';
import type { StatusCause, StatusError } from '@keelson/apimachinery';
import { timestamp } from '../../schema/clock.ts';
import { jsonEquals } from '@keelson/structural-schema';
import type { ServedResource } from '../../resources/served-resource.ts';
import type { CreateContext, WrittenPart } from '../../schema/kind-schema.ts';
import {
  alreadyExists,
  forbidden,
  generatedNameTaken,
  invalid,
  methodNotAllowed,
  notFound,
} from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { ResourceStore } from '../../storage/resource-store.ts';
import { keyOfMetadata, type StoredObject } from '../../storage/stored-object.ts';
import {
  checkNewVersion,
  checkPreconditions,
  completeNewMetadata,
  keepServerMetadata,
} from './object-meta.ts';
import { recordOwnership } from './ownership.ts';
import { writeWarnings } from './write-warnings.ts';
import { revertOutsideScope, type UpdateScope } from '../../resources/revert-outside-scope.ts';

export interface ObjectWriterContext {
  /** Returns milliseconds since the epoch. */
  now(): number;
  readonly namespaces: ResourceStore;
  readonly allocator: Omit<CreateContext, 'now'>;
  readonly access: WriteAccess;
  /** Completes and validates writes after the registry of the kind. */
  readonly admission: AdmissionChain;
}

/** Options of a write besides the object. */
export interface StoreOptions {
  readonly dryRun: boolean;
  /** The owner of the written fields; `undefined` keeps the `managedFields` of the object. */
  readonly fieldManager: string | undefined;
  /** The request that causes the write. The server's own writes have none and are not authorized. */
  readonly requester?: ResourceAttributes | undefined;
}

export interface ObjectCreation {
  /** True for an object that a patch creates. kube-apiserver does not clear its `deletionGracePeriodSeconds`. */
  readonly isPatch?: boolean;
  /** The part that the URL addresses, since some kinds are created through `/status` too. Default: the object. */
  readonly scope?: UpdateScope;
  readonly options: StoreOptions;
  /** Warnings of the response; the writer appends to the list. */
  readonly warnings?: string[];
}

export interface ObjectUpdate {
  readonly key: string;
  readonly scope: UpdateScope;
  readonly options: StoreOptions;
  /** Computes the new object from a copy of the current one. */
  next(current: ApiObject): ApiObject;
  /** Warnings of the response; the writer appends to the list. */
  readonly warnings?: string[];
}

/** Creates and updates objects. Each write is synchronous, so no other write can intervene between read and store. */
export class ObjectWriter {
  readonly #context: ObjectWriterContext;

  constructor(context: ObjectWriterContext) {
    this.#context = context;
  }

  /** Stores a new object, which must be decoded and have its namespace. Takes ownership of the object. */
  create(
    resource: ServedResource,
    object: ApiObject,
    { options, warnings = [], scope = '', isPatch = false }: ObjectCreation,
  ): StoredObject {
    const now = this.#context.now();
    if (resource.facts.isTerminating?.() === true) {
      throw methodNotAllowed('create not allowed while custom resource definition is terminating');
    }
    this.#checkNamespace(resource, object);
    const { fieldManager, requester } = options;
    const { access } = this.#context;
    if (requester) access.checkObject({ resource, object, before: undefined, requester });
    if (!isPatch) delete object.metadata.deletionGracePeriodSeconds;
    completeNewMetadata(resource, object, now);
    // Fields that the registry adds below have no owner, as in kube-apiserver.
    if (fieldManager !== undefined) {
      recordOwnership({ resource, after: object, subresource: scope, fieldManager, now });
    }
    const write: AdmissionRequest = { resource, scope, object, warnings, requester };
    this.#context.admission.mutate(write);
    this.#prepare(write, now);
    this.#checkNew(write, options);
    if (!options.dryRun) this.#context.admission.charge(write);
    const stored = resource.toStored(object);
    return options.dryRun ? resource.store.draft(stored) : resource.store.put(stored);
  }

  /** Replaces an object by the result of `update.next`. An update without a change stores nothing. */
  update(resource: ServedResource, update: ObjectUpdate): StoredObject {
    const current = resource.store.get(update.key);
    if (current === undefined) throw notFound(resource.subject(nameOf(update.key)));
    const before = resource.read(current);
    const next = update.next(resource.read(current));
    const { requester } = update.options;
    if (requester) this.#context.access.checkObject({ resource, object: next, before, requester });
    checkPreconditions(resource, before, next);
    revertOutsideScope(update.scope, resource, next, before);
    keepServerMetadata(next, before);
    this.#own(resource, update, next, before);
    const { scope, warnings = [] } = update;
    const write: AdmissionRequest = {
      resource,
      scope,
      object: next,
      old: before,
      warnings,
      requester,
    };
    this.#context.admission.mutate(write);
    const now = timestamp(this.#context.now());
    resource.schema.prepareForUpdate?.(next, before, { part: partOf(scope), now });
    this.#complete(resource, update, next, before);
    this.#context.admission.validate(write);
    if (isUnchanged(next, before)) return current;
    if (!update.options.dryRun) this.#context.admission.charge(write);
    return this.#replace(resource, current, next, update.options);
  }

  #prepare({ resource, object, scope, requester }: AdmissionRequest, now: number): void {
    resource.schema.prepareForCreate(object, {
      ...this.#context.allocator,
      now: timestamp(now),
      part: partOf(scope),
      requester: requester?.user,
    });
  }

  #checkNew(write: AdmissionRequest, { requester, dryRun }: StoreOptions): void {
    const { resource, object } = write;
    const { name = '' } = object.metadata;
    const subject = resource.subject(name);
    const causes = resource.schema.validate(object);
    if (causes.length > 0) throw invalidObject(resource, name, causes);
    write.warnings.push(...writeWarnings(resource, object));
    if (requester) this.#context.access.checkCreate(requester);
    this.#context.admission.validate(write);
    if (!dryRun) checkNewVersion(object);
    const present = resource.store.get(keyOfMetadata(object.metadata));
    if (present !== undefined) {
      // kube-apiserver checks only generateName here, even if the object also has a name.
      const isDeleting = present.metadata.deletionTimestamp !== undefined;
      if (object.metadata.generateName) throw generatedNameTaken(subject, isDeleting);
      throw alreadyExists(subject, isDeleting);
    }
  }

  /** Records the owner before admission and the registry add fields, which have no owner in kube-apiserver. */
  #own(
    resource: ServedResource,
    { scope, options }: ObjectUpdate,
    next: ApiObject,
    before: ApiObject,
  ): void {
    const { fieldManager } = options;
    if (fieldManager === undefined) return;
    const now = this.#context.now();
    recordOwnership({ resource, before, after: next, subresource: scope, fieldManager, now });
  }

  #complete(
    resource: ServedResource,
    { key, scope, warnings }: ObjectUpdate,
    next: ApiObject,
    before: ApiObject,
  ): void {
    if (!keepsGeneration.has(scope) && resource.strategy.changesGeneration(next, before)) {
      next.metadata.generation = (before.metadata.generation ?? 0) + 1;
    }
    // Sets the labels of the template, as a read does. A finished object is removed and not read again.
    if (resource.strategy.labelsFollowTemplate && !isFinished(resource, next)) {
      resource.schema.setDefaults(next);
    }
    const causes = resource.schema.validate(next, before, warnings, partOf(scope));
    if (causes.length > 0) throw invalidObject(resource, nameOf(key), causes);
    if (scope === '' || scope === 'scale') warnings?.push(...writeWarnings(resource, next, before));
  }

  #replace(
    resource: ServedResource,
    current: StoredObject,
    next: ApiObject,
    options: StoreOptions,
  ): StoredObject {
    const ends = isFinished(resource, next);
    const stored = resource.toStored(next);
    if (options.dryRun || ends) {
      if (ends && !options.dryRun) resource.store.remove(current);
      return resource.store.draft(stored);
    }
    return resource.store.put(stored);
  }

  #checkNamespace(resource: ServedResource, object: ApiObject): void {
    const { namespace, name = '' } = object.metadata;
    if (!resource.facts.namespaced || namespace === undefined) return;
    const found = this.#context.namespaces.get(namespace);
    if (found === undefined) {
      throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace', name: namespace });
    }
    if (found.metadata.deletionTimestamp === undefined) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(resource.subject(name), why, [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ]);
  }
}

/** The error for an invalid object. It names the group of the stored object. */
function invalidObject(
  resource: ServedResource,
  name: string,
  causes: readonly StatusCause[],
): StatusError {
  const { group } = resource.facts.storedAs;
  return invalid({ ...resource.subject(name), group }, causes);
}

/** Writes of parts that do not change the desired state. */
const keepsGeneration: ReadonlySet<UpdateScope> = new Set([
  'approval',
  'binding',
  'finalize',
  'status',
]);

function partOf(scope: UpdateScope): WrittenPart {
  if (scope === 'status' || scope === 'approval') return scope;
  return scope !== '' && partsOfPods.has(scope) ? 'other' : 'object';
}

/** Parts of a pod that change only through their own subresources. */
const partsOfPods: ReadonlySet<UpdateScope> = new Set(['binding', 'ephemeralcontainers', 'resize']);

/** True if neither a finalizer nor a grace period keeps a deleted object. */
export function isFinished(resource: ServedResource, object: ApiObject): boolean {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return false;
  return !resource.strategy.deletion.isKept(object);
}

function isUnchanged(next: ApiObject, before: ApiObject): boolean {
  return jsonEquals(withoutTimes(next), withoutTimes(before));
}

/** Ignores the times in managedFields, which alone are not a change. */
function withoutTimes(object: ApiObject): unknown {
  const { managedFields, ...metadata } = object.metadata;
  const owners = managedFields?.map(({ time: _time, ...entry }) => entry) ?? [];
  return { ...object, metadata, owners };
}

function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
