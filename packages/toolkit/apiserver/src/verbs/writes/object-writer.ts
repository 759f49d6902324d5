import type { AdmissionChain } from '../../admission/admission-chain.ts';
import type { AdmissionPlugin } from '../../admission/admission-plugin.ts';
import type { AdmittedRequest } from '../../admission/dynamic/admission-attributes.ts';
import type { ResourceAttributes } from '../../auth/authorizer.ts';
import type { WriteAccess } from '../../auth/rbac/write-access.ts';
import type { StatusCause, StatusError } from '@keelson/apimachinery';
import { validateAdminAccess } from '../../kinds/devices/rules-admin-access.ts';
import { Timestamps } from '../../schema/clock.ts';
import { asJson, cloneJson, jsonEquals } from '@keelson/structural-schema';
import type { ServedResource } from '../../resources/served-resource.ts';
import { clearEmptyFields } from '../../schema/clear-empty-fields.ts';
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
  clearNewMetadata,
  completeNewMetadata,
  keepServerMetadata,
  placeInNamespace,
} from './object-meta.ts';
import { removeRepeatedOwners } from './owner-references.ts';
import { keepValidOwners, recordOwnership, releaseInOtherVersions } from './ownership.ts';
import { carryOut, carryOutNow, type Steps, wait } from './steps.ts';
import { type OpenWrite, type PartForm, WriteAttributes } from './write-attributes.ts';
import { WriteDeadline } from './write-deadline.ts';
import { writeWarnings } from './write-warnings.ts';
import { revertOutsideScope, type UpdateScope } from '../../resources/revert-outside-scope.ts';

export interface ObjectWriterContext {
  /** Returns milliseconds since the epoch. */
  now(): number;
  readonly namespaces: ResourceStore;
  readonly allocator: Omit<CreateContext, 'now'>;
  readonly access: WriteAccess;
  readonly admission: AdmissionChain;
  /** Allocates addresses of Services, which the registry of Services does after admission. */
  readonly network: AdmissionPlugin;
}

/** Options of a write besides the object. */
export interface StoreOptions {
  readonly dryRun: boolean;
  /** The owner of the written fields; `undefined` keeps the `managedFields` of the object. */
  readonly fieldManager: string | undefined;
  /** The request that causes the write. The server's own writes have none and are not authorized. */
  readonly requester?: ResourceAttributes | undefined;
  /** That request as webhooks and policies see it. */
  readonly admitted?: AdmittedRequest | undefined;
}

export interface ObjectCreation {
  /** True for an object that an update or a patch creates. kube-apiserver does not clear its `deletionGracePeriodSeconds`. */
  readonly isUpsert?: boolean;
  /** The part that the URL addresses, since some kinds are created through `/status` too. Default: the object. */
  readonly scope?: UpdateScope;
  readonly options: StoreOptions;
  /** Warnings of the response; the writer appends to the list. */
  readonly warnings?: string[];
  /** False for an object of the server itself that no client could write. Default: true. */
  readonly isValidated?: boolean;
}

export interface ObjectUpdate {
  readonly key: string;
  readonly scope: UpdateScope;
  readonly options: StoreOptions;
  /** False for an apply that must not take fields of others. Default: true. */
  readonly isForced?: boolean;
  /** Computes the new object from a copy of the current one. Called again if another write came first. */
  next(current: ApiObject): ApiObject;
  /** As in `ObjectCreation`. */
  readonly isValidated?: boolean;
  /** The part of the object that the request contains, if it is not the object itself. */
  readonly part?: PartForm;
  /** Warnings of the response; the writer appends to the list. */
  readonly warnings?: string[];
}

/**
 * Creates and updates objects. Between read and store no other write can intervene, unless the write waits for a webhook.
 * Such a write starts again if the object has changed meanwhile.
 */
export class ObjectWriter {
  readonly #context: ObjectWriterContext;
  readonly #timestamps = new Timestamps();

  constructor(context: ObjectWriterContext) {
    this.#context = context;
  }

