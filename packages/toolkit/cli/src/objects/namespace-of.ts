import type { KubernetesObject } from '@keelson/apimachinery';
import { CliError } from '../errors.ts';
import { titleOf, type Served } from './find-resource.ts';

/**
 * Returns the namespace of an object of a file: its own one, then the given one, then that of the context. Undefined for a resource
 * without namespaces. Throws `OBJECT_INVALID` if the object and the command line name two.
 */
export function namespaceOf(
  resource: Served,
  { metadata = {} }: KubernetesObject,
  { given, fallback }: { readonly given: string | undefined; readonly fallback: string },
): string | undefined {
  if (!resource.namespaced) return undefined;
  const { namespace: own, name = '' } = metadata;
  if (own !== undefined && given !== undefined && own !== given) {
    const reason = `is ${own}, and --namespace is ${given}`;
    const object = titleOf(resource, name);
    throw new CliError('OBJECT_INVALID', { object, path: 'metadata.namespace', reason });
  }
  return own ?? given ?? fallback;
}
