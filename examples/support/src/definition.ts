import type { ApiResource, builtin, ObjectOf } from '@keelson/manager';

/** A CustomResourceDefinition with its name, as YAML files have it. */
export type Definition = ObjectOf<typeof builtin.CustomResourceDefinition> & {
  metadata: { name: string };
};

type Version = Definition['spec']['versions'][number];

/** The parts of a definition that the resource token does not have. */
export interface DefinitionOptions {
  /** The schemas of `spec` and `status`. */
  readonly spec: Schema;
  readonly status: Schema;
  /** The columns of `kubectl get`: heading → JSON path. */
  readonly columns: Readonly<Record<string, string>>;
}

type Schema = NonNullable<NonNullable<Version['schema']>['openAPIV3Schema']>;

/** The CustomResourceDefinition of a kind: one version, with the status subresource. */
export function definitionOf(resource: ApiResource, options: DefinitionOptions): Definition {
  const { group, version, kind, plural, namespaced } = resource;
  const { spec, status, columns } = options;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: Object.entries(columns).map(([name, jsonPath]) => {
            return { name, jsonPath, type: 'string' };
          }),
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['spec'],
              properties: { spec, status },
            },
          },
        },
      ],
    },
  };
}
