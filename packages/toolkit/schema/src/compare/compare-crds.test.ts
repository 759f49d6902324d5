import { describe, expect, test } from '@jest/globals';
import { defineKind } from '../definition/define-kind.ts';
import type { CustomResourceDefinition } from '../kind/single-kind.ts';
import { compareCrds } from './compare-crds.ts';

const names = { group: 'shop.example', kind: 'Widget', plural: 'widgets' } as const;
const size = { type: 'object', properties: { size: { type: 'integer' } } } as const;
const text = { type: 'object', properties: { size: { type: 'string' } } } as const;
const v1 = defineKind({ ...names, version: 'v1', spec: size, shortNames: ['wd'] });
const v2 = defineKind({ ...names, version: 'v2', spec: text, shortNames: ['wd'] });
const same = { v1: () => ({ spec: {} }) };
const webhook = { url: 'https://converter.example' };
const convert = { hub: 'v2', from: same, to: same, webhook } as const;
const kind = { ...names, shortNames: ['wd'] } as const;
const versions = { v2: { spec: text }, v1: { spec: size } } as const;

const both = defineKind({ ...kind, versions, convert });
const storedInOld = defineKind({ ...kind, versions, storage: 'v1', convert });
const unconverted = defineKind({ ...kind, versions, convert: { hub: 'v2', strategy: 'None' } });
const unserved = defineKind({
  ...kind,
  versions: { v2: { spec: text }, v1: { spec: size, served: false } },
  convert,
});

function changed(change: object): CustomResourceDefinition {
  return { ...v1.crd, spec: { ...v1.crd.spec, ...change } };
}

function changes(before: CustomResourceDefinition, after: CustomResourceDefinition): string[] {
  return compareCrds(before, after).map(
    ({ version = '', path, reason, breaks }) =>
      `${version} ${path}: ${reason} (${breaks.join(', ')})`,
  );
}

const status = { type: 'object', properties: { replicas: { type: 'integer' } } } as const;
const withStatus = defineKind({ ...names, version: 'v1', spec: size, shortNames: ['wd'], status });
const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' };
const withScale = defineKind({
  ...names,
  version: 'v1',
  spec: size,
  shortNames: ['wd'],
  status,
  scale,
});

