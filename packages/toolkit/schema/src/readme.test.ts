import { expect, test } from '@jest/globals';

test('the snippet of the README has the results of its comments', () => {
  expect(run()).toEqual({
    name: 'widgets.shop.example',
    plural: 'widgets',
    colour: 'red',
    fields: ['spec.weight', 'spec.size'],
  });
});

// #region readme
import { defineKind, InvalidObjectError } from '@keelson/schema';
import type { ObjectOf } from '@keelson/apimachinery';

const {
  resource: widgets,
  crd,
  parse,
} = defineKind({
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

// { spec: { size: number; colour: 'red' | 'green' }; status?: { ready?: boolean } }
type Widget = ObjectOf<typeof widgets>;

function run(): object {
  const widget: Widget = parse({ metadata: { name: 'a' }, spec: { size: 3 } });
  const { colour } = widget.spec; // red, the default
  const fields = errorsOf({ metadata: { name: 'b' }, spec: { size: 0, weight: 1 } });
  return { name: crd.metadata?.name, plural: widgets.plural, colour, fields };
}

function errorsOf(object: unknown): unknown {
  try {
    return parse(object);
  } catch (error) {
    if (error instanceof InvalidObjectError) return error.causes.map(({ field }) => field);
    throw error;
  }
}
// #endregion

test('the snippet of zod gives the type and the CRD', () => {
  expect(JSON.stringify(gatewayCrd)).toContain('"port":{"x-kubernetes-int-or-string":true,');
  expect(web.spec.listeners).toHaveLength(1);
});

// #region zod
import * as z from 'zod';

const listener = z.object({ name: z.string(), port: z.union([z.int(), z.string()]) });

const { resource: gateways, crd: gatewayCrd } = defineKind({
  group: 'shop.example',
  version: 'v1',
  kind: 'Gateway',
  plural: 'gateways',
  spec: z.object({
    listeners: z
      .array(listener)
      .max(16)
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
  }),
});

type Gateway = ObjectOf<typeof gateways>;
const web: Gateway = { spec: { listeners: [{ name: 'web', port: 'http' }] } };
// #endregion

test('the snippet of versions converts', () => {
  expect(converted.spec).toEqual({ length: '3cm' });
});

// #region versions
const planks = defineKind({
  group: 'shop.example',
  kind: 'Plank',
  plural: 'planks',
  versions: {
    v1: {
      spec: { type: 'object', required: ['cm'], properties: { cm: { type: 'integer' } } },
    },
    v1beta1: {
      deprecated: true,
      spec: { type: 'object', required: ['length'], properties: { length: { type: 'string' } } },
    },
  },
  convert: {
    hub: 'v1',
    from: { v1beta1: ({ spec }) => ({ spec: { cm: Number.parseInt(spec.length) } }) },
    to: { v1beta1: ({ spec }) => ({ spec: { length: `${spec.cm}cm` } }) },
  },
});

const plank = planks.parse({ metadata: { name: 'a' }, spec: { cm: 3 } });
const converted = planks.convert(plank, 'v1beta1'); // spec: { length: '3cm' }
// #endregion
