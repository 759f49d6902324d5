import { isJsonObject, setOwn, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import { noteRefusal } from '../conversion/refused-parts.ts';
import { noteFlags } from '../pattern/pattern-flags.ts';

/** A schema of TypeBox 1, which is JSON Schema itself. */
export interface TypeBoxSchema {
  readonly '~kind': string;
}

/** True for a schema of TypeBox 1. */
export function isTypeBoxSchema(schema: unknown): schema is TypeBoxSchema {
  return typeof schema === 'object' && schema !== null && '~kind' in schema;
}

/**
 * Copies a TypeBox schema as JSON. Its patterns may be regular expressions, which JSON lacks; the copy has their
 * sources, and notes their flags. `legacy` receives the sources of those without the flag `u`, with which TypeBox reads
 * texts.
 */
export function typeboxJson(schema: JsonValue, legacy: Set<string>): JsonValue {
  if (Array.isArray(schema)) return schema.map((part) => typeboxJson(part, legacy));
  if (!isJsonObject(schema)) return schema;
  const copy: JsonObject = {};
  for (const [name, part] of Object.entries(schema as Record<string, unknown>)) {
    if (name === 'pattern' && part instanceof RegExp) {
      copy[name] = part.source;
      noteFlags(copy, [part]);
      if (!part.flags.includes('u')) legacy.add(part.source);
    } else setOwn(copy, name, typeboxJson(part as JsonValue, legacy));
  }
  noteHiddenParts(schema, copy);
  return copy;
}

/** Notes the functions of a schema, which are not enumerable. */
function noteHiddenParts(schema: JsonObject, copy: JsonObject): void {
  if ('~refine' in schema) {
    noteRefusal(copy, 'a refinement', "write a CEL rule in 'x-kubernetes-validations'");
  }
  if ('~codec' in schema) {
    noteRefusal(copy, 'a transformation', 'transform the value after it was read');
  }
}

/** The TypeScript type of the values of a TypeBox schema that a CRD can express; other parts are `unknown`. */
export type TypeBoxOf<S> = S extends { readonly '~kind': 'Object'; readonly properties: infer P }
  ? ObjectOf<P>
  : S extends { readonly '~kind': 'Array'; readonly items: infer Items }
    ? TypeBoxOf<Items>[]
    : S extends { readonly '~kind': 'Literal'; readonly const: infer Value }
      ? Value
      : S extends { readonly '~kind': 'Enum'; readonly enum: readonly (infer Value)[] }
        ? Value
        : S extends { readonly '~kind': 'Union'; readonly anyOf: readonly (infer Choice)[] }
          ? Choice extends unknown
            ? TypeBoxOf<Choice>
            : never
          : S extends { readonly '~kind': 'Record'; readonly patternProperties: infer Patterns }
            ? Record<string, TypeBoxOf<Patterns[keyof Patterns]>>
            : S extends { readonly '~kind': infer Kind extends keyof Scalars }
              ? Scalars[Kind]
              : unknown;

interface Scalars {
  readonly Boolean: boolean;
  readonly Integer: number;
  readonly Null: null;
  readonly Number: number;
  readonly String: string;
}

type ObjectOf<P> = Flat<
  {
    -readonly [Name in keyof P as P[Name] extends Optional ? never : Name]: TypeBoxOf<P[Name]>;
  } & {
    -readonly [Name in keyof P as P[Name] extends Optional ? Name : never]?: TypeBoxOf<P[Name]>;
  }
>;

interface Optional {
  readonly '~optional': true;
}

type Flat<T> = { [Name in keyof T]: T[Name] };
