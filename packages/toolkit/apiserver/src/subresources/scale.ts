import type { ManagedFieldsEntry } from '@keelson/apimachinery';
import { applyConfiguration } from '../apply/apply-configuration.ts';
import { recordUpdate } from '../apply/record-update.ts';
import { timestamp } from '../schema/clock.ts';
import type { ResourceRequest } from '../http/api-request.ts';
import { sendComputed } from '../presentation/object-response.ts';
import { asJson, cloneJson } from '@keelson/structural-schema';
import type { ServedResource } from '../resources/served-resource.ts';
import { invalid, notFound } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { customScaleColumns, scaleColumns } from '../tables/scale-columns.ts';
import {
  builtinTarget,
  decodeApplied,
  type DecodeTarget,
  decodeWrite,
} from '../verbs/writes/decode-write.ts';
import { decodeAppliedBody, decodeObject } from '../verbs/writes/object-body.ts';
import { checkName, checkUid } from '../verbs/writes/object-meta.ts';
import { decodePatched, undecodablePatch } from '../verbs/writes/object-patcher.ts';
import type { PartForm } from '../verbs/writes/write-attributes.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';
import { applyType, patchTypeOf, readPatch } from '../verbs/writes/patch-body.ts';
import {
  checkForce,
  checkManager,
  type WriteOptions,
  writeOptions,
} from '../verbs/writes/write-options.ts';
import {
  checkOwned,
  checkReplicas,
  checkUnchanged,
  checkWrittenReplicas,
  isBadRequest,
  missingReplicas,
  unknownScale,
} from './custom-scale.ts';
import { ScaleOwners } from './scale-owners.ts';
import { scaleAccess } from './scale-paths.ts';

const gvk = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const apiVersion = `${gvk.group}/${gvk.version}`;

/** Handles the scale subresource, which presents every scalable kind as an `autoscaling/v1` Scale. */
export class ScaleVerbs {
  readonly #writer: ObjectWriter;
  readonly #now: () => number;

  /** `now` returns milliseconds since the epoch. */
  constructor(writer: ObjectWriter, now: () => number) {
    this.#writer = writer;
    this.#now = now;
  }

  async get(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const stored = resource.store.get(resource.key(request.info));
    if (stored === undefined) throw notFound(resource.subject(request.info.name));
    await resource.prepare(stored);
    const object = resource.read(stored);
    checkReplicas(resource, object);
    await sendScale(request, resource, object);
  }

  async update(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const options = writeOptions(request, 'UpdateOptions');
    const contentType = request.headers['content-type'];
    const sent = await request.body();
    let hasVersion = true;
    const scale = await decodeObject(sent, contentType, gvk.kind)
      .then((body) => {
        hasVersion = Boolean(body.value['apiVersion']);
        return decodeWrite(decodeTarget(resource), body, options, request.warnings);
      })
      .catch((error: unknown) => {
        throw resource.facts.custom && isBadRequest(error) ? unknownScale() : error;
      });
    checkName(scale, request.info.name);
    await this.#write(request, resource, options, (current) =>
      // kube-apiserver cannot compare the Scale of a custom resource without a version, and drops its owners.
      resource.facts.custom && !hasVersion
        ? { ...scale, metadata: { ...scale.metadata, managedFields: [] } }
        : this.#owned(resource, current, scale, options.fieldManager),
    );
  }

  async patch(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const patchType = patchTypeOf(resource, request.headers['content-type']);
    const options = writeOptions(request, 'PatchOptions');
    const body = await request.body();
    if (patchType === applyType) {
      await this.#apply(request, resource, options, body);
      return;
    }
    checkForce(request.query);
    const patch = readPatch(patchType, decodeTarget(resource).schema.type, body);
    await this.#write(request, resource, options, (current) => {
      const next = (): unknown => patch.next(asJson(withOwnersIfAny(current)));
      const value = next() as Record<string, unknown>;
      const scale = decodePatched(
        (error) => undecodablePatch(patch, next, error),
        () => decodeWrite(decodeTarget(resource), { value, json: '' }, options, request.warnings),
      );
      return this.#owned(resource, current, scale, options.fieldManager);
    });
  }

  async #apply(
    request: ResourceRequest,
    resource: ServedResource,
    options: WriteOptions,
    body: Buffer,
  ): Promise<void> {
    checkManager(request.query);
    const configuration = await decodeAppliedBody(body, options, request.warnings);
    const applied = decodeApplied(decodeTarget(resource), configuration);
    await this.#write(request, resource, options, (live) => {
      if (resource.facts.custom) checkOwned(live);
      const object = applyConfiguration({
        type: decodeTarget(resource).schema.type,
        live,
        applied,
        manager: options.fieldManager,
        force: options.force,
        subresource: 'scale',
        hasStatus: false,
        apiVersion,
        now: timestamp(this.#now()),
      });
      if (resource.facts.custom) checkUnchanged(live, applied, object);
      const merged = { value: object as Record<string, unknown>, json: '' };
      return decodeWrite(decodeTarget(resource), merged, options, request.warnings);
    });
  }

  /** Returns the Scale with the owners of its replicas after an update. */
  #owned(
    resource: ServedResource,
    before: ApiObject,
    after: ApiObject,
    manager: string,
  ): ApiObject {
    const managedFields = recordUpdate({
      type: decodeTarget(resource).schema.type,
      before,
      after,
      manager,
      subresource: 'scale',
      hasStatus: false,
      apiVersion,
      now: timestamp(this.#now()),
    });
    return { ...after, metadata: { ...after.metadata, managedFields } };
  }

  async #write(
    request: ResourceRequest,
    resource: ServedResource,
    options: WriteOptions,
    next: (scale: ApiObject) => ApiObject,
  ): Promise<void> {
    const { dryRun, requester, admitted } = options;
    const stored = await this.#writer.updateFor(resource, {
      key: resource.key(request.info),
      scope: 'scale',
      // The Scale determines the owners.
      options: { dryRun, requester, admitted, fieldManager: undefined },
      part: scaleForm(resource, options),
      warnings: request.warnings,
      next: (current) => {
        const owners = ownersOf(resource, current);
        const scale = scaleOf(resource, current, missingReplicas);
        scale.metadata.managedFields = owners.ofScale();
        const written = next(scale);
        const managedFields = owners.ofObject(written.metadata.managedFields);
        const object = rescaled(resource, current, written, options);
        return withManagers(object, managedFields);
      },
    });
    await resource.prepare(stored);
    await sendScale(request, resource, resource.read(stored));
  }
}