  /**
   * Stores a new object, which must be decoded and have its namespace. Takes ownership of the object. This is for writes of
   * the server itself: no webhook and no policy applies.
   */
  create(resource: ServedResource, object: ApiObject, creation: ObjectCreation): StoredObject {
    return carryOutNow(this.#create(resource, object, creation));
  }

  /** Stores the new object of a request. */
  createFor(
    resource: ServedResource,
    object: ApiObject,
    creation: ObjectCreation,
  ): Promise<StoredObject> {
    return carryOut(this.#create(resource, object, creation));
  }

  /**
   * Replaces an object by the result of `update.next`. An update without a change stores nothing. This is for writes of the
   * server itself: no webhook and no policy applies.
   */
  update(resource: ServedResource, update: ObjectUpdate): StoredObject {
    return carryOutNow(this.#update(resource, update));
  }

  /** Replaces an object for a request. */
  updateFor(resource: ServedResource, update: ObjectUpdate): Promise<StoredObject> {
    return carryOut(this.#update(resource, update));
  }

  *#create(
    resource: ServedResource,
    object: ApiObject,
    { options, warnings = [], scope = '', isUpsert = false, isValidated = true }: ObjectCreation,
  ): Steps<StoredObject> {
    const now = this.#now();
    if (resource.facts.isTerminating?.() === true) {
      throw methodNotAllowed('create not allowed while custom resource definition is terminating');
    }
    this.#checkNamespace(resource, object);
    const { fieldManager, requester } = options;
    const { access, admission } = this.#context;
    if (requester) access.checkObject({ resource, object, before: undefined, requester });
    clearNewMetadata(resource, object, isUpsert);
    // Fields that admission and the registry add below have no owner, as in kube-apiserver.
    if (fieldManager !== undefined) {
      recordOwnership({ resource, after: object, subresource: scope, fieldManager, now });
    }
    const write: OpenWrite = { resource, scope, object, warnings, requester };
    const attributes = attributesOf(write, options);
    yield* this.#mutate(write, attributes);
    removeRepeatedOwners(write.object, warnings, 'admission');
    completeNewMetadata(resource, write.object, now);
    this.#prepare(write, now);
    if (isValidated) yield* this.#checkNew(write, requester, attributes);
    clearFields(write);
    const stored = yield* storedForm(resource, write.object);
    if (!options.dryRun) checkNewVersion(write.object);
    checkAbsent(resource, write.object);
    if (!options.dryRun) admission.charge(write);
    return options.dryRun ? draft(resource, stored, write.object) : resource.store.put(stored);
  }

  *#update(resource: ServedResource, update: ObjectUpdate): Steps<StoredObject> {
    const deadline = new WriteDeadline();
    for (;;) {
      const current = resource.store.get(update.key);
      if (current === undefined) throw notFound(resource.subject(nameOf(update.key)));
      const write = yield* this.#admitted(resource, current, update);
      const isSame = isUnchanged(write.object, write.old) && resource.isCurrent(current);
      const ends = isFinished(resource, write.object);
      const stored = isSame ? undefined : yield* storedForm(resource, write.object);
      // Another write came first while this one waited for a webhook.
      if (resource.store.get(update.key) !== current) {
        deadline.check();
        continue;
      }
      if (stored === undefined) return current;
      if (!update.options.dryRun) this.#context.admission.charge(write);
      return this.#replace(write, { current, stored, ends }, update.options);
    }
  }

  /** Computes, completes and checks the new object. */
  *#admitted(
    resource: ServedResource,
    current: StoredObject,
    update: ObjectUpdate,
  ): Steps<OpenWrite & { readonly old: ApiObject }> {
    const { scope, options, warnings = [] } = update;
    const { admission } = this.#context;
    yield* prepared(resource, current);
    const before = resource.read(current);
    const next = update.next(resource.read(current));
    // A write that waits may start again with the same result of `next`, so this one is not changed.
    const object = options.admitted && admission.isDynamic ? cloneJson(next) : next;
    const { requester } = options;
    if (requester) this.#context.access.checkObject({ resource, object, before, requester });
    const write = { resource, scope, object, old: before, warnings, requester };
    const attributes = attributesOf(write, options, update.part);
    this.#own(resource, update, write.object, before);
    const { isForced = true } = update;
    yield* releaseInOtherVersions(resource, { before, after: write.object, isForced });
    yield* this.#mutate(write, attributes);
    removeRepeatedOwners(write.object, warnings, 'admission');
    checkPreconditions(resource, before, write.object);
    revertOutsideScope(scope, resource, write.object, before);
    keepServerMetadata(write.object, before);
    this.#context.network.mutate?.(write);
    const now = this.#now();
    resource.schema.prepareForUpdate?.(write.object, before, { part: partOf(scope), now });
    this.#complete(resource, update, write.object, before);
    yield* wait(admission.validate(write, attributes));
    clearFields(write);
    return write;
  }

  /** Webhooks and policies may change everything. Owners of fields that they made invalid are restored. */
  *#mutate(write: OpenWrite, attributes: WriteAttributes | undefined): Steps<void> {
    const { managedFields, namespace } = write.object.metadata;
    const pending = this.#context.admission.mutate(write, attributes);
    if (pending === undefined) return;
    yield* wait(pending);
    placeInNamespace(write.resource, write.object, namespace ?? '');
    keepValidOwners(write, managedFields);
  }