describe('compareCrds', () => {
  test('accepts a new version, also as the storage version behind a webhook', () => {
    expect(changes(v1.crd, storedInOld.crd)).toEqual([]);
    expect(changes(storedInOld.crd, both.crd)).toEqual([]);
    expect(changes(v1.crd, both.crd)).toEqual([]);
  });

  test.each<[string, CustomResourceDefinition, CustomResourceDefinition, string[]]>([
    [
      'another kind',
      v1.crd,
      changed({
        names: { ...v1.crd.spec.names, kind: 'Other', singular: 'other', shortNames: [] },
      }),
      [
        ' names.kind: changed from Widget to Other (objects, clients)',
        ' names.shortNames: removed: wd (clients)',
        ' names.singular: changed from widget to other (clients)',
      ],
    ],
    [
      'names that the server sets',
      v1.crd,
      changed({ names: { kind: 'Widget', plural: 'widgets', shortNames: ['wd'] } }),
      [],
    ],
    [
      'another scope',
      v1.crd,
      changed({ scope: 'Cluster' }),
      [' scope: changed from Namespaced to Cluster (objects, clients)'],
    ],
    [
      'the removal of the storage version',
      storedInOld.crd,
      v2.crd,
      [
        'v1 versions[v1]: removed, but objects are stored in it (objects, clients)',
        'v2 spec.size: the type changes from integer to string, compared with the storage version v1 (objects, clients)',
      ],
    ],
    ['the removal of a served version', both.crd, v2.crd, ['v1 versions[v1]: removed (clients)']],
    ['the removal of a version that is not served', unserved.crd, v2.crd, []],
    [
      'a version that is not served any more',
      both.crd,
      unserved.crd,
      ['v1 served: is not served any more (clients)'],
    ],
    [
      'the end of conversions between different schemas',
      both.crd,
      unconverted.crd,
      [
        ' conversion: objects are no longer converted, although the schemas of the versions differ (objects, clients)',
      ],
    ],
    [
      'another storage version without conversions',
      v1.crd,
      unconverted.crd,
      [
        'v2 spec.size: the type changes from integer to string, compared with the storage version v1 (objects, clients)',
      ],
    ],
    [
      'a status subresource that is added',
      v1.crd,
      withStatus.crd,
      ['v1 subresources.status: added: requests to the object do not change its status (clients)'],
    ],
    [
      'a status subresource that is removed',
      withStatus.crd,
      v1.crd,
      [
        'v1 subresources.status: removed: requests to /status fail (clients)',
        'v1 status: the field is removed, and the server drops its value (objects, clients)',
      ],
    ],
    [
      'a scale subresource that is removed',
      withScale.crd,
      withStatus.crd,
      ['v1 subresources.scale: removed: requests to /scale fail (clients)'],
    ],
  ])('reports %s', (_title, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected);
  });

  test('knows by the status that objects are stored in a version that is not the storage version', () => {
    const crd = { ...both.crd, status: { storedVersions: ['v1', 'v2'] } };
    expect(changes(crd as CustomResourceDefinition, v2.crd)).toEqual([
      'v1 versions[v1]: removed, but objects are stored in it (objects, clients)',
    ]);
  });

  const { crd: other } = defineKind({ ...names, version: 'v1', spec: size, plural: 'others' });
  const { crd: foreign } = defineKind({ ...names, version: 'v1', spec: size, group: 'x.example' });

  test.each<[string, unknown]>([
    ['of another plural', other],
    ['of another group', foreign],
    ['with a name that is not its own', { ...v1.crd, metadata: { name: 'others.shop.example' } }],
    ['that is another object', { kind: 'Secret' }],
    ['that is nothing', null],
    ['of an older API', { ...v1.crd, apiVersion: 'apiextensions.k8s.io/v1beta1' }],
    ['without a group', changed({ group: undefined })],
    ['without names', changed({ names: undefined })],
    ['without versions', changed({ versions: undefined })],
    ['with a version that is no object', changed({ versions: [null] })],
    ['with a version without a name', changed({ versions: [{}] })],
  ])('refuses a CRD %s', (_title, given) => {
    const refusal = expect.objectContaining({ code: 'INVALID_OPTION' });
    expect(() => compareCrds(v1.crd, given as CustomResourceDefinition)).toThrow(refusal);
    expect(() => compareCrds(given as CustomResourceDefinition, v1.crd)).toThrow(refusal);
  });

  const cycle: Record<string, unknown> = { type: 'array' };
  cycle['items'] = cycle;

  test.each<[string, unknown, string]>([
    ['null as a property', { properties: { a: null } }, '.properties.a'],
    ['a text as properties', { properties: 'abc' }, '.properties'],
    ['a number as enum', { properties: { a: { enum: 5 } } }, '.properties.a.enum'],
    ['a list as items', { items: [] }, '.items'],
    ['a text for other properties', { additionalProperties: 'yes' }, '.additionalProperties'],
    ['a text as required', { required: 'size' }, '.required'],
    ['a schema that contains itself', cycle, '.items.items'],
  ])('refuses a schema with %s by its path', (_title, openAPIV3Schema, path) => {
    const [version] = v1.crd.spec.versions;
    const crd = changed({ versions: [{ ...version, schema: { openAPIV3Schema } }] });
    for (const option of ['before', 'after']) {
      const facts = expect.objectContaining({
        path: expect.stringContaining(`compareCrds.${option}.versions[v1]${path}`),
      });
      const pair = option === 'before' ? ([crd, v1.crd] as const) : ([v1.crd, crd] as const);
      expect(() => compareCrds(...pair)).toThrow(
        expect.objectContaining({ code: 'SCHEMA_INVALID', facts }),
      );
    }
  });
});
