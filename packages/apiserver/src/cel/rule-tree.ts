import type { JsonSchema } from '../schema/structural-schema.ts';
import type { CelLibrary } from './cel-library.ts';
import { CompiledRule } from './compiled-rule.ts';
import { type SchemaType, SchemaTypes } from './schema-types.ts';

/** The rules of a schema, in its shape; only what has rules at it or below it. */
export interface RuleTree {
  readonly schema: JsonSchema;
  readonly type: SchemaType | undefined;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly additionalProperties: RuleTree | undefined;
  readonly items: RuleTree | undefined;
  readonly allOf: readonly RuleTree[];
}

/** Compiles the rules of the schema of a custom resource; undefined if it has none. */
export function compileRules(library: CelLibrary, schema: JsonSchema): RuleTree | undefined {
  if (!hasRules(schema)) return undefined;
  const types = new SchemaTypes();
  types.of(schema, true);
  return new RuleCompiler(library, types).tree(schema, schema);
}

/** Whether a schema has rules anywhere. */
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

  /** `typed`: the schema that says what type the values have; in `allOf` it is the one around. */
  tree(schema: JsonSchema, typed: JsonSchema): RuleTree | undefined {
    if (!hasRules(schema)) return undefined;
    const type = this.#types.of(typed);
    const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const below = this.tree(property, typed.properties?.[name] ?? property);
      return below === undefined ? [] : [[name, below] as const];
    });
    return {
      schema: typed,
      type,
      rules: this.#rules(schema, type),
      properties: new Map(properties),
      additionalProperties: this.#values(schema, typed),
      items: schema.items && this.tree(schema.items, typed.items ?? schema.items),
      allOf: (schema.allOf ?? []).flatMap((each) => this.tree(each, typed) ?? []),
    };
  }

  #values(schema: JsonSchema, typed: JsonSchema): RuleTree | undefined {
    const { additionalProperties: values } = schema;
    if (typeof values !== 'object') return undefined;
    const { additionalProperties: types } = typed;
    return this.tree(values, typeof types === 'object' ? types : values);
  }

  #rules(schema: JsonSchema, type: SchemaType | undefined): CompiledRule[] {
    if (type === undefined) return [];
    return (schema['x-kubernetes-validations'] ?? []).map(
      (expression) => new CompiledRule(this.#library, type, expression),
    );
  }
}
