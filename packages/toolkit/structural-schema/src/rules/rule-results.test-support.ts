import type { CelLibrary } from '@keelson/cel/internal';
import type { JsonObject } from '../json/json-value.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { celLibrary } from './cel-library.ts';
import { CompiledRule } from './compiled-rule.ts';
import { ObjectCostBudget } from './cost-budget.ts';
import { type SchemaType, SchemaTypes } from './schema-types.ts';

const text: JsonSchema = { type: 'string', maxLength: 40 };
const port: JsonSchema = {
  type: 'object',
  required: ['name'],
  properties: { name: { ...text }, port: { type: 'integer' } },
};

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', maxItems: 6, items };
}

function keyed(): JsonSchema {
  const identity = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
  return { ...list({ ...port }), ...identity };
}

/** One field of every type that rules support. */
const fields: Record<string, JsonSchema> = {
  text: { ...text },
  other: { ...text },
  count: { type: 'integer' },
  ratio: { type: 'number' },
  on: { type: 'boolean' },
  when: { type: 'string', format: 'date-time' },
  day: { type: 'string', format: 'date' },
  wait: { type: 'string', format: 'duration' },
  bytes: { type: 'string', format: 'byte', maxLength: 40 },
  either: { 'x-kubernetes-int-or-string': true, maxLength: 40 },
  maybe: { ...text, nullable: true },
  enum: { type: 'string', enum: ['a', 'bb'] },
  list: list({ ...text }),
  counts: list({ type: 'integer' }),
  ratios: list({ type: 'number' }),
  bools: list({ type: 'boolean' }),
  waits: list({ type: 'string', format: 'duration' }),
  nested: list(list({ type: 'integer' })),
  set: { ...list({ ...text }), 'x-kubernetes-list-type': 'set' },
  ports: keyed(),
  ports2: keyed(),
  objects: list({ type: 'object', properties: { name: { ...text }, port: { type: 'integer' } } }),
  map: { type: 'object', maxProperties: 5, additionalProperties: { ...text } },
  inner: {
    type: 'object',
    properties: {
      text: { ...text },
      deep: { type: 'object', properties: { x: { type: 'integer' } } },
    },
  },
  inner2: { type: 'object', properties: { text: { ...text } } },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  any: { 'x-kubernetes-preserve-unknown-fields': true },
  embedded: {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  },
  'a-b.c/d': { ...text },
  in: { ...text },
  x__y: { ...text },
};

/** The result of a rule, or `error: …` if its evaluation failed. */
export type RuleResult = boolean | string;

/** Evaluates rules on an object with the fields above. */
export class RuleResults {
  readonly #library: CelLibrary;
  readonly #schema: JsonSchema;
  readonly #type: SchemaType;

  private constructor(library: CelLibrary, schema: JsonSchema) {
    const type = new SchemaTypes().of(schema);
    if (type === undefined) throw new Error('the schema has no type');
    this.#library = library;
    this.#schema = schema;
    this.#type = type;
  }

  static load(properties: Record<string, JsonSchema> = fields): RuleResults {
    return new RuleResults(celLibrary(), { type: 'object', properties });
  }

  /** Returns the compile errors of a rule with line and column; empty if it compiles. */
  problems(rule: string): readonly string[] {
    const { error } = this.#compiled(rule);
    if (error === undefined) return [];
    const found = Array.from(error.matchAll(/ERROR: <input>:(\S+): (.*)/g), ([, place, words]) =>
      [place, words].join(' '),
    );
    return found.length > 0 ? found : [error];
  }

  of(rule: string, spec: JsonObject): RuleResult {
    const outcome = this.#evaluate(this.#compiled(rule), spec);
    if (outcome.kind !== 'error') return outcome.kind === 'passed';
    return `error: ${outcome.message.replace(/ evaluating rule: .*$|: call arguments did.*$/s, '')}`;
  }

  #compiled(rule: string): CompiledRule {
    return new CompiledRule(this.#library, { schema: this.#schema, type: this.#type }, { rule });
  }

  #evaluate(rule: CompiledRule, spec: JsonObject): ReturnType<CompiledRule['evaluate']> {
    return rule.evaluate(
      { self: this.#type.valueOf(spec), oldSelf: undefined },
      new ObjectCostBudget(),
    );
  }
}
