import { expect, test } from '@jest/globals';
import type { ApiResource, Cached, InputOf, ObjectOf } from '@keelson/apimachinery';
import { type } from 'arktype';
import * as z from 'zod';
import { defineKind } from '../definition/define-kind.ts';

type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

const names = { group: 'x.example', version: 'v1', kind: 'Widget', plural: 'widgets' } as const;

const ofZod = defineKind({
  ...names,
  spec: z.object({
    size: z.int().default(3),
    parts: z.array(z.object({ name: z.string(), count: z.int().default(1) })),
  }),
});
const ofArk = defineKind({
  ...names,
  spec: type({ size: 'number.integer = 3' }),
  keywords: { 'spec.properties.size': { default: 3 } },
});
const literal = defineKind({
  ...names,
  spec: {
    type: 'object',
    required: ['host', 'port'],
    properties: {
      host: { type: 'string' },
      port: { type: 'integer', default: 80 },
      zone: { type: 'string', default: 'UTC' },
      note: { type: 'string' },
      paths: {
        type: 'array',
        items: { type: 'object', properties: { prefix: { type: 'boolean', default: true } } },
      },
    },
  },
});
function sizeOf(widget: Cached<ObjectOf<typeof ofZod.resource>>): number {
  return widget.spec.size;
}

/** Never executed: the test is that the compiler accepts or rejects each line. */
function compiles(widget: Cached<ObjectOf<typeof ofZod.resource>>): void {
  type Literal = ObjectOf<typeof literal.resource>['spec'];
  type LiteralInput = InputOf<typeof literal.resource>['spec'];
  const equal: [
    Equal<Literal['port'], number>,
    Equal<Literal['zone'], string>,
    Equal<Literal['note'], string | undefined>,
    Equal<NonNullable<Literal['paths']>[number]['prefix'], boolean>,
    Equal<LiteralInput['port'], number | undefined>,
    Equal<LiteralInput['zone'], string | undefined>,
    Equal<LiteralInput['host'], string>,
    Equal<NonNullable<LiteralInput['paths']>[number]['prefix'], boolean | undefined>,
  ] = [true, true, true, true, true, true, true, true];
  expect(equal).not.toContain(false);

  const submitted: InputOf<typeof ofZod.resource> = { spec: { parts: [{ name: 'a' }] } };
  const empty: InputOf<typeof ofArk.resource> = { spec: {} };
  expect([submitted, empty, sizeOf(widget)]).toBeDefined();
  // @ts-expect-error a default is present in what the server returns
  const withoutSize: ObjectOf<typeof ofZod.resource> = { spec: { parts: [] } };
  // @ts-expect-error a member without a default is required
  const withoutHost: InputOf<typeof literal.resource> = { spec: {} };
  // @ts-expect-error the default of another type
  const wrongPort: InputOf<typeof literal.resource> = { spec: { host: 'a', port: '80' } };
  expect([withoutSize, withoutHost, wrongPort]).toBeDefined();

  // The token fits where the stored type is expected, and no token of another kind does.
  const token: ApiResource<ObjectOf<typeof ofZod.resource>> = ofZod.resource;
  const ofAnyKind: ApiResource = literal.resource;
  // @ts-expect-error the objects of another kind
  const wrong: ApiResource<ObjectOf<typeof ofArk.resource>> = literal.resource;
  // @ts-expect-error a token of any kind has objects of no certain type
  const unknown: ApiResource<ObjectOf<typeof ofZod.resource>> = ofAnyKind;
  expect([token, ofAnyKind, wrong, unknown]).toBeDefined();
}

test('a token separates the objects to submit from those that the server returns', () => {
  expect(compiles).toBeInstanceOf(Function);
});
