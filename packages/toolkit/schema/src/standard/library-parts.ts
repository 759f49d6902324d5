import type { JsonObject, JsonValue } from '@keelson/structural-schema';
import { noteFlags } from '../pattern/pattern-flags.ts';
import { noteCharacters } from '../pattern/reading.ts';
import { noteRefusal } from '../conversion/refused-parts.ts';
import type { StandardSchema } from './standard-schema.ts';

/** A function with which a schema refines values: a property of an object of the library. */
export interface Refinement {
  readonly owner: Record<string, unknown>;
  readonly name: string;
}

/** Receives the parts of a schema while the library converts it to JSON Schema. */
interface PartVisitor {
  /** Receives the refinements of one part. */
  readonly refinements?: (found: readonly Refinement[]) => void;
}

/**
 * The options of the conversion to JSON Schema. zod and valibot call back with each part; the schema notes the flags of
 * regular expressions, which both would otherwise drop or refuse. ArkType writes any value for what JSON Schema cannot
 * express, unless its fallbacks throw.
 */
export function conversionOptions(
  vendor: string,
  visitor: PartVisitor = {},
): Record<string, unknown> | undefined {
  if (vendor === 'zod') return { override: (part: ZodVisited) => visitZod(part, visitor) };
  if (vendor === 'valibot') {
    return {
      overrideAction: (part: ValibotVisited) => visitValibot(part, visitor),
      overrideSchema: visitValibotSchema,
    };
  }
  return vendor === 'arktype' ? { fallback: arktypeFallbacks } : undefined;
}

/** Returns the refinements of a schema of zod or valibot, in every part of it. */
export function refinementsIn(schema: StandardSchema): readonly Refinement[] {
  const { jsonSchema, vendor } = schema['~standard'];
  const found: Refinement[] = [];
  const refinements = (more: readonly Refinement[]): unknown => found.push(...more);
  const libraryOptions = conversionOptions(vendor, { refinements });
  if (vendor !== 'zod' && vendor !== 'valibot') return [];
  jsonSchema.output({ target: 'draft-2020-12', ...(libraryOptions && { libraryOptions }) });
  return found;
}

/** A schema or a check of zod; zod documents these members for authors of libraries. */
interface ZodPart {
  readonly _zod: {
    readonly def: {
      readonly type?: unknown;
      readonly check?: unknown;
      readonly coerce?: unknown;
      readonly maximum?: unknown;
      readonly minimum?: unknown;
      readonly length?: unknown;
      readonly checks?: readonly ZodPart[];
      readonly pattern?: unknown;
    };
    readonly check?: unknown;
  };
}

interface ZodVisited {
  readonly zodSchema: ZodPart;
  readonly jsonSchema: JsonObject;
}

function visitZod({ zodSchema, jsonSchema }: ZodVisited, { refinements }: PartVisitor): void {
  // A format such as z.email() is a schema and its own check.
  const { _zod: internals } = zodSchema;
  const checks = [zodSchema, ...(internals.def.checks ?? [])];
  if (jsonSchema['type'] === 'string') {
    noteFlags(
      jsonSchema,
      checks.map(({ _zod }) => _zod.def.pattern),
    );
    if (checks.some(countsCharacters)) noteCharacters(jsonSchema);
  }
  const changes = changeOf(zodSchema, checks);
  if (changes !== undefined) noteRefusal(jsonSchema, changes, transformCure);
  refinements?.(
    checks
      .filter(({ _zod }) => typeof _zod.check === 'function')
      .map(({ _zod }) => ({ owner: _zod as unknown as Record<string, unknown>, name: 'check' })),
  );
}

/** True for a limit of a length that counts a character beyond U+FFFF once. Versions of zod differ. */
function countsCharacters({ _zod: { def, check } }: ZodPart): boolean {
  const accepts = (count: number): boolean => {
    const payload = { value: '\u{1f600}'.repeat(count), issues: [] };
    (check as (payload: object) => void)(payload);
    return payload.issues.length === 0;
  };
  const limit = Number(def.maximum ?? def.minimum ?? def.length);
  if (typeof check !== 'function' || !Number.isInteger(limit) || limit < 1) return false;
  switch (def.check) {
    case 'max_length':
    case 'length_equals':
      return accepts(limit);
    case 'min_length':
      return limit > 1 && !accepts(limit - 1);
    default:
      return false;
  }
}

