import { invalidOption, type ApiResource, type ObjectName } from '@keelson/apimachinery';
import { informerError } from '../errors.ts';

/**
 * Rejects a name that does not fit the scope of the kind. Returning `undefined` would look like a
 * deleted object.
 */
export function checkName(resource: ApiResource, object: ObjectName): void {
  const { namespace, name } = object ?? {};
  if (typeof name !== 'string' || (namespace !== undefined && typeof namespace !== 'string')) {
    throw invalidOption('name', 'must be { namespace, name }');
  }
  // A single comparison, because every read runs it. A token without `namespaced` accepts every name.
  if (resource.namespaced !== !namespace) return;
  if (namespace) throw namespaceNotAllowed(resource, namespace);
  throw informerError('NAMESPACE_REQUIRED', { kind: resource.kind, name });
}

/**
 * Rejects a namespace for a cluster-scoped kind. A list without a namespace covers all namespaces.
 */
export function checkNamespaceOf(resource: ApiResource, namespace: string | undefined): void {
  const isOfOtherScope = resource.namespaced === !namespace;
  if (namespace && isOfOtherScope) {
    throw namespaceNotAllowed(resource, namespace);
  }
}

function namespaceNotAllowed({ kind }: ApiResource, namespace: string): Error {
  return informerError('NAMESPACE_NOT_ALLOWED', { kind, namespace });
}
