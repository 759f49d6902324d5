import { type JsonObject, type JsonValue, ownValue } from '@keelson/structural-schema';
import { noteRefusal } from '../conversion/refused-parts.ts';
import { noteFlags } from '../pattern/pattern-flags.ts';
import { transformCure, type PartVisitor } from './part-visitor.ts';

/**
 * The options of valibot's conversion to JSON Schema. It converts whole pipes: with its own mode for outputs it would skip
 * everything before the last schema of a pipe.
 */
export function valibotOptions(visitor: PartVisitor): Record<string, unknown> {
  return {
    typeMode: 'ignore',
    overrideAction: (part: ActionVisited) => visitAction(part, visitor),
    overrideSchema: visitSchema,
  };
}

interface SchemaVisited {
  readonly valibotSchema: {
    readonly type?: unknown;
    readonly default?: unknown;
    readonly fallback?: unknown;
  };
  readonly jsonSchema: JsonObject;
}

/**
 * Adds what valibot's conversion omits: other members of a loose object, and values in place of others. Undefined leaves
 * the schema to valibot, which throws for what it cannot convert.
 */
function visitSchema({ valibotSchema, jsonSchema }: SchemaVisited): JsonObject | undefined {
  const { type } = valibotSchema;
  const replaced = replacedValue(valibotSchema);
  if (type !== 'loose_object' && type !== 'variant' && replaced === undefined) return undefined;
  const schema: JsonObject = { ...jsonSchema };
  if (type === 'loose_object') schema['additionalProperties'] = {};
  if (type === 'variant') {
    // A variant accepts a value that several of its objects accept.
    schema['anyOf'] = schema['oneOf'] ?? [];
    delete schema['oneOf'];
  }
  if (replaced !== undefined) noteRefusal(schema, replaced.reason, replaced.cure);
  return schema;
}

function replacedValue({
  type,
  default: value,
  ...schema
}: SchemaVisited['valibotSchema']): { reason: string; cure: string } | undefined {
  if ('fallback' in schema) {
    return { reason: 'a value in place of an invalid one', cure: transformCure };
  }
  if (value === undefined || value === null) return undefined;
  if (type === 'nullable' || type === 'nullish') {
    const cure = 'use optional(nullable(…), default), which keeps null, or a schema without null';
    return { reason: 'a value in place of null, which the API stores', cure };
  }
  if (type !== 'undefinedable') return undefined;
  const reason = 'a default of a required member';
  return { reason, cure: 'use optional(…, default)' };
}

/** The actions of valibot that JSON Schema cannot express; `parse` runs them. */
const refinements: ReadonlySet<string> = new Set([
  'check',
  'check_items',
  'partial_check',
  'raw_check',
]);

/** The transformations of valibot that change the type for the compiler, but no value. */
const typeMarks: ReadonlySet<string> = new Set(['brand', 'flavor', 'readonly']);

interface ActionVisited {
  readonly valibotAction: Record<string, unknown>;
  readonly jsonSchema: JsonObject;
  readonly errors?: readonly string[] | undefined;
}

/** Returns the schema for an action that valibot cannot convert exactly, undefined to leave the action to valibot. */
function visitAction(
  { valibotAction: action, jsonSchema, errors = [] }: ActionVisited,
  visitor: PartVisitor,
): JsonObject | undefined {
  const { kind, requirement } = action;
  const type = String(action['type']);
  if (refinements.has(type)) {
    if (typeof requirement === 'function') {
      visitor.refinements?.([{ owner: action, name: 'requirement' }]);
    }
    return jsonSchema;
  }
  if (kind === 'transformation') {
    return typeMarks.has(type) ? jsonSchema : refused(jsonSchema, `a transformation (${type})`);
  }
  if (requirement instanceof RegExp) return withPattern(jsonSchema, requirement, errors.length > 0);
  return withCondition({ type, requirement }, jsonSchema, errors.length > 0);
}

function refused(jsonSchema: JsonObject, reason: string, cure: string = transformCure): JsonObject {
  const schema = { ...jsonSchema };
  noteRefusal(schema, reason, cure);
  return schema;
}

/**
 * Adds the regular expression of an action. The JSON Schema of some actions is a format or an encoding, and valibot
 * refuses or drops a second pattern.
 */
function withPattern(schema: JsonObject, requirement: RegExp, hasErrors: boolean): JsonObject {
  const { source } = requirement;
  const { pattern } = schema;
  const part: JsonObject = { pattern: source };
  noteFlags(part, [requirement]);
  const isOwn = pattern === source && !hasErrors;
  return pattern === undefined || isOwn ? { ...schema, ...part } : withPart(schema, part);
}

const substrings: Readonly<Record<string, (escaped: string) => string>> = {
  starts_with: (escaped) => `^${escaped}`,
  ends_with: (escaped) => `${escaped}$`,
  includes: (escaped) => escaped,
};

/** Adds a condition that valibot puts in the place of an earlier one, or refuses beside it. */
function withCondition(
  { type, requirement }: { readonly type: string; readonly requirement: unknown },
  jsonSchema: JsonObject,
  hasErrors: boolean,
): JsonObject | undefined {
  const { multipleOf: _, format, ...schema } = jsonSchema;
  const isText = schema['type'] === 'string';
  if (type === 'multiple_of') return withPart(schema, { multipleOf: requirement as JsonValue });
  if (type === 'url') return withPart(schema, { format: format ?? 'uri' });
  const patternOf = ownValue(substrings, type);
  if (patternOf === undefined) return undefined;
  if (!isText) {
    const cure = 'write a CEL rule such as \'self.exists(item, item == "a")\'';
    return refused(schema, `the items of a list (${type})`, cure);
  }
  if (!hasErrors || typeof requirement !== 'string') return undefined;
  const escaped = requirement.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return withPart(jsonSchema, { pattern: patternOf(escaped) });
}

function withPart(schema: JsonObject, part: JsonObject): JsonObject {
  const { allOf } = schema;
  return { ...schema, allOf: [...(Array.isArray(allOf) ? allOf : []), part] };
}
