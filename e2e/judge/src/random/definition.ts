import * as fc from 'fast-check';
import type { JsonObject, JsonSchema } from '@keelson/structural-schema';
import { members, mostly } from './member.ts';
import { randomSchema } from './schema.ts';
import { anyValue } from './value.ts';

/** A CustomResourceDefinition as a client sends it. */
export type Definition = JsonObject;

const labels = fc.constantFrom('A', 'a_b', '1a', 'a.b', '', 'a'.repeat(64), '-a', 'é');
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

const jsonPaths = mostly(
  fc.constantFrom(
    '.spec.a',
    '.spec.b.c',
    '.status.a',
    '.metadata.name',
    ".spec['a']",
    '.spec.c[0]',
    '.spec',
    '.a',
  ),
  10,
  fc.constantFrom(
    '',
    '.',
    'spec.a',
    '..a',
    '.spec.',
    '.spec.missing',
    '.metadata.labels',
    "['spec']",
    '.spec[',
    '.spec.a.b.c',
    '.spec.x-y',
    '.spec.name',
  ),
);

const column = members({
  name: [98, mostly(fc.constantFrom('A', 'B'), 3, fc.constant(''))],
  type: [
    98,
    mostly(
      fc.constantFrom('string', 'integer', 'number', 'boolean', 'date'),
      4,
      fc.constantFrom('', 'object'),
    ),
  ],
  jsonPath: [98, jsonPaths],
  format: [
    15,
    mostly(
      fc.constantFrom(
        'int32',
        'int64',
        'float',
        'double',
        'byte',
        'binary',
        'date',
        'date-time',
        'password',
      ),
      10,
      fc.constantFrom('', 'x'),
    ),
  ],
  description: [10, fc.constantFrom('', 'text')],
  priority: [10, fc.constantFrom(0, 1, -1, 2 ** 31)],
});

const scalePaths = mostly(
  fc.constantFrom('.spec.a', '.spec.b.c', '.status.a'),
  15,
  fc.constantFrom('', '.', '.spec', 'spec.a', '.spec.', '.metadata.a', '.spec..a', '.status'),
);

const subresources = members({
  status: [70, fc.constant({})],
  scale: [
    25,
    members({
      specReplicasPath: [97, mostly(fc.constant('.spec.a'), 15, scalePaths)],
      statusReplicasPath: [97, mostly(fc.constant('.status.a'), 15, scalePaths)],
      labelSelectorPath: [30, scalePaths],
    }),
  ],
});

const warnings = fc.oneof(
  { arbitrary: fc.constantFrom('gizmos are old', 'old'), weight: 8 },
  {
    arbitrary: fc.constantFrom(
      '',
      'a\nb',
      '\u{1f600}',
      'a\u00a0b',
      '\u2028',
      'a'.repeat(257),
      'é'.repeat(129),
      'é\u0007',
      '\ufeff',
      '\u00ad',
      '\ue000',
      '\u0378',
    ),
    weight: 4,
  },
);

/** The schema of the whole object. */
export const rootSchema: fc.Arbitrary<JsonSchema> = fc
  .tuple(
    mostly(randomSchema(2), 4, fc.constant({ type: 'object' } as JsonSchema)),
    fc.oneof(randomSchema(1), fc.constant({ type: 'object' } as JsonSchema)),
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
  .map(
    ([spec, status, root, more]) =>
      ({ type: 'object', properties: { spec, status, ...more }, ...root }) as JsonSchema,
  );

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

const urls = fc.constantFrom(
  'https://a.example/convert',
  'http://a',
  'https://user@a',
  'https://a?b=c',
  'https://a#b',
  'https://',
  'a',
  'https://a:99999',
);
const service = members({
  name: [97, mostly(fc.constant('hook'), 10, labels)],
  namespace: [97, mostly(fc.constant('default'), 10, labels)],
  path: [30, fc.constantFrom('/convert', '', '/', 'convert', '/a//b', '/a b', '/a/..', '/A_b/')],
  port: [20, fc.constantFrom(443, 0, -1, 70000)],
});
const webhook = members({
  clientConfig: [
    95,
    members({
      url: [40, urls],
      service: [55, service],
      caBundle: [20, fc.constantFrom('YQ==', '', '%%')],
    }),
  ],
  conversionReviewVersions: [
    95,
    fc.array(mostly(fc.constantFrom('v1', 'v1beta1'), 15, fc.constantFrom('v2', '', 'V', 'v1')), {
      maxLength: 2,
    }),
  ],
});
const conversion = fc.oneof(
  { arbitrary: fc.constant({ strategy: 'None' }), weight: 3 },
  { arbitrary: webhook.map((found) => ({ strategy: 'Webhook', webhook: found })), weight: 4 },
  {
    arbitrary: fc.oneof(
      fc.constantFrom({}, { strategy: '' }, { strategy: 'Other' }),
      webhook.map((found) => ({ strategy: 'None', webhook: found })),
      fc.constant({ strategy: 'Webhook' }),
    ),
    weight: 1,
  },
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
