/** The namespace and name of an object within its kind. Cluster-scoped objects have no namespace. */
export interface ObjectName {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** `"namespace/name"`, or `"name"` for a cluster-scoped object (client-go's `MetaNamespaceKeyFunc`). */
export type ObjectKey = string;

/** Returns the key that stores and workqueues use for an object. */
export function objectKey(name: ObjectName): ObjectKey {
  return name.namespace === undefined || name.namespace === ''
    ? name.name
    : `${name.namespace}/${name.name}`;
}

/** Returns the namespace and name of an object key. */
export function parseObjectKey(key: ObjectKey): ObjectName {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Returns the key of an object from its metadata. Views and heads of objects are accepted too. */
export function keyOf(object: {
  readonly metadata?: { readonly namespace?: string | undefined; readonly name?: string };
}): ObjectKey {
  const { namespace, name = '' } = object.metadata ?? {};
  return objectKey({ namespace, name });
}
