import { expect, test } from '@jest/globals';

test('the snippet of the README has the results of its comments', () => {
  expect(run()).toEqual({ name: 'widgets.shop.example', plural: 'widgets', size: 3 });
});

// #region readme
import { defineKind } from '@keelson/schema';
import type { ObjectOf } from '@keelson/apimachinery';

const { resource: widgets, crd } = defineKind({
  group: 'shop.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  spec: {
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'integer', minimum: 1 },
      colour: { type: 'string', enum: ['red', 'green'], default: 'red' },
    },
  },
  status: { type: 'object', properties: { ready: { type: 'boolean' } } },
  printColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
});

// { spec: { size: number; colour?: 'red' | 'green' }; status?: { ready?: boolean } }
type Widget = ObjectOf<typeof widgets>;

function run(): object {
  const widget: Widget = { metadata: { name: 'a' }, spec: { size: 3, colour: 'green' } };
  return { name: crd.metadata?.name, plural: widgets.plural, size: widget.spec.size };
}
// #endregion
