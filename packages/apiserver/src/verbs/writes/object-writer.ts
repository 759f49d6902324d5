import type { AdmissionChain } from '../../admission/admission-chain.ts';
import type { AdmissionRequest } from '../../admission/admission-plugin.ts';
import type { ResourceAttributes } from '../../auth/authorizer.ts';
import type { WriteAccess } from '../../auth/rbac/write-access.ts';
import { timestamp } from '../../schema/clock.ts';
import { jsonEquals } from '../../json/json-value.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import type { CreateContext, WrittenPart } from '../../schema/kind-schema.ts';
import {
  alreadyExists,
  forbidden,
  generatedNameTaken,
  invalid,
  methodNotAllowed,
  notFound,
} from '../../failures/status-answers.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { ResourceStore } from '../../storage/resource-store.ts';
import { keyOfMetadata, type StoredObject } from '../../storage/stored-object.ts';
import { checkPreconditions, completeNewMetadata, keepServerMetadata } from './object-meta.ts';
import { recordOwnership } from './ownership.ts';
import { writeWarnings } from './write-warnings.ts';
import { confine, type UpdateScope } from '../../resources/update-scope.ts';

/** What writing takes from the server. */
export interface ObjectWriterContext {
  /** Milliseconds since the epoch. */
  now(): number;
  readonly namespaces: ResourceStore;
  readonly allocator: Omit<CreateContext, 'now'>;
  readonly access: WriteAccess;
  /** Completes and refuses writes beyond what the registry of a kind does. */
  readonly admission: AdmissionChain;
}

/** What decides, besides the object, what is stored. */
export interface StoreOptions {
  readonly dryRun: boolean;
  /** Who owns what is written; `undefined`: the object's `managedFields` are already as they should be. */
  readonly fieldManager: string | undefined;
  /** The request that causes the write; absent for the server's own writes, which may do everything. */
  readonly requester?: ResourceAttributes | undefined;
}

/** A new object. */
export interface ObjectCreation {
  /** The URL that the object was sent to: some kinds are created through `/status` too. Default the object's own. */
  readonly scope?: UpdateScope;
  readonly options: StoreOptions;
  /** Warnings of the response; added to. */
  readonly warnings?: string[];
}

/** One change of one object. */
export interface ObjectUpdate {
  readonly key: string;
  readonly scope: UpdateScope;
  readonly options: StoreOptions;
  /** Makes the new object from a copy of the current one. */
  next(current: ApiObject): ApiObject;
  /** Warnings of the response; added to. */
  readonly warnings?: string[];
}

/**
 * Creates and updates objects, each in one synchronous step: nothing can come between reading the current
 * state and storing the next.
 */
export class ObjectWriter {
  readonly #context: ObjectWriterContext;

  constructor(context: ObjectWriterContext) {
    this.#context = context;
  }

  /** Stores a new object, which must be decoded and be in its namespace. Takes it over. */
  create(
    resource: ServedResource,
    object: ApiObject,
    { options, warnings = [], scope = '' }: ObjectCreation,
  ): StoredObject {
    const now = this.#context.now();
    if (resource.facts.isTerminating?.() === true) {
      throw methodNotAllowed('create not allowed while custom resource definition is terminating');
    }
    this.#checkNamespace(resource, object);
    const { fieldManager, requester } = options;
    const { access } = this.#context;
    if (requester) access.checkGrant({ resource, object, before: undefined, requester });
    completeNewMetadata(resource, object, now);
    // What the registry adds below belongs to nobody, as on a real server.
    if (fieldManager !== undefined) {
      recordOwnership({ resource, after: object, subresource: scope, fieldManager, now });
    }
    const write: AdmissionRequest = { resource, scope, object, warnings };
    this.#context.admission.mutate(write);
    this.#prepare(resource, object, scope, now);
    this.#checkNew(write, requester);
    if (!options.dryRun) this.#context.admission.charge(write);
    const stored = resource.toStored(object);
    return options.dryRun ? resource.store.draft(stored) : resource.store.put(stored);
  }

