import { invalidOption, type ApiResource, type ObjectName } from '@keelson/apimachinery';
import { informerError } from '../errors.ts';

/**
 * Refuses the name of an object that the kind cannot have: the answer `undefined` would pass for an
 * object that is gone.
 */
export function checkName(resource: ApiResource, object: ObjectName): void {
  const { namespace, name } = object ?? {};
  if (typeof name !== 'string') throw invalidOption('name', 'must be { namespace, name }');
  if (!isOfOtherScope(resource, namespace)) return;
  if (namespace) throw namespaceNotAllowed(resource, namespace);
  throw informerError('NAMESPACE_REQUIRED', { kind: resource.kind, name });
}

/** Refuses to list one namespace of a kind that has none. Without a namespace all are meant. */
export function checkNamespaceOf(resource: ApiResource, namespace: string | undefined): void {
  if (namespace && isOfOtherScope(resource, namespace)) {
    throw namespaceNotAllowed(resource, namespace);
  }
}

/** One comparison, as it stands in the way of every read; never true of a token that does not say its scope. */
function isOfOtherScope({ namespaced }: ApiResource, namespace: string | undefined): boolean {
  return namespaced === !namespace;
}

function namespaceNotAllowed({ kind }: ApiResource, namespace: string): Error {
  return informerError('NAMESPACE_NOT_ALLOWED', { kind, namespace });
}
