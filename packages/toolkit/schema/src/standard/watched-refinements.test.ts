import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import * as z from 'zod';
import { defineKind } from '../definition/define-kind.ts';
import type { SchemaInput } from './schema-input.ts';

const names = { group: 'shop.example', version: 'v1', kind: 'Widget', plural: 'widgets' } as const;
const object = { metadata: { name: 'a' }, spec: { a: 'x', b: 'x' } };

async function fails(): Promise<never> {
  await Promise.resolve();
  throw new Error('the database is gone');
}

const text = z.string();

/** A promise where the library expects a boolean, which its types refuse. */
const untyped = fails as unknown as () => boolean;

const asynchronous: readonly (readonly [string, SchemaInput])[] = [
  ['a refinement', z.object({ a: text.refine(fails), b: text })],
  ['two refinements of one value', z.object({ a: text.refine(fails).refine(fails), b: text })],
  ['refinements of two values', z.object({ a: text.refine(fails), b: text.refine(fails) })],
  ['superRefine', z.object({ a: text, b: text }).superRefine(fails)],
  ['check', z.object({ a: text.check(fails), b: text })],
  ['a refinement of an item', z.object({ a: text.or(text.refine(fails)), b: text.refine(fails) })],
  [
    'a refinement after one that fails',
    z.object({ a: text.refine(() => false).refine(fails), b: text }),
  ],
  [
    'a refinement that throws',
    z.object({
      a: text.refine(() => {
        throw new Error('broken');
      }),
      b: text,
    }),
  ],
  [
    'check of valibot',
    toStandardJsonSchema(v.object({ a: v.pipe(v.string(), v.check(untyped)), b: v.string() })),
  ],
];

/** Rejections that nothing handled when the current microtasks have run; Node reports them then. */
async function unhandledAfter(run: () => void): Promise<unknown[]> {
  const seen: unknown[] = [];
  const note = (reason: unknown): unknown => seen.push(reason);
  process.on('unhandledRejection', note);
  try {
    run();
    const channel = new MessageChannel();
    const received = once(channel.port1, 'message');
    channel.port2.postMessage('');
    await received;
    channel.port1.close();
  } finally {
    process.off('unhandledRejection', note);
  }
  return seen;
}

describe('asynchronous refinements', () => {
  test.each(asynchronous)('are refused by parse, and reject nothing: %s', async (_title, spec) => {
    const { parse } = defineKind({ ...names, spec });
    const unhandled = await unhandledAfter(() => {
      expect(() => parse(object)).toThrow(
        expect.objectContaining({
          code: 'SCHEMA_INVALID',
          facts: expect.objectContaining({ path: 'spec' }) as unknown,
        }),
      );
    });
    expect(unhandled).toEqual([]);
  });

  test('leave the schema of the library as it was', async () => {
    const schema = z.object({ a: text.refine(() => Promise.resolve(false), 'no'), b: text });
    const { parse } = defineKind({ ...names, spec: schema });
    expect(() => parse(object)).toThrow(/asynchronous/);
    const { error } = await schema.safeParseAsync(object.spec);
    expect(error?.issues).toMatchObject([{ path: ['a'], message: 'no' }]);
  });

  test('a refinement may parse another object of the kind', () => {
    const inner = defineKind({ ...names, spec: z.object({ a: text.refine((a) => a !== 'bad') }) });
    const isValid = (a: string): boolean => {
      inner.parse({ metadata: { name: 'b' }, spec: { a } });
      return true;
    };
    const outer = defineKind({ ...names, spec: z.object({ a: text.refine(isValid) }) });
    expect(outer.parse({ metadata: { name: 'a' }, spec: { a: 'x' } }).spec).toEqual({ a: 'x' });
  });
});
