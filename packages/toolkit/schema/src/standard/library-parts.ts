import type { JsonObject, JsonValue } from '@keelson/structural-schema';
import { noteFlags } from '../pattern/pattern-flags.ts';
import { noteCharacters } from '../pattern/reading.ts';
import { notePooledMembers } from '../conversion/merge-members.ts';
import { noteRefusal } from '../conversion/refused-parts.ts';
import type { StandardSchema } from './standard-schema.ts';
import { valibotOptions } from './valibot-parts.ts';
import { transformCure, type PartVisitor, type Refinement } from './part-visitor.ts';

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
  if (vendor === 'valibot') return valibotOptions(visitor);
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
      readonly position?: unknown;
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
  if (internals.def.type === 'object') notePooledMembers(jsonSchema);
  const changes = changeOf(zodSchema, checks);
  if (changes !== undefined) noteRefusal(jsonSchema, changes, transformCure);
  const lost = lostCheck(checks);
  if (lost !== undefined) noteRefusal(jsonSchema, lost, 'use refine(), which parse runs');
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

/** Returns how a schema of zod changes values: its JSON Schema describes only the result. */
function changeOf({ _zod: { def } }: ZodPart, checks: readonly ZodPart[]): string | undefined {
  if (def.coerce === true) return 'a coercion of other types';
  if (def.type === 'catch') return 'a value in place of an invalid one';
  if (def.type === 'pipe') return 'a pipe of two schemas, or a transformation';
  if (def.type === 'success') return 'a value that says whether another one is valid';
  if (def.type === 'promise') return 'a promise';
  const isOverwritten = checks.some(({ _zod }) => _zod.def.check === 'overwrite');
  return isOverwritten ? 'a change of the text, such as trim()' : undefined;
}

/** The checks of zod whose meaning its JSON Schema has, and refinements, which `parse` runs. */
const zodChecks: ReadonlySet<unknown> = new Set([
  undefined,
  'custom',
  'greater_than',
  'length_equals',
  'less_than',
  'max_length',
  'min_length',
  'multiple_of',
  'number_format',
  'overwrite',
  'string_format',
]);

/** Returns the check of zod that its JSON Schema omits, or says otherwise. */
function lostCheck(checks: readonly ZodPart[]): string | undefined {
  for (const { _zod } of checks) {
    const { check, position } = _zod.def;
    if (!zodChecks.has(check)) return `a check that its JSON Schema omits (${String(check)})`;
    if (typeof position === 'number') return 'a text that is searched from a position';
  }
  return undefined;
}

interface ArktypeUnit {
  readonly unit: unknown;
}

interface ArktypePattern {
  readonly base: JsonObject;
  readonly pattern: string;
}

/** The codes of parts whose fallback throws. */
const inexpressible = ['arrayObject', 'arrayPostfix', 'date', 'domain', 'proto', 'symbolKey'];

/** A second pattern becomes a part of `allOf`, since ArkType would drop it. */
const arktypeFallbacks: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(inexpressible.map((code) => [code, () => notJson(code)])),
  unit: ({ unit }: ArktypeUnit): JsonObject => {
    const schema: JsonObject = {};
    const cure = 'remove the value; the API stores JSON, in which a missing member is optional';
    noteRefusal(schema, `a value that JSON cannot express: ${String(unit)}`, cure);
    return schema;
  },
  patternIntersection: ({ base, pattern }: ArktypePattern): JsonObject => {
    const parts: readonly JsonValue[] = Array.isArray(base['allOf']) ? base['allOf'] : [];
    return { ...base, allOf: [...parts, { pattern }] };
  },
};

function notJson(code: string): never {
  throw new Error(`a type that JSON Schema cannot express (${code})`);
}
