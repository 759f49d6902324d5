import type { GroupVersionKind } from '../../admission/dynamic/admission-attributes.ts';
import { recordUpdate } from '../../apply/record-update.ts';
import type { ResourceRequest } from '../../http/api-request.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import { timestamp } from '../../schema/clock.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import { builtinTarget, decodeWrite } from './decode-write.ts';
import { decodeObject } from './object-body.ts';
import { placeInNamespace } from './object-meta.ts';
import { type WriteOptions, writeOptions } from './write-options.ts';

/** The kind of a posted body. */
export interface PostedKind extends GroupVersionKind {
  /** The apiVersion of an older version with the same fields, which is accepted too. */
  readonly olderVersion?: string;
}

/** A body of a POST that is not stored as such: a binding, an eviction, a token request. */
export interface PostedBody {
  readonly kind: PostedKind;
  readonly value: ApiObject;
  readonly options: WriteOptions;
}

/**
 * Reads a posted body and the options of its request. Both are checked as those of a create: the kind, the types of fields,
 * unknown fields, the namespace.
 */
export async function postedBody(
  request: ResourceRequest,
  resource: ServedResource,
  kind: PostedKind,
): Promise<PostedBody> {
  const { info, headers, warnings } = request;
  const options = writeOptions(request, 'CreateOptions');
  const body = await decodeObject(await request.body(), headers['content-type'], kind.kind);
  const target = builtinTarget(kind, resource.release);
  if (body.value['apiVersion'] === kind.olderVersion) body.value['apiVersion'] = target.apiVersion;
  const value = decodeWrite(target, body, options, warnings);
  placeInNamespace(resource, value, info.namespace);
  const managedFields = recordUpdate({
    type: target.schema.type,
    before: undefined,
    after: value,
    manager: options.fieldManager,
    subresource: info.subresource,
    hasStatus: false,
    apiVersion: target.apiVersion,
    now: timestamp(request.now),
  });
  if (managedFields.length > 0) value.metadata.managedFields = managedFields;
  return { kind, value, options };
}
