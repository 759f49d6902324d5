import type { ApiResource, builtin, ObjectOf } from '@keelson/apimachinery';

/** The CustomResourceDefinition with which a server serves the kind. */
export function crdOf(resource: ApiResource): ObjectOf<typeof builtin.CustomResourceDefinition> {
  const { group, version, kind, plural } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
}
