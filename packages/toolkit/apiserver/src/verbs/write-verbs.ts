import type { ResourceRequest } from '../http/api-request.ts';
import { sendObject } from '../presentation/object-response.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { contentTypeOf } from '../http/media-type.ts';
import { protobufMediaType } from '../protobuf/decode-protobuf.ts';
import { notFound, unsupportedMediaType } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { decodeApplied, decodeTargetOf, decodeWrite } from './writes/decode-write.ts';
import { decodeAppliedBody, decodeObject } from './writes/object-body.ts';
import {
  checkName,
  checkUid,
  checkUidOfMissing,
  checkVersionSyntax,
  placeInNamespace,
} from './writes/object-meta.ts';
import { removeRepeatedOwners } from './writes/owner-references.ts';
import type { ObjectPatcher } from './writes/object-patcher.ts';
import type { ObjectWriter } from './writes/object-writer.ts';
import { applyType, patchTypeOf, readPatch } from './writes/patch-body.ts';
import type { UpdateScope } from '../resources/revert-outside-scope.ts';
import {
  checkForce,
  checkManager,
  type WriteOptions,
  writeOptions,
} from './writes/write-options.ts';

/** Handles create, update and patch. */
export class WriteVerbs {
  readonly #writer: ObjectWriter;
  readonly #patcher: ObjectPatcher;

  constructor(writer: ObjectWriter, patcher: ObjectPatcher) {
    this.#writer = writer;
    this.#patcher = patcher;
  }

  async create(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const options = writeOptions(request, 'CreateOptions');
    const object = await decodedBody(request, resource, options);
    placeInNamespace(resource, object, request.info.namespace);
    const { warnings } = request;
    removeRepeatedOwners(object, warnings, 'body');
    const stored = await this.#writer.createFor(resource, object, { options, warnings });
    await sendObject(request, resource, stored, 201);
  }

  async update(
    request: ResourceRequest,
    resource: ServedResource,
    scope: UpdateScope,
  ): Promise<void> {
    const options = writeOptions(request, 'UpdateOptions');
    const object = await decodedBody(request, resource, options);
    const { name, namespace } = request.info;
    placeInNamespace(resource, object, namespace);
    checkName(object, name);
    const { warnings } = request;
    removeRepeatedOwners(object, warnings, 'body');
    const key = resource.key(request.info);
    if (resource.strategy.createsOnUpdate && !resource.store.get(key)) {
      checkUidOfMissing(resource, object, options);
      checkVersionSyntax(object);
      delete object.metadata.resourceVersion;
      const creation = { options, warnings, scope, isUpsert: true };
      const stored = await this.#writer.createFor(resource, object, creation);
      await sendObject(request, resource, stored, 201);
      return;
    }
    const next = (current: ApiObject): ApiObject => {
      checkUid(resource, current, object, options);
      return object;
    };
    const stored = await this.#writer.updateFor(resource, { key, scope, options, next, warnings });
    await sendObject(request, resource, stored);
  }

  async patch(
    request: ResourceRequest,
    resource: ServedResource,
    scope: UpdateScope,
  ): Promise<void> {
    const patchType = patchTypeOf(resource, request.headers['content-type']);
    const options = writeOptions(request, 'PatchOptions');
    const body = await request.body();
    const { name, namespace } = request.info;
    const key = resource.key(request.info);
    const { warnings } = request;
    const target = { resource, key, name, namespace, scope, options, warnings };
    if (patchType === applyType) {
      checkManager(request.query);
      const configuration = await decodeAppliedBody(body, options, warnings);
      const applied = decodeApplied(decodeTargetOf(resource), configuration);
      const { stored, created } = await this.#patcher.apply(target, applied);
      await sendObject(request, resource, stored, created ? 201 : 200);
      return;
    }
    checkForce(request.query);
    if (resource.store.get(key) === undefined) throw notFound(resource.subject(name));
    const patch = readPatch(patchType, resource.schema.type, body);
    await sendObject(request, resource, await this.#patcher.patch(target, patch));
  }
}

async function decodedBody(
  request: ResourceRequest,
  resource: ServedResource,
  options: WriteOptions,
): Promise<ApiObject> {
  const contentType = request.headers['content-type'];
  const sent = await request.body();
  if (resource.facts.custom && contentTypeOf(contentType) === protobufMediaType) {
    throw unsupportedMediaType(
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
    );
  }
  const body = await decodeObject(sent, contentType, resource.facts.kind);
  return decodeWrite(decodeTargetOf(resource), body, options, request.warnings);
}