const transformCure = 'transform the value after it was read; the API stores what it received';

/** Returns how a schema of zod changes values: its JSON Schema describes only the result. */
function changeOf({ _zod: { def } }: ZodPart, checks: readonly ZodPart[]): string | undefined {
  if (def.coerce === true) return 'a coercion of other types';
  if (def.type === 'catch') return 'a value in place of an invalid one';
  if (def.type === 'pipe') return 'a pipe of two schemas, or a transformation';
  const isOverwritten = checks.some(({ _zod }) => _zod.def.check === 'overwrite');
  return isOverwritten ? 'a change of the text, such as trim()' : undefined;
}

interface ValibotSchemaVisited {
  readonly valibotSchema: { readonly type?: unknown; readonly fallback?: unknown };
  readonly jsonSchema: JsonObject;
}

/** Adds what valibot's conversion omits: other members of a loose object, and a value in place of an invalid one. */
function visitValibotSchema({
  valibotSchema,
  jsonSchema,
}: ValibotSchemaVisited): JsonObject | undefined {
  const isLoose = valibotSchema.type === 'loose_object';
  if (!isLoose && !('fallback' in valibotSchema)) return undefined;
  const schema: JsonObject = isLoose ? { ...jsonSchema, additionalProperties: {} } : jsonSchema;
  if ('fallback' in valibotSchema) {
    noteRefusal(schema, 'a value in place of an invalid one', transformCure);
  }
  return schema;
}

/** The actions of valibot that JSON Schema cannot express; `parse` runs them. */
const valibotChecks: ReadonlySet<string> = new Set([
  'check',
  'check_items',
  'partial_check',
  'raw_check',
]);

interface ValibotVisited {
  readonly valibotAction: Record<string, unknown>;
  readonly jsonSchema: JsonObject;
  readonly errors?: readonly string[] | undefined;
}

/** Returns the schema for an action that valibot cannot convert, undefined to leave the action to valibot. */
function visitValibot(
  { valibotAction: action, jsonSchema, errors = [] }: ValibotVisited,
  { refinements }: PartVisitor,
): JsonObject | undefined {
  const { type, requirement } = action;
  if (valibotChecks.has(String(type))) {
    if (typeof requirement === 'function') refinements?.([{ owner: action, name: 'requirement' }]);
    return jsonSchema;
  }
  if (!(requirement instanceof RegExp)) return undefined;
  if (type !== 'regex') return withPattern(jsonSchema, requirement);
  // The other error of a regular expression is a second pattern.
  if (requirement.flags === '' || errors.length !== 1) return undefined;
  const schema: JsonObject = { ...jsonSchema, pattern: requirement.source };
  noteFlags(schema, [requirement]);
  return schema;
}

/** The actions whose JSON Schema is a format or an encoding; their regular expression says what they accept. */
function withPattern(jsonSchema: JsonObject, requirement: RegExp): JsonObject | undefined {
  const { format, contentEncoding, pattern } = jsonSchema;
  if (pattern !== undefined) {
    if (pattern === requirement.source) noteFlags(jsonSchema, [requirement]);
    return jsonSchema;
  }
  if (format === undefined && contentEncoding === undefined) return undefined;
  const schema: JsonObject = { ...jsonSchema, pattern: requirement.source };
  noteFlags(schema, [requirement]);
  return schema;
}

interface ArktypePattern {
  readonly base: JsonObject;
  readonly pattern: string;
}

const inexpressible = ['arrayObject', 'arrayPostfix', 'date', 'domain', 'proto', 'symbolKey'];

/** A second pattern becomes a part of `allOf`, since ArkType would drop it. */
const arktypeFallbacks: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(inexpressible.map((code) => [code, () => notJson(code)])),
  patternIntersection: ({ base, pattern }: ArktypePattern): JsonObject => {
    const parts: readonly JsonValue[] = Array.isArray(base['allOf']) ? base['allOf'] : [];
    return { ...base, allOf: [...parts, { pattern }] };
  },
};

function notJson(code: string): never {
  throw new Error(`a type that JSON Schema cannot express (${code})`);
}
