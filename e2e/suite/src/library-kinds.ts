import { randomBytes } from 'node:crypto';
import type { KubernetesObject } from '@keelson/apimachinery';
import { defineKind, type DefinedKind, type StructuralSchema } from '@keelson/schema';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as Type from 'typebox';
import * as v from 'valibot';
import * as z from 'zod';

const ports = {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  maxItems: 4,
} as const;
const rules = {
  'x-kubernetes-validations': [
    { rule: 'self.size <= self.limit', message: 'size exceeds limit', fieldPath: '.size' },
    { rule: 'self.limit >= oldSelf.limit', message: 'limit shrinks' },
  ],
} as const;

const literal = {
  type: 'object',
  required: ['size', 'limit', 'target', 'ports', 'source'],
  properties: {
    size: { type: 'integer', minimum: 1 },
    limit: { type: 'integer', default: 9 },
    note: { type: 'string', nullable: true },
    target: { 'x-kubernetes-int-or-string': true },
    ports: {
      ...ports,
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    },
    source: {
      type: 'object',
      required: ['type'],
      properties: { type: { type: 'string', enum: ['git', 'none'] }, url: { type: 'string' } },
      'x-kubernetes-validations': [
        { rule: "(self.type == 'git') == has(self.url)", message: 'url belongs to git' },
      ],
    },
  },
  ...rules,
} as const satisfies StructuralSchema;

const zod = z
  .object({
    size: z.int().min(1),
    limit: z.int().default(9),
    note: z.string().nullable().optional(),
    target: z.union([z.int(), z.string()]),
    ports: z.array(z.object({ name: z.string() })).meta(ports),
    source: z.discriminatedUnion('type', [
      z.object({ type: z.literal('git'), url: z.string() }),
      z.object({ type: z.literal('none') }),
    ]),
  })
  .meta(rules);

const integer = v.pipe(v.number(), v.integer());
const valibot = toStandardJsonSchema(
  v.object({
    size: v.pipe(integer, v.minValue(1)),
    limit: v.optional(integer, 9),
    note: v.optional(v.nullable(v.string())),
    target: v.union([integer, v.string()]),
    ports: v.array(v.object({ name: v.string() })),
    source: v.variant('type', [
      v.object({ type: v.literal('git'), url: v.string() }),
      v.object({ type: v.literal('none') }),
    ]),
  }),
);

const arktype = type({
  size: 'number.integer >= 1',
  limit: 'number.integer = 9',
  'note?': 'string | null',
  target: 'number.integer | string',
  ports: type({ name: 'string' }).array(),
  source: type({ type: "'git'", url: 'string' }).or({ type: "'none'" }),
});

const typebox = Type.Object(
  {
    size: Type.Integer({ minimum: 1 }),
    limit: Type.Optional(Type.Integer({ default: 9 })),
    note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    target: Type.Union([Type.Integer(), Type.String()]),
    ports: Type.Array(Type.Object({ name: Type.String() }), ports),
    source: Type.Union([
      Type.Object({ type: Type.Literal('git'), url: Type.String() }),
      Type.Object({ type: Type.Literal('none') }),
    ]),
  },
  rules,
);

/** The spec of the kinds, as a client sends it. */
export interface LibrarySpec {
  readonly size: number;
  readonly limit?: number | undefined;
  readonly note?: string | null | undefined;
  readonly target: number | string;
  readonly ports: readonly { readonly name: string }[];
  readonly source: { readonly type: string; readonly url?: string | undefined };
}

/** The same kind, defined by the schemas of each library, in its own API group. */
export const libraryKinds: readonly (readonly [
  string,
  () => DefinedKind<KubernetesObject & { spec: LibrarySpec }>,
])[] = [
  ['a literal', () => defineKind({ ...names(), spec: literal })],
  ['zod', () => defineKind({ ...names(), spec: zod })],
  ['valibot', () => defineKind({ ...names(), spec: valibot, keywords: keywords() })],
  ['ArkType', () => defineKind({ ...names(), spec: arktype, keywords: keywords() })],
  ['TypeBox', () => defineKind({ ...names(), spec: typebox })],
];

function keywords(): Record<string, StructuralSchema> {
  return { spec: rules, 'spec.properties.ports': ports, 'spec.properties.limit': { default: 9 } };
}

function names(): { group: string; version: string; kind: string; plural: string } {
  return { group: uniqueGroup(), version: 'v1', kind: 'Gadget', plural: 'gadgets' };
}

/** Returns an API group that no other test uses. */
export function uniqueGroup(): string {
  return `e2e-${randomBytes(4).toString('hex')}.keelson.dev`;
}
