import { expect, test } from '@jest/globals';
import type { ObjectOf } from '@keelson/apimachinery';
import { defineKind } from './define-kind.ts';
import type { TypeOf } from '../literal/type-of.ts';

type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

const names = { group: 'x.example', version: 'v1', kind: 'Widget', plural: 'widgets' } as const;

/** Never executed: the test is that the compiler accepts or rejects each line. */
function compiles(): void {
  const equal: [
    Equal<TypeOf<{ type: 'integer' }>, number>,
    Equal<TypeOf<{ type: 'string'; nullable: true }>, string | null>,
    Equal<TypeOf<{ type: 'string'; enum: readonly ['a', 'b'] }>, 'a' | 'b'>,
    Equal<TypeOf<{ 'x-kubernetes-int-or-string': true }>, number | string>,
    Equal<TypeOf<{ type: 'array'; items: { type: 'boolean' } }>, boolean[]>,
    Equal<TypeOf<{ 'x-kubernetes-preserve-unknown-fields': true }>, unknown>,
  ] = [true, true, true, true, true, true];
  expect(equal).not.toContain(false);

  const { resource } = defineKind({
    ...names,
    scope: 'Cluster',
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer' },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' } } },
  });
  type Widget = ObjectOf<typeof resource>;
  const widget: Widget = { spec: { size: 1, labels: { a: 'b' } }, status: { ready: true } };
  widget.spec.size = 2;
  // @ts-expect-error size is required
  widget.spec = {};
  // @ts-expect-error size is a number
  widget.spec.size = '1';
  // @ts-expect-error no such field
  widget.spec.weight = 1;
  // @ts-expect-error the values of the map are strings
  widget.spec.labels = { a: 1 };
  // @ts-expect-error a cluster-scoped object has no namespace
  widget.metadata = { namespace: 'a' };
  // @ts-expect-error no such type
  defineKind({ ...names, spec: { type: 'text' } });
}

test('a literal gives the type of its objects', () => {
  expect(compiles).toBeInstanceOf(Function);
});
