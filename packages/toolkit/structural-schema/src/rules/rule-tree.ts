import type { CelLibrary } from '@keelson/cel/internal';
import type { JsonSchema, ValidationExpression } from '../validation/json-schema.ts';
import { CompiledRule } from './compiled-rule.ts';
import { type SchemaType, SchemaTypes } from './schema-types.ts';

/** The rules of a schema, as a tree of the same shape. It contains only nodes with rules at or below them. */
export interface RuleTree {
  readonly schema: JsonSchema;
  /** Undefined if CEL has no type for the values. */
  readonly type: SchemaType | undefined;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly additionalProperties: RuleTree | undefined;
  readonly items: RuleTree | undefined;
}

/**
 * Compiles the rules of a custom resource's schema; undefined if it has no rules. As in kube-apiserver, rules at and
 * below a value without a type in CEL are never evaluated, and the tree lacks them.
 */
export function compileRules(library: CelLibrary, schema: JsonSchema): RuleTree | undefined {
  return compiled(library, schema, { untyped: false });
}

/** As `compileRules`, with the rules at and below values that have no type in CEL. */
export function compileAllRules(library: CelLibrary, schema: JsonSchema): RuleTree | undefined {
  return compiled(library, schema, { untyped: true });
}

interface Scope {
  /** True if the tree contains nodes without a type in CEL. */
  readonly untyped: boolean;
}

function compiled(library: CelLibrary, schema: JsonSchema, scope: Scope): RuleTree | undefined {
  if (!hasRules(schema)) return undefined;
  const types = new SchemaTypes();
  types.of(schema, true);
  return new RuleCompiler(library, types, scope).tree(schema);
}

/** True if a schema contains a rule. */
export function hasRules(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(
    ([key, value]) =>
      (key === 'x-kubernetes-validations' && Array.isArray(value) && value.length > 0) ||
      hasRules(value),
  );
}

/** The rules of a schema itself. */
export function expressionsOf(schema: JsonSchema): readonly ValidationExpression[] {
  return schema['x-kubernetes-validations'] ?? [];
}

class RuleCompiler {
  readonly #library: CelLibrary;
  readonly #types: SchemaTypes;
  readonly #untyped: boolean;

  constructor(library: CelLibrary, types: SchemaTypes, { untyped }: Scope) {
    this.#library = library;
    this.#types = types;
    this.#untyped = untyped;
  }

  tree(schema: JsonSchema): RuleTree | undefined {
    const type = this.#types.of(schema);
    if (type === undefined && !this.#untyped) return undefined;
    const rules = this.#rules(schema, type);
    const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const below = this.tree(property);
      return below === undefined ? [] : [[name, below] as const];
    });
    const { additionalProperties: values } = schema;
    const additionalProperties = typeof values === 'object' ? this.tree(values) : undefined;
    const items = schema.items && this.tree(schema.items);
    const isBare = expressionsOf(schema).length === 0 && properties.length === 0;
    if (isBare && additionalProperties === undefined && items === undefined) return undefined;
    return { schema, type, rules, properties: new Map(properties), additionalProperties, items };
  }

  #rules(schema: JsonSchema, type: SchemaType | undefined): CompiledRule[] {
    if (type === undefined) return [];
    return expressionsOf(schema).map(
      (expression) => new CompiledRule(this.#library, { schema, type }, expression),
    );
  }
}
