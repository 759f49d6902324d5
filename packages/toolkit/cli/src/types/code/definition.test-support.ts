/** The schema of an object with these properties. */
export function objectSchema(properties: object, more: object = {}): object {
  return { type: 'object', properties, ...more };
}

/** A version of a definition with this schema of the whole object. */
export function versionWith(schema: object, more: object = {}): object {
  return { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
}

/** A definition of widgets with these versions. */
export function definitionWith(
  versions: readonly object[],
  more: {
    readonly kind?: string;
    readonly plural?: string;
    readonly scope?: string;
    readonly group?: string;
  } = {},
): object {
  const { kind = 'Widget', plural = 'widgets', scope = 'Namespaced' } = more;
  const { group = 'shop.example' } = more;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, names: { kind, plural }, scope, versions },
  };
}

/** A definition of widgets whose spec has these properties. */
export function definitionOf(properties: object, more: object = {}): object {
  const schema = objectSchema({ spec: objectSchema(properties, more) });
  return definitionWith([versionWith(schema)]);
}
