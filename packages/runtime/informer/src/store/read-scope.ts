import { invalidOption, type ApiResource, type ObjectName } from '@keelson/apimachinery';
import { informerError } from '../errors.ts';

/**
 * Rejects a name that does not fit the scope of the kind. Returning `undefined` would look like a
 * deleted object.
 */
export function checkName(resource: ApiResource, object: ObjectName): void {
  const { namespace, name } = object ?? {};
  if (typeof name !== 'string' || !isText(namespace)) {
    throw invalidOption('name', 'must be { namespace, name }');
  }
  if (!isOfOtherScope(resource, namespace)) return;
  if (namespace) throw namespaceNotAllowed(resource, namespace);
  throw informerError('NAMESPACE_REQUIRED', { kind: resource.kind, name });
}

/**
 * Rejects a namespace for a cluster-scoped kind. A list without a namespace covers all namespaces.
 */
export function checkNamespaceOf(resource: ApiResource, namespace: string | undefined): void {
  if (namespace && isOfOtherScope(resource, namespace)) {
    throw namespaceNotAllowed(resource, namespace);
  }
}

/**
 * True if a name does not fit the scope of a kind. It is a single comparison, because every read runs it. A token
 * without `namespaced` accepts every name.
 */
function isOfOtherScope({ namespaced }: ApiResource, namespace: string | undefined): boolean {
  return namespaced === !namespace;
}

function isText(namespace: unknown): boolean {
  return namespace === undefined || typeof namespace === 'string';
}

function namespaceNotAllowed({ kind }: ApiResource, namespace: string): Error {
  return informerError('NAMESPACE_NOT_ALLOWED', { kind, namespace });
}