  #prepare(write: OpenWrite, now: string): void {
    const { resource, object, scope, requester } = write;
    this.#context.network.mutate?.(write);
    resource.schema.prepareForCreate(object, {
      ...this.#context.allocator,
      now,
      part: partOf(scope),
      requester: requester?.user,
      warnings: write.warnings,
    });
  }

  *#checkNew(
    write: OpenWrite,
    requester: ResourceAttributes | undefined,
    attributes: WriteAttributes | undefined,
  ): Steps<void> {
    const { resource, object } = write;
    const { name = '', namespace = '' } = object.metadata;
    const labels = (): Readonly<Record<string, string>> =>
      this.#context.namespaces.get(namespace)?.metadata.labels ?? {};
    const causes = [
      ...validateAdminAccess(resource.id, asJson(object), labels),
      ...resource.schema.validate(object),
    ];
    if (causes.length > 0) throw invalidObject(resource, name, causes);
    write.warnings.push(...writeWarnings(resource, object));
    if (requester) this.#context.access.checkCreate(requester);
    yield* wait(this.#context.admission.validate(write, attributes));
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
    const now = this.#now();
    recordOwnership({ resource, before, after: next, subresource: scope, fieldManager, now });
  }

  #complete(
    resource: ServedResource,
    { key, scope, warnings, isValidated = true }: ObjectUpdate,
    next: ApiObject,
    before: ApiObject,
  ): void {
    if (!keepsGeneration.has(scope) && resource.strategy.changesGeneration(next, before)) {
      next.metadata.generation = (before.metadata.generation ?? 0) + 1;
    }
    resource.strategy.prepareUpdate(next, before);
    // Sets the labels of the template, as a read does. A finished object is removed and not read again.
    if (resource.strategy.labelsFollowTemplate && !isFinished(resource, next)) {
      resource.schema.setDefaults(next);
    }
    const causes = isValidated
      ? resource.schema.validate(next, before, warnings, partOf(scope))
      : [];
    if (causes.length > 0) throw invalidObject(resource, nameOf(key), causes);
    if (scope === '' || scope === 'scale') warnings?.push(...writeWarnings(resource, next, before));
  }

  #replace(
    { resource, object }: OpenWrite,
    { current, stored, ends }: Replacement,
    options: StoreOptions,
  ): StoredObject {
    if (options.dryRun || ends) {
      if (ends && !options.dryRun) resource.store.remove(current);
      return draft(resource, stored, object);
    }
    return resource.store.put(stored);
  }

  /** Returns the present time as the API formats it. */
  #now(): string {
    return this.#timestamps.of(this.#context.now());
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

/** The result of an update. */
interface Replacement {
  readonly current: StoredObject;
  /** The stored form of the new object. */
  readonly stored: ApiObject;
  /** True if nothing keeps the object, which is being deleted. */
  readonly ends: boolean;
}

/** The storage of custom resources is JSON, which keeps empty lists. */
function clearFields({ resource, object }: OpenWrite): void {
  if (!resource.facts.custom) clearEmptyFields(resource.schema.type, asJson(object));
}

/** Waits until an object can be read in the version of the resource. */
export function* prepared(resource: ServedResource, stored: StoredObject): Steps<void> {
  const pending = resource.prepare(stored);
  if (pending !== undefined) yield* wait(pending);
}

/** Returns the stored form of an object. The object itself stays as it is only if a webhook converts it. */
export function* storedForm(resource: ServedResource, object: ApiObject): Steps<ApiObject> {
  return yield* wait(resource.toStored(object));
}

/** Returns the object that a write would store, in the form in which the response shows it. */
export function draft(
  resource: ServedResource,
  stored: ApiObject,
  object: ApiObject,
): StoredObject {
  const made = resource.store.draft(stored);
  resource.remember(made, object);
  return made;
}

function checkAbsent(resource: ServedResource, object: ApiObject): void {
  const present = resource.store.get(keyOfMetadata(object.metadata));
  if (present === undefined) return;
  const subject = resource.subject(object.metadata.name ?? '');
  // kube-apiserver checks only generateName here, even if the object also has a name.
  const isDeleting = present.metadata.deletionTimestamp !== undefined;
  if (object.metadata.generateName) throw generatedNameTaken(subject, isDeleting);
  throw alreadyExists(subject, isDeleting);
}

/** The attributes of a request for webhooks and policies; none for a write of the server itself. */
function attributesOf(
  write: OpenWrite,
  { admitted }: StoreOptions,
  part?: PartForm,
): WriteAttributes | undefined {
  return admitted && new WriteAttributes(write, admitted, part);
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
  switch (scope) {
    case 'status':
    case 'approval':
    case 'ephemeralcontainers':
    case 'resize':
      return scope;
    default:
      return scope === 'binding' ? 'other' : 'object';
  }
}

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
