import type { CelLibrary } from '@keelson/cel/internal';
import type { JsonSchema } from '../validation/json-schema.ts';
import { CompiledRule } from './compiled-rule.ts';
import { type SchemaType, SchemaTypes } from './schema-types.ts';

/** The rules of a schema, as a tree of the same shape. It contains only nodes with rules at or below them. */
export interface RuleTree {
  readonly schema: JsonSchema;
  readonly type: SchemaType | undefined;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly additionalProperties: RuleTree | undefined;
  readonly items: RuleTree | undefined;
}

/** Compiles the rules of a custom resource's schema; undefined if it has no rules. */
export function compileRules(library: CelLibrary, schema: JsonSchema): RuleTree | undefined {
  if (!hasRules(schema)) return undefined;
  const types = new SchemaTypes();
  types.of(schema, true);
  return new RuleCompiler(library, types).tree(schema);
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

class RuleCompiler {
  readonly #library: CelLibrary;
  readonly #types: SchemaTypes;

  constructor(library: CelLibrary, types: SchemaTypes) {
    this.#library = library;
    this.#types = types;
  }

  tree(schema: JsonSchema): RuleTree | undefined {
    const type = this.#types.of(schema);
    const rules = this.#rules(schema, type);
    const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const below = this.tree(property);
      return below === undefined ? [] : [[name, below] as const];
    });
    const { additionalProperties: values } = schema;
    const additionalProperties = typeof values === 'object' ? this.tree(values) : undefined;
    const items = schema.items && this.tree(schema.items);
    const isBare = rules.length === 0 && properties.length === 0;
    if (isBare && additionalProperties === undefined && items === undefined) return undefined;
    return { schema, type, rules, properties: new Map(properties), additionalProperties, items };
  }

  #rules(schema: JsonSchema, type: SchemaType | undefined): CompiledRule[] {
    if (type === undefined) return [];
    return (schema['x-kubernetes-validations'] ?? []).map(
      (expression) => new CompiledRule(this.#library, { schema, type }, expression),
    );
  }
}
