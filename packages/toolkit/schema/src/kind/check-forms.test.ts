import { describe, expect, test } from '@jest/globals';
import { defineKind } from '../definition/define-kind.ts';
import type { KindOptions } from './kind-options.ts';

const integers = { type: 'object', properties: { n: { type: 'integer' } } } as const;
const options: KindOptions = {
  group: 'shop.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  spec: integers,
  status: integers,
};

const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' };
const column = { name: 'A', type: 'string', jsonPath: '.a' };
const notLists: readonly unknown[] = [null, 5, true, 'x', '', {}, () => [], 10n];
const notObjects: readonly unknown[] = [null, 5, true, 'x', [], () => ({}), 10n];

const wrong: readonly (readonly [string, unknown, string])[] = [
  ...['shortNames', 'categories', 'printColumns', 'selectableFields', 'validations'].flatMap(
    (name) => notLists.map((value) => [name, value, name] as const),
  ),
  ...['keywords', 'scale'].flatMap((name) =>
    notObjects.map((value) => [name, value, name] as const),
  ),
  ...[null, 5, '', []].map((value) => ['status', value, 'status'] as const),
  ['keywords', { 'spec.properties.n': null }, "keywords['spec.properties.n']"],
  ['scale', { specReplicas: '.spec.n' }, 'scale.specReplicas'],
  ['printColumns', [null], 'printColumns[0]'],
  ['printColumns', [{ ...column, width: 3 }], 'printColumns[0].width'],
  ['printColumns', [{ ...column, priority: '1' }], 'printColumns[0].priority'],
  ['printColumns', [{ ...column, description: 5 }], 'printColumns[0].description'],
  ['printColumns', [{ ...column, priority: 2 ** 31 }], 'printColumns[0].priority'],
  ['printColumns', [{ ...column, format: 'int16' }], 'printColumns[0].format'],
  ['printColumns', [{ ...column, jsonPath: 'a' }], 'printColumns[0].jsonPath'],
  ['printColumns', [{ ...column, name: '' }], 'printColumns[0].name'],
  ['printColumns', [{ ...column, type: 'text' }], 'printColumns[0].type'],
  ['group', 'shop', 'group'],
  ['group', 'apps.k8s.io', 'group'],
  ['group', 'kubernetes.io', 'group'],
  ['group', `${'a'.repeat(63)}.`.repeat(3).concat('b'.repeat(54)), 'group'],
  ['version', '1', 'version'],
  ['version', `v${'1'.repeat(63)}`, 'version'],
  ['kind', `W${'a'.repeat(59)}`, 'kind'],
  ['plural', '1s', 'plural'],
  ['singular', 'a.b', 'singular'],
  ['shortNames', ['a', 'A'], 'shortNames[1]'],
  ['categories', ['-a'], 'categories[0]'],
  ['deprecated', 'é'.repeat(129), 'deprecated'],
  ['deprecated', 'a\u00a0b', 'deprecated'],
  ['deprecated', '', 'deprecated'],
  ['scale', { ...scale, specReplicasPath: '.status.n' }, 'scale.specReplicasPath'],
  ['scale', { ...scale, statusReplicasPath: 'status.n' }, 'scale.statusReplicasPath'],
  ['scale', { ...scale, labelSelectorPath: '.metadata.n' }, 'scale.labelSelectorPath'],
  ['selectableFields', ['spec.n'], 'selectableFields[0]'],
  ['selectableFields', [".spec['n']"], 'selectableFields[0]'],
  ['selectableFields', ['.spec'], 'selectableFields[0]'],
  ['selectableFields', ['.spec.m'], 'selectableFields[0]'],
  ['selectableFields', ['.metadata.name'], 'selectableFields[0]'],
  ['selectableFields', ['.spec.n', '.spec.n'], 'selectableFields[1]'],
  ['validations', [null], 'validations[0]'],
  ['validations', ['true'], 'validations[0]'],
  ['validations', [{ rule: 5 }], 'validations[0].rule'],
  ['validations', [{ rule: 'true', message: 5 }], 'validations[0].message'],
  ['validations', [{ rule: 'true', fieldPath: 5 }], 'validations[0].fieldPath'],
  ['validations', [{ rule: 'true', mesage: 'x' }], 'validations[0].mesage'],
];

describe('the options of defineKind', () => {
  test.each(wrong)('%s: %p is refused by its name', (name, value, option) => {
    expect(() => defineKind({ ...options, [name]: value })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: `defineKind.${option}` }) as unknown,
      }),
    );
  });

  test('with the longest names are accepted', () => {
    const kind = `W${'a'.repeat(58)}`;
    const group = `${'a'.repeat(63)}.${'a'.repeat(63)}.${'a'.repeat(55)}.${'b'.repeat(61)}`;
    const names = { group, version: `v${'1'.repeat(62)}`, plural: 'w'.repeat(7), kind };
    expect(defineKind({ ...options, ...names }).crd.metadata?.name).toHaveLength(253);
  });

  test('selectable fields are in the definition', () => {
    const properties = { n: { type: 'integer' }, m: { type: 'object', properties: {} } } as const;
    const labels = { type: 'object', additionalProperties: { type: 'string' } } as const;
    const spec = { type: 'object', properties: { ...properties, labels } } as const;
    const selectableFields = ['.spec.n', '.spec.labels.tier'];
    expect(defineKind({ ...options, spec, selectableFields }).crd.spec.versions).toMatchObject([
      { selectableFields: [{ jsonPath: '.spec.n' }, { jsonPath: '.spec.labels.tier' }] },
    ]);
    const many = Array.from({ length: 9 }, (_, index) => `.spec.labels.a${index}`);
    expect(() => defineKind({ ...options, spec, selectableFields: many })).toThrow('at most 8');
  });

  test.each([null, undefined, 5, 'kind', []])('%p is refused as a whole', (given) => {
    expect(() => defineKind(given as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});
