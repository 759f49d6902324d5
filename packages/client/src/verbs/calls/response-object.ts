import type { KubernetesObject } from '@keelson/apimachinery';
import type { HttpResponse } from '../../http/http-response.ts';
import { isRecord } from '../../values/record.ts';

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

/**
 * Reads the list of a successful response. Go servers write the items of an empty list as null, or omit them.
 */
export async function readList(response: HttpResponse): Promise<object> {
  const list: KubernetesObject & { items?: unknown } = await parsedObject(response);
  const isEmpty = list.items === null || (list.items ?? list.kind?.endsWith('List')) === true;
  const items = isEmpty ? [] : list.items;
  if (!Array.isArray(items) || !items.every(isRecord)) {
    throw response.unexpected({ kind: list.kind, reason: 'the body is not a list' });
  }
  return Object.assign(list, { items });
}

async function parsedObject(response: HttpResponse): Promise<KubernetesObject> {
  const parsed = await response.json();
  if (!isRecord(parsed)) throw response.unexpected({ reason: 'the body is not an object' });
  if (parsed['kind'] === 'Table') throw response.unexpected({ kind: parsed['kind'] });
  return parsed;
}
