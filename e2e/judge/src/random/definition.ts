import * as fc from 'fast-check';
import type { JsonObject, JsonSchema } from '@keelson/structural-schema';
import { members, mostly } from './member.ts';
import { randomSchema } from './schema.ts';
import { anyValue } from './value.ts';
import { column, conversion, jsonPaths, labels, subresources, warnings } from './version-parts.ts';

/** A CustomResourceDefinition as a client sends it. */
export type Definition = JsonObject;

const groups = mostly(
  fc.constant('judge.example'),
  6,
  fc.constantFrom(
    '',
    'a',
    'A.b',
    'x.k8s.io',
    'a.kubernetes.io',
    'a..b',
    'k8s.io',
    `${'a'.repeat(250)}.example`,
  ),
);
const approvals = fc.constantFrom(
  'https://github.com/kubernetes/kubernetes/pull/1',
  'unapproved, for a test',
  'no',
  'https://%zz',
  'https://a b',
  '//a',
  '',
);

const names = members({
  plural: [99, mostly(fc.constant('gizmos'), 2, labels)],
  kind: [99, mostly(fc.constant('Gizmo'), 2, fc.oneof(labels, fc.constant('GizmoList')))],
  singular: [40, mostly(fc.constant('gizmo'), 6, labels)],
  listKind: [30, mostly(fc.constant('GizmoList'), 8, fc.oneof(labels, fc.constant('Gizmo')))],
  shortNames: [20, fc.array(mostly(fc.constantFrom('g', 'gz'), 8, labels), { maxLength: 2 })],
  categories: [15, fc.array(mostly(fc.constantFrom('all', 'gizmos'), 8, labels), { maxLength: 2 })],
});

/** The schema of the whole object. */
export const rootSchema: fc.Arbitrary<JsonSchema> = fc
  .tuple(
    mostly(randomSchema(2), 4, fc.constant<JsonSchema>({ type: 'object' })),
    fc.oneof(randomSchema(1), fc.constant<JsonSchema>({ type: 'object' })),
    members({
      nullable: [1, fc.boolean()],
      'x-kubernetes-preserve-unknown-fields': [3, fc.constant(true)],
      'x-kubernetes-embedded-resource': [1, fc.constant(true)],
      required: [5, fc.constantFrom(['spec'], ['metadata'], [])],
      description: [10, fc.constant('text')],
      minProperties: [2, fc.constant(1)],
      maxProperties: [1, fc.constantFrom(2, 9)],
      additionalProperties: [1, fc.constantFrom<unknown>(true, false, { type: 'string' })],
      oneOf: [2, fc.constantFrom([{ required: ['spec'] }], [{ properties: { metadata: {} } }], [])],
      default: [1, fc.constantFrom<unknown>({}, { spec: 1 })],
      enum: [0.5, fc.array(anyValue, { maxLength: 2 })],
      title: [1, fc.constant('x')],
      type: [2, fc.constantFrom('array', 'string', '', 'object')],
    }),
    members({
      metadata: [
        6,
        fc.constantFrom<unknown>(
          { type: 'object' },
          { type: 'object', properties: { name: { type: 'string', maxLength: 4 } } },
          { type: 'string' },
          {},
          { type: 'object', properties: { labels: { type: 'object' } } },
          { type: 'object', description: 'x' },
          { type: 'object', default: {} },
        ),
      ],
      kind: [
        5,
        fc.constantFrom<unknown>(
          { type: 'string' },
          { type: 'integer' },
          {},
          { type: 'string', default: 'x' },
        ),
      ],
      apiVersion: [5, fc.constantFrom<unknown>({ type: 'string' }, { type: 'object' }, {})],
    }),
  )
  .map(([spec, status, root, more]) => ({
    type: 'object',
    properties: { spec, status, ...more },
    ...root,
  }));

/** A root schema without odd parts around one schema. */
export function plainRoot(spec: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { spec, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  };
}

const version = members({
  name: [99, mostly(fc.constantFrom('v1', 'v1beta1', 'v2'), 3, labels)],
  served: [99, mostly(fc.constant(true), 15, fc.constant(false))],
  schema: [
    98,
    mostly(
      rootSchema.map((openAPIV3Schema) => ({ openAPIV3Schema })),
      2,
      fc.constant({}),
    ),
  ],
  subresources: [30, subresources],
  additionalPrinterColumns: [20, fc.array(column, { maxLength: 2 })],
  selectableFields: [20, fc.array(members({ jsonPath: [98, jsonPaths] }), { maxLength: 3 })],
  deprecated: [12, mostly(fc.constant(true), 15, fc.constant(false))],
});

const versions = fc
  .tuple(
    version,
    mostly(fc.constant<object[]>([]), 25, fc.array(version, { minLength: 1, maxLength: 2 })),
    members({ deprecationWarning: [8, warnings] }),
    fc.integer({ min: 0, max: 99 }),
  )
  .map(([first, others, warned, dice]) =>
    [{ ...first, ...warned }, ...others].map((each, index) => ({
      ...each,
      ...(dice === 0 ? {} : { storage: dice === 1 ? true : index === 0 }),
      // Versions with equal parts are stored in another form by Kubernetes.
      ...(dice < 60 && index > 0 && 'schema' in first && { schema: first['schema'] }),
      ...(dice % 2 === 0 &&
        index > 0 &&
        'subresources' in first && { subresources: first['subresources'] }),
    })),
  );

/** CustomResourceDefinitions: most are accepted, the others are refused for one or a few reasons. */
export const randomDefinition: fc.Arbitrary<Definition> = fc
  .tuple(
    members({
      group: [99, groups],
      names: [100, names],
      scope: [
        99,
        mostly(fc.constantFrom('Namespaced', 'Cluster'), 3, fc.constantFrom('', 'cluster')),
      ],
      versions: [99, versions],
      conversion: [12, conversion],
      preserveUnknownFields: [3, fc.boolean()],
    }),
    members({
      name: [3, fc.constantFrom('', 'x', 'gizmos', 'Gizmos.judge.example')],
      annotations: [8, approvals.map((value) => ({ 'api-approved.kubernetes.io': value }))],
    }),
  )
  .map(([spec, metadata]) => definitionOf(spec, metadata) as Definition);

/** Returns a definition whose name fits its spec. */
function definitionOf(spec: Record<string, unknown>, metadata: object): object {
  const { plural } = spec['names'] as { plural?: string };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${String(spec['group'])}`, ...metadata },
    spec,
  };
}

/** Returns a valid definition with one version and a schema of its objects. */
export function definitionWith(root: JsonSchema, plural: string, more: object = {}): Definition {
  const kind = 'Gizmo';
  return definitionOf(
    {
      group: `${plural}.example`,
      scope: 'Namespaced',
      names: { plural: 'gizmos', singular: 'gizmo', kind, listKind: `${kind}List` },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root }, ...more },
      ],
    },
    {},
  ) as Definition;
}
