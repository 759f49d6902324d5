import * as fc from 'fast-check';
import type { JsonObject, JsonSchema } from '@keelson/structural-schema';
import { members, mostly } from './member.ts';
import { randomSchema } from './schema.ts';

const labels = fc.constantFrom('a', 'gz', 'a-b', 'a.b', 'A', '1a', '-a', 'a_b', '');
const lists = fc.array(mostly(fc.constantFrom('g', 'gz'), 10, labels), { maxLength: 2 });
const paths = mostly(
  fc.constantFrom('.spec.a', '.status.b', '.metadata.name'),
  12,
  fc.constantFrom('', '.', 'spec.a', '.spec', '..a'),
);

const column = members({
  name: [100, mostly(fc.constantFrom('A', 'B'), 3, fc.constant(''))],
  type: [
    100,
    mostly(
      fc.constantFrom('string', 'integer', 'number', 'boolean', 'date'),
      4,
      fc.constant('object'),
    ),
  ],
  jsonPath: [100, paths],
  format: [
    20,
    mostly(
      fc.constantFrom('int32', 'date-time', 'password', 'double'),
      25,
      fc.constantFrom('x', 'uuid'),
    ),
  ],
  description: [10, fc.constant('text')],
  priority: [10, fc.constantFrom(0, 1)],
});

const scale = members({
  specReplicasPath: [100, mostly(fc.constant('.spec.a'), 10, paths)],
  statusReplicasPath: [100, mostly(fc.constant('.status.a'), 10, paths)],
  labelSelectorPath: [30, mostly(fc.constant('.status.b'), 20, paths)],
});

const object: fc.Arbitrary<JsonSchema> = mostly(
  randomSchema(2),
  10,
  fc.constant<JsonSchema>({ type: 'object', properties: { a: { type: 'string' } } }),
);

/** Options of `defineKind`, as far as Kubernetes too has them, with a schema of a status whenever there is a scale. */
export const kindOptions: fc.Arbitrary<JsonObject> = fc
  .tuple(
    members({
      group: [
        100,
        mostly(fc.constant('judge.example'), 6, fc.constantFrom('a', 'A.b', 'a..b', '')),
      ],
      version: [100, mostly(fc.constantFrom('v1', 'v1beta1'), 5, labels)],
      kind: [100, mostly(fc.constant('Gizmo'), 4, fc.constantFrom('Giz-mo', 'Giz mo', 'G_', ''))],
      plural: [100, mostly(fc.constant('gizmos'), 5, labels)],
      singular: [30, mostly(fc.constant('gizmo'), 8, labels)],
      scope: [40, mostly(fc.constantFrom('Namespaced', 'Cluster'), 6, fc.constant('cluster'))],
      shortNames: [20, lists],
      categories: [20, lists],
      deprecated: [
        10,
        fc.constantFrom<unknown>(
          true,
          false,
          'old',
          '',
          'a\nb',
          'é'.repeat(129),
          '\u00a0',
          '\u{1f600}',
        ),
      ],
      printColumns: [30, fc.array(column, { maxLength: 2 })],
    }),
    object,
    members({ status: [50, object] }),
    members({ scale: [25, scale] }),
  )
  .map(([names, spec, { status }, { scale: replicaPaths }]) => {
    const statusSchema = status ?? (replicaPaths === undefined ? undefined : { type: 'object' });
    return JSON.parse(
      JSON.stringify({ ...names, spec, status: statusSchema, scale: replicaPaths }),
    ) as JsonObject;
  });

/** Returns the definition that the options describe, without any check. */
export function definitionOfOptions(options: JsonObject): JsonObject {
  const { group, version, kind, plural, singular, scope = 'Namespaced', spec, status } = options;
  const { deprecated, printColumns, scale: replicaPaths } = options;
  const names = {
    kind,
    plural,
    singular,
    shortNames: options['shortNames'],
    categories: options['categories'],
  };
  const subresources = {
    ...(status !== undefined && { status: {} }),
    ...(replicaPaths !== undefined && { scale: replicaPaths }),
  };
  const properties = { spec, ...(status !== undefined && { status }) };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural as string}.${group as string}` },
    spec: {
      group,
      scope,
      names,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties } },
          subresources,
          additionalPrinterColumns: printColumns,
          ...(deprecated !== undefined && deprecated !== false && { deprecated: true }),
          ...(typeof deprecated === 'string' && { deprecationWarning: deprecated }),
        },
      ],
    },
  };
  return JSON.parse(JSON.stringify(definition)) as JsonObject;
}