/** The Scale of an object, as webhooks and policies see it. */
function scaleForm(resource: ServedResource, options: WriteOptions): PartForm {
  return {
    kind: gvk,
    schema: decodeTarget(resource).schema,
    of: (object) => scaleOf(resource, object),
    into: (object, scale) => rescaled(resource, cloneJson(object), scale, options),
  };
}

/** Cleared managed fields stay absent. */
function withManagers(object: ApiObject, managers: readonly ManagedFieldsEntry[]): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata;
  if (managers.length === 0) return { ...object, metadata };
  return { ...object, metadata: { ...metadata, managedFields: [...managers] } };
}

function sendScale(
  request: ResourceRequest,
  resource: ServedResource,
  object: ApiObject,
): Promise<void> {
  const columns = resource.facts.custom ? customScaleColumns : scaleColumns;
  return sendComputed(request, 200, scaleOf(resource, object), columns);
}

function ownersOf(resource: ServedResource, { metadata }: ApiObject): ScaleOwners {
  const { replicasPath } = scaleAccess(resource);
  return new ScaleOwners(metadata.managedFields, resource.apiVersion, replicasPath);
}

/** Removes an empty `managedFields`, as kube-apiserver does before a patch. */
function withOwnersIfAny(scale: ApiObject): ApiObject {
  const { managedFields = [], ...metadata } = scale.metadata;
  return managedFields.length > 0 ? scale : { ...scale, metadata };
}

/** Returns the Scale of an object; `missing` replaces replicas that the object does not have. */
function scaleOf(resource: ServedResource, object: ApiObject, missing = 0): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const access = scaleAccess(resource);
  const replicas = access.replicas(object) ?? (resource.facts.custom ? missing : 0);
  const selector = access.selector(object);
  return {
    kind: gvk.kind,
    apiVersion,
    metadata: JSON.parse(
      JSON.stringify({ name, namespace, uid, resourceVersion, creationTimestamp }),
    ) as ApiObject['metadata'],
    // kube-apiserver writes an empty spec for zero replicas.
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: access.observed(object), ...(selector !== '' && { selector }) },
  };
}

function rescaled(
  resource: ServedResource,
  object: ApiObject,
  scale: ApiObject,
  options: WriteOptions,
): ApiObject {
  const { replicas = 0 } = (scale['spec'] ?? {}) as { replicas?: number };
  checkWrittenReplicas(resource, replicas);
  // For a custom resource, the validation of its replicas field reports this.
  if (replicas < 0 && !resource.facts.custom)
    throw invalid({ ...gvk, name: scale.metadata.name ?? '' }, [negative(replicas)]);
  scaleAccess(resource).setReplicas(object, replicas);
  checkUid(resource, object, scale, options);
  const { resourceVersion } = scale.metadata;
  if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion;
  return object;
}

function negative(replicas: number): { reason: string; message: string; field: string } {
  const message = `Invalid value: ${replicas}: must be greater than or equal to 0`;
  return { reason: 'FieldValueInvalid', message, field: 'spec.replicas' };
}

function decodeTarget({ release }: ServedResource): DecodeTarget {
  return builtinTarget(gvk, release);
}
