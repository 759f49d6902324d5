import { type JsonObject, patternSyntaxProblem, unknownFormats } from '@keelson/structural-schema';
import type { StructuralSchema } from '../literal/structural-schema.ts';
import { withoutSafeBounds } from './union.ts';

/** The keywords of texts and numbers. */
export function scalarKeywords(schema: JsonObject): StructuralSchema {
  const { type } = schema;
  if (type === 'string' || schema['x-kubernetes-int-or-string'] === true)
    return textKeywords(schema);
  if (type === 'integer') return numberKeywords(withoutSafeBounds(schema));
  return type === 'number' ? numberKeywords(schema) : {};
}

/**
 * Libraries write a pattern beside a format that the server also checks. A pattern that RE2 cannot express is dropped
 * there; elsewhere the definition refuses it.
 */
function textKeywords(schema: JsonObject): StructuralSchema {
  const { pattern, format, ...lengths } = pick(schema, [
    'format',
    'pattern',
    'minLength',
    'maxLength',
  ]);
  const isChecked = format !== undefined && isServerFormat(format);
  const kept = isChecked ? { ...lengths, format } : lengths;
  const isDropped =
    pattern === undefined || (isChecked && patternSyntaxProblem(pattern) !== undefined);
  return isDropped ? kept : { ...kept, pattern };
}

/** The server ignores unknown formats with a warning. Its `duration` is that of Go, not of ISO 8601. */
function isServerFormat(format: string): boolean {
  return format !== 'duration' && unknownFormats({ type: 'string', format }).length === 0;
}

function numberKeywords(schema: JsonObject): StructuralSchema {
  const { minimum, exclusiveMinimum: above, maximum, exclusiveMaximum: below } = schema;
  return {
    ...pick(schema, ['format', 'multipleOf']),
    ...(isNumber(minimum) && { minimum }),
    ...(isNumber(maximum) && { maximum }),
    ...(isNumber(above) &&
      (!isNumber(minimum) || above >= minimum) && { minimum: above, exclusiveMinimum: true }),
    ...(isNumber(below) &&
      (!isNumber(maximum) || below <= maximum) && { maximum: below, exclusiveMaximum: true }),
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function pick<Name extends keyof StructuralSchema>(
  schema: JsonObject,
  names: readonly Name[],
): Pick<StructuralSchema, Name> {
  const found = names.filter((name) => schema[name] !== undefined);
  return Object.fromEntries(found.map((name) => [name, schema[name]])) as Pick<
    StructuralSchema,
    Name
  >;
}
