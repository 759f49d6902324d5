import { describe, expect, test } from '@jest/globals';
import { defineKind } from './define-kind.ts';
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

const column = { name: 'A', type: 'string', jsonPath: '.a' };
const notLists: readonly unknown[] = [null, 5, true, 'x', '', {}, () => [], 10n];
const notObjects: readonly unknown[] = [null, 5, true, 'x', [], () => ({}), 10n];

const wrong: readonly (readonly [string, unknown, string])[] = [
  ...['shortNames', 'categories', 'printColumns', 'validations'].flatMap((name) =>
    notLists.map((value) => [name, value, name] as const),
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

  test.each([null, undefined, 5, 'kind', []])('%p is refused as a whole', (given) => {
    expect(() => defineKind(given as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});
