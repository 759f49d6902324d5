import type { ApiResource, KubernetesObject } from '@keelson/apimachinery';
import type { HttpResponse } from '../../http/http-response.ts';
import { isListOf } from './expected-type.ts';
import { isRecord } from '../../values/record.ts';

/** The reason of `UNEXPECTED_RESPONSE` for a body that is an object, but not a list of the resource. */
export const NOT_A_LIST = 'the body is not a list of the resource';

/**
 * Reads the object of a successful response. Throws `UNEXPECTED_RESPONSE` for a Table, a Status or a value
 * that is not an object.
 */
export async function readObject(response: HttpResponse): Promise<object> {
  const object = await parsedObject(response);
  if (object.kind === 'Status') throw response.unexpected({ kind: object.kind });
  return object;
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
    if (!isList || !Array.isArray(items) || !items.every(isRecord)) {
      throw response.unexpected({ kind, reason: NOT_A_LIST });
    }
    return Object.assign(list, { items });
  };
}

async function parsedObject(response: HttpResponse): Promise<KubernetesObject> {
  const parsed = await response.json();
  if (!isRecord(parsed)) throw response.unexpected({ reason: 'the body is not an object' });
  if (parsed['kind'] === 'Table') throw response.unexpected({ kind: parsed['kind'] });
  return parsed;
}