  /** Replaces an object by what `update.next` makes of it. An update that changes nothing stores nothing. */
  update(resource: ServedResource, update: ObjectUpdate): StoredObject {
    const current = resource.store.get(update.key);
    if (current === undefined) throw notFound(resource.subject(nameOf(update.key)));
    const before = resource.read(current);
    const next = update.next(resource.read(current));
    const { requester } = update.options;
    if (requester) this.#context.access.checkGrant({ resource, object: next, before, requester });
    checkPreconditions(resource, before, next);
    confine(update.scope, resource, next, before);
    keepServerMetadata(next, before);
    this.#own(resource, update, next, before);
    const { scope, warnings = [] } = update;
    const write: AdmissionRequest = { resource, scope, object: next, old: before, warnings };
    this.#context.admission.mutate(write);
    resource.schema.prepareForUpdate?.(next, before, partOf(scope));
    this.#complete(resource, update, next, before);
    this.#context.admission.validate(write);
    if (isUnchanged(next, before)) return current;
    if (!update.options.dryRun) this.#context.admission.charge(write);
    return this.#replace(resource, current, next, update.options);
  }

  #prepare(resource: ServedResource, object: ApiObject, scope: UpdateScope, now: number): void {
    const context = { ...this.#context.allocator, now: timestamp(now), part: partOf(scope) };
    resource.schema.prepareForCreate(object, context);
  }

  #checkNew(write: AdmissionRequest, requester: ResourceAttributes | undefined): void {
    const { resource, object } = write;
    const { name = '' } = object.metadata;
    const subject = resource.subject(name);
    const causes = resource.schema.validate(object);
    if (causes.length > 0) throw invalid(subject, causes);
    write.warnings.push(...writeWarnings(resource, object));
    if (requester) this.#context.access.checkCreate(requester);
    this.#context.admission.validate(write);
    const present = resource.store.get(keyOfMetadata(object.metadata));
    if (present !== undefined) {
      // kube-apiserver looks at generateName alone, also where a name was given beside it.
      if (object.metadata.generateName) throw generatedNameTaken(subject);
      throw alreadyExists(subject, present.metadata.deletionTimestamp !== undefined);
    }
  }

  /** What admission and the registry add afterwards belongs to nobody, as on a real server. */
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
    // A read completes what storage lacks; what is removed now is not read again.
    if (resource.strategy.labelsFollowTemplate && !isFinished(resource, next)) {
      resource.schema.setDefaults(next);
    }
    const causes = resource.schema.validate(next, before, warnings, partOf(scope));
    if (causes.length > 0) throw invalid(resource.subject(nameOf(key)), causes);
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

/** Writes that are about something else than what a controller should do. */
const keepsGeneration: ReadonlySet<UpdateScope> = new Set([
  'approval',
  'binding',
  'finalize',
  'status',
]);

function partOf(scope: UpdateScope): WrittenPart {
  if (scope === 'status') return 'status';
  return scope !== '' && partsOfPods.has(scope) ? 'other' : 'object';
}

/** Parts of a pod that may change only through URLs of their own. */
const partsOfPods: ReadonlySet<UpdateScope> = new Set(['binding', 'ephemeralcontainers', 'resize']);

/** True when the last thing that kept a deleted object alive has gone. */
export function isFinished(resource: ServedResource, object: ApiObject): boolean {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return false;
  return !resource.strategy.deletion.isKept(object);
}

function isUnchanged(next: ApiObject, before: ApiObject): boolean {
  return jsonEquals(withoutTimes(next), withoutTimes(before));
}

/** Times in managedFields alone make no new state. */
function withoutTimes(object: ApiObject): unknown {
  const { managedFields, ...metadata } = object.metadata;
  const owners = managedFields?.map(({ time: _time, ...entry }) => entry) ?? [];
  return { ...object, metadata, owners };
}

function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
