import { contentTypeOf } from '../http/media-type.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { answerMade } from '../http/object-answer.ts';
import type { ResourceRequestInfo } from '../http/request-info.ts';
import { asJson, type JsonValue } from '../patch/json-value.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { builtinKindSchema } from '../schema/builtin-kind-schema.ts';
import { invalid, notFound } from '../status-answers.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { type DecodeTarget, decodeWrite } from '../verbs/decode-write.ts';
import { decodeObject, parseYaml } from '../verbs/object-body.ts';
import type { ObjectWriter } from '../verbs/object-writer.ts';
import { applyType, patchFunction, patchTypeOf } from '../verbs/patch-body.ts';
import { type WriteOptions, writeOptions } from '../verbs/write-options.ts';
import { scaleColumns } from '../tables/scale-columns.ts';
import { checkUid } from '../verbs/object-meta.ts';
import { scaleAccess } from './scale-paths.ts';

type ResourceRequest = ApiRequest<ResourceRequestInfo>;

const gvk = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The scale subresource: every scalable kind seen as an `autoscaling/v1` Scale. */
export class ScaleVerbs {
  readonly #writer: ObjectWriter;

  constructor(writer: ObjectWriter) {
    this.#writer = writer;
  }

  async get(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const stored = resource.store.get(resource.key(request.info));
    if (stored === undefined) throw notFound(resource.subject(request.info.name));
    await answerMade(request, 200, scaleOf(resource, resource.read(stored)), scaleColumns);
  }

  async update(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const options = writeOptions(request, 'UpdateOptions');
    const contentType = request.headers['content-type'];
    const body = await decodeObject(await request.body(), contentType, gvk.kind);
    const scale = decodeWrite(decodeTarget(), body, options, request.warnings);
    await this.#write(request, resource, options, () => scale);
  }

  async patch(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const options = writeOptions(request, 'PatchOptions');
    const patched = await patchOf(request, resource);
    await this.#write(request, resource, options, (current) => {
      const value = patched(asJson(current)) as Record<string, unknown>;
      return decodeWrite(decodeTarget(), { value, json: '' }, options, request.warnings);
    });
  }

  async #write(
    request: ResourceRequest,
    resource: ServedResource,
    options: WriteOptions,
    next: (scale: ApiObject) => ApiObject,
  ): Promise<void> {
    const stored = this.#writer.update(resource, {
      key: resource.key(request.info),
      scope: 'scale',
      options,
      warnings: request.warnings,
      next: (current) => rescaled(resource, current, next(scaleOf(resource, current))),
    });
    await answerMade(request, 200, scaleOf(resource, resource.read(stored)), scaleColumns);
  }
}

/** An apply of a Scale is a merge patch of it: its only field of substance is `spec.replicas`. */
async function patchOf(
  request: ResourceRequest,
  resource: ServedResource,
): Promise<(scale: JsonValue) => JsonValue> {
  const header = request.headers['content-type'];
  const { type } = decodeTarget().schema;
  const body = await request.body();
  if (contentTypeOf(header) !== applyType) {
    return patchFunction(patchTypeOf(resource, header), type, body);
  }
  const applied = Buffer.from(JSON.stringify(await parseYaml(body.toString(), gvk.kind)));
  return patchFunction('application/merge-patch+json', type, applied);
}

function scaleOf(resource: ServedResource, object: ApiObject): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const access = scaleAccess(resource);
  const replicas = access.replicas(object);
  const selector = access.selector(object);
  return {
    kind: gvk.kind,
    apiVersion: `${gvk.group}/${gvk.version}`,
    metadata: JSON.parse(
      JSON.stringify({ name, namespace, uid, resourceVersion, creationTimestamp }),
    ) as ApiObject['metadata'],
    spec: replicas === undefined ? {} : { replicas },
    status: { replicas: access.observed(object), ...(selector !== '' && { selector }) },
  };
}

function rescaled(resource: ServedResource, object: ApiObject, scale: ApiObject): ApiObject {
  const { replicas = 0 } = (scale['spec'] ?? {}) as { replicas?: number };
  if (replicas < 0)
    throw invalid({ ...gvk, name: scale.metadata.name ?? '' }, [negative(replicas)]);
  scaleAccess(resource).setReplicas(object, replicas);
  checkUid(resource, object, scale);
  const { resourceVersion } = scale.metadata;
  if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion;
  return object;
}

function negative(replicas: number): { reason: string; message: string; field: string } {
  const message = `Invalid value: ${replicas}: must be greater than or equal to 0`;
  return { reason: 'FieldValueInvalid', message, field: 'spec.replicas' };
}

function decodeTarget(): DecodeTarget {
  const schema = builtinKindSchema(gvk);
  if (schema === undefined) throw new Error('no schema for Scale');
  const { group, version, kind } = gvk;
  return { apiVersion: `${group}/${version}`, group, kind, version, custom: false, schema };
}
