import type { ApiResource, KubernetesObject } from '@keelson/apimachinery';
import type { HttpResponse } from '../../http/http-response.ts';
import { isListOf, namesOtherItem, namesOtherObject } from './expected-type.ts';
import { isRecord } from '../../values/record.ts';

/** The fact `reason` of `UNEXPECTED_RESPONSE` for a body that is an object, but not a list of the resource. */
export const NOT_A_LIST = 'the body is not a list of the resource';

const NOT_OF_THE_RESOURCE = 'an item is not an object of the resource';
const NO_OBJECT = 'the body is not an object';
const NO_METADATA = 'the object has no metadata';

/**
 * Reads the object of a successful response. Throws `UNEXPECTED_RESPONSE` for a Table, a Status or a value
 * that is not an object.
 */
export async function readObject(response: HttpResponse): Promise<KubernetesObject> {
  const object = await response.json();
  if (!isRecord(object)) throw response.unexpected({ reason: NO_OBJECT });
  if (object['kind'] === 'Table' || object['kind'] === 'Status') {
    throw response.unexpected({ kind: object['kind'] });
  }
  return object;
}

/**
 * Returns a reader of the objects of one resource. It throws `UNEXPECTED_RESPONSE` for an object that names another
 * type, and for one without metadata. `needsMetadata`: false for an object that the server does not store, such as a
 * SubjectAccessReview.
 */
export function objectReader(
  resource: ApiResource,
  { needsMetadata = true }: { readonly needsMetadata?: boolean } = {},
): (response: HttpResponse) => Promise<object> {
  return async (response) => {
    const object = await readObject(response);
    checkObject(resource, response, { object, needsMetadata });
    return object;
  };
}

/** Returns a reader of the response to a deletion: an object of the resource, or a Status of success. */
export function deletionReader(resource: ApiResource): (response: HttpResponse) => Promise<object> {
  return async (response) => {
    const object: KubernetesObject = await readConfirmation(response);
    if (object.kind === 'Status') return object;
    checkObject(resource, response, { object, needsMetadata: true });
    return object;
  };
}

function checkObject(
  resource: ApiResource,
  response: HttpResponse,
  { object, needsMetadata }: { readonly object: KubernetesObject; readonly needsMetadata: boolean },
): void {
  const { kind, metadata } = object;
  if (namesOtherObject(resource, object))
    throw response.unexpected({ kind, expected: resource.kind });
  const isComplete = isRecord(metadata) || (metadata === undefined && !needsMetadata);
  if (!isComplete) throw response.unexpected({ kind, reason: NO_METADATA });
}

/** Returns why an item of a list or a watch is not an object of the resource; `undefined` if it is one. */
export function itemFault(resource: ApiResource, item: unknown): string | undefined {
  if (!isRecord(item) || namesOtherItem(resource, item)) return NOT_OF_THE_RESOURCE;
  return isRecord(item['metadata']) ? undefined : NO_METADATA;
}

/**
 * Reads an object or a Status of success, with which a server may confirm a deletion, an `eviction` or a
 * `binding`.
 */
export async function readConfirmation(response: HttpResponse): Promise<object> {
  const object: KubernetesObject & { status?: unknown } = await parsedObject(response);
  if (object.kind === 'Status' && object.status === 'Failure') {
    throw response.unexpected({ kind: object.kind, status: object.status });
  }
  return object;
}

/** Returns a reader of the lists of one resource. It throws `UNEXPECTED_RESPONSE` for anything else. */
export function listReader(resource: ApiResource): (response: HttpResponse) => Promise<object> {
  return async (response) => {
    const list: KubernetesObject & { items?: unknown } = await parsedObject(response);
    const { apiVersion, kind } = list;
    const items = list.items ?? [];
    const isList = isListOf(resource, { apiVersion, kind, hasItems: list.items !== undefined });
    if (!isList || !Array.isArray(items)) throw response.unexpected({ kind, reason: NOT_A_LIST });
    for (const item of items) {
      const reason = itemFault(resource, item);
      if (reason !== undefined) throw response.unexpected({ kind, reason });
    }
    // An aggregated API server may leave out the metadata of a list, whose type has them.
    return Object.assign(list, { items, metadata: isRecord(list.metadata) ? list.metadata : {} });
  };
}

async function parsedObject(response: HttpResponse): Promise<KubernetesObject> {
  const parsed = await response.json();
  if (!isRecord(parsed)) throw response.unexpected({ reason: NO_OBJECT });
  if (parsed['kind'] === 'Table') throw response.unexpected({ kind: parsed['kind'] });
  return parsed;
}
