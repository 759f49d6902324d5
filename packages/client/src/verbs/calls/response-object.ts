import type { KubernetesObject } from '@keelson/apimachinery';
import type { HttpResponse } from '../../http/http-response.ts';
import { isRecord } from '../../values/record.ts';

/**
 * The object of a successful response. A Table, a Status, or anything that is not an object is refused: code
 * `UNEXPECTED_RESPONSE`.
 */
export async function readObject(response: HttpResponse): Promise<object> {
  const object = await parsedObject(response);
  if (object.kind === 'Status') throw response.unexpected({ kind: object.kind });
  return object;
}

/** The same for verbs that a server may confirm with a Status: deletions, `eviction`, `binding`. */
export async function readConfirmation(response: HttpResponse): Promise<object> {
  const object: KubernetesObject & { status?: unknown } = await parsedObject(response);
  if (object.kind === 'Status' && object.status === 'Failure') {
    throw response.unexpected({ kind: object.kind, status: object.status });
  }
  return object;
}

/** The list of a successful response. Go servers write the items of an empty list as null, or leave them out. */
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
