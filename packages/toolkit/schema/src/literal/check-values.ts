import { isNumeric, type JsonSchema, type JsonValue } from '@keelson/structural-schema';
import { isReadOtherwise, type Limit } from './number-limits.ts';
import { refusal } from './refusal.ts';

/** Throws `SCHEMA_INVALID` for limits and enumerations that kube-apiserver accepts and reads otherwise. */
export function checkValues(schema: JsonSchema, path: string): void {
  checkLimits(schema, path);
  checkMultiple(schema, path);
  checkEnumeration(schema, path);
  if (schema.default === null) {
    const cure = 'remove the default; a missing field stays missing';
    throw refusal(`${path}.default`, 'a default of null, which the API server ignores', cure);
  }
}

function checkLimits(schema: JsonSchema, path: string): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, format } = schema;
  const type = schema.type === 'integer' ? 'integer' : 'number';
  const limits: [string, Limit | undefined][] = [
    ['minimum', limitOf(minimum, false, exclusiveMinimum)],
    ['maximum', limitOf(maximum, true, exclusiveMaximum)],
  ];
  for (const [name, limit] of limits) {
    if (limit === undefined || !isReadOtherwise(type, limit, format)) continue;
    const reason =
      type === 'integer'
        ? `a limit that is not an integer of the format: ${limit.value}`
        : `a limit that the API server compares with whole numbers after it truncated it: ${limit.value}`;
    throw refusal(`${path}.${name}`, reason, cureOf(type, limit));
  }
}

function limitOf(
  value: number | undefined,
  isUpper: boolean,
  exclusive: boolean | undefined,
): Limit | undefined {
  return value === undefined ? undefined : { value, isUpper, isExclusive: exclusive === true };
}

function cureOf(type: 'integer' | 'number', { value, isUpper, isExclusive }: Limit): string {
  if (type === 'integer') return 'use an integer of the format';
  const operator = `${isUpper ? '<' : '>'}${isExclusive ? '' : '='}`;
  return `write a CEL rule: 'self ${operator} ${value}'`;
}

function checkMultiple({ multipleOf }: JsonSchema, path: string): void {
  if (multipleOf === undefined) return;
  if (Number.isInteger(multipleOf) && multipleOf > 0 && multipleOf < 2 ** 63) return;
  const reason = 'a multipleOf that the API server truncates to a whole number';
  const cure = 'use a positive integer, and store multiples of a smaller unit';
  throw refusal(`${path}.multipleOf`, reason, cure);
}

function checkEnumeration(schema: JsonSchema, path: string): void {
  const { enum: values } = schema;
  if (values === undefined) return;
  if (schema.nullable === true) {
    const reason =
      'an enumeration beside nullable: the API server compares null with it and refuses it';
    const cure = 'remove nullable, or write a CEL rule such as \'self in ["a", "b"]\'';
    throw refusal(`${path}.enum`, reason, cure);
  }
  if (schema.type === 'number' && values.some(isWhole)) {
    const reason =
      'whole numbers, with which the API server compares others after it truncated them';
    throw refusal(
      `${path}.enum`,
      reason,
      "use type: 'integer', or a CEL rule such as 'self in [1.0, 2.5]'",
    );
  }
  const isNumber = schema.type !== 'string' && schema.type !== 'boolean';
  if (isNumber && values.some(isOneCharacter)) {
    const reason =
      'a text of one character, which the API server takes for the number of the character';
    throw refusal(`${path}.enum`, reason, 'use texts of several characters');
  }
}

function isWhole(value: JsonValue): boolean {
  return isNumeric(value) && Number.isInteger(Number(value));
}

/** Go converts a number to the text of that character: 65 to "A". */
function isOneCharacter(value: JsonValue): boolean {
  return typeof value === 'string' && Array.from(value).length === 1;
}
