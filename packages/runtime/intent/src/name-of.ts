import type { ObjectName } from '@keelson/apimachinery';

/** The namespace and name of an object; a cluster-scoped one has no namespace. */
export function nameOf({ metadata }: { readonly metadata: ObjectName }): ObjectName {
  const { namespace, name } = metadata;
  return namespace ? { namespace, name } : { name };
}
