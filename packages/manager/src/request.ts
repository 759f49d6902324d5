import { invalidOption, type ObjectName } from '@keelson/apimachinery';

/**
 * What a reconcile is asked to look at: by default the name of an object. A controller may use a
 * request of its own (one that carries a kind, say), as long as it is made of plain values.
 */
export type Request = ObjectName;

/**
 * The text under which a request is queued: equal requests are one entry. The key of a plain name
 * is its object key; further members are part of the key, in any order.
 */
export function requestKey(request: object): string {
  let namespace: string | undefined;
  let name: string | undefined;
  for (const member in request) {
    if (member === 'name') name = (request as Request).name;
    else if (member === 'namespace') namespace = (request as Request).namespace;
    else return keyOfMembers(request);
  }
  if (typeof name !== 'string') return keyOfMembers(request);
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

function keyOfMembers(request: object): string {
  const isObject = typeof request === 'object' && request !== null && !Array.isArray(request);
  const members = isObject
    ? Object.entries(request).filter(([, value]) => value !== undefined)
    : [];
  // A promise has no members of its own: what an async mapper returns is refused here.
  if (members.length === 0) {
    throw invalidOption('request', 'must be an object such as { namespace, name }');
  }
  return JSON.stringify(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
