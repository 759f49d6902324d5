import { isNumeric, jsonText, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import { isReadOtherwise, LARGEST_INT64, type Limit } from '../literal/number-limits.ts';
import { refusal } from '../literal/refusal.ts';
import type { ScalarKeywords } from './keywords-with-rules.ts';

/**
 * The limits of numbers. The API server compares a whole number with the limit as an integer, so that 0 reaches a minimum
 * of 0.5; such a limit becomes a CEL rule, or the next whole number for integers.
 */
export function numberKeywords(schema: JsonObject, path: string): ScalarKeywords {
  const { format, multipleOf } = schema;
  const limits = limitsOf(schema).flatMap((limit) =>
    schema['type'] === 'number' ? (isVacuous(limit) ? [] : [limit]) : wholeLimits(limit, path),
  );
  const kept =
    schema['type'] === 'number'
      ? limits.filter((limit) => !isReadOtherwise('number', limit))
      : limits;
  const asRules = limits.filter((limit) => !kept.includes(limit));
  const choices = numberChoices(schema);
  return {
    keywords: {
      ...(typeof format === 'string' && { format }),
      ...multipleKeyword(multipleOf, path),
      ...Object.assign({}, ...kept.map(keywordsOf)),
      ...(choices !== undefined && { enum: undefined }),
    },
    rules: [...asRules.map(ruleOf), ...(choices ?? [])],
  };
}

/** The lower and the upper limit, of each the narrower one. */
function limitsOf(schema: JsonObject): readonly Limit[] {
  const { minimum, exclusiveMinimum: above, maximum, exclusiveMaximum: below } = schema;
  const lower = narrower(
    isNumeric(minimum) ? Number(minimum) : undefined,
    isNumeric(above) ? Number(above) : undefined,
    (one, other) => other >= one,
  );
  const upper = narrower(
    isNumeric(maximum) ? Number(maximum) : undefined,
    isNumeric(below) ? Number(below) : undefined,
    (one, other) => other <= one,
  );
  return [
    ...(lower === undefined ? [] : [{ ...lower, isUpper: false }]),
    ...(upper === undefined ? [] : [{ ...upper, isUpper: true }]),
  ];
}

function narrower(
  inclusive: number | undefined,
  exclusive: number | undefined,
  isNarrower: (inclusive: number, exclusive: number) => boolean,
): Pick<Limit, 'value' | 'isExclusive'> | undefined {
  const isExclusive =
    exclusive !== undefined && (inclusive === undefined || isNarrower(inclusive, exclusive));
  const value = isExclusive ? exclusive : inclusive;
  return value === undefined ? undefined : { value, isExclusive };
}

/** True for the limits of every number of JavaScript. */
function isVacuous({ value, isUpper, isExclusive }: Limit): boolean {
  return !isExclusive && (isUpper ? value >= Number.MAX_VALUE : value <= -Number.MAX_VALUE);
}

/** The limit of integers; none if every integer of 64 bits meets it. */
function wholeLimits(limit: Limit, path: string): readonly Limit[] {
  const { value, isUpper } = limit;
  const isOutside = isUpper ? value < -LARGEST_INT64 : value > LARGEST_INT64;
  if (
    isOutside ||
    (isUpper ? value === -LARGEST_INT64 && limit.isExclusive : value === LARGEST_INT64)
  ) {
    throw refusal(path, 'a limit that no integer of 64 bits meets', 'correct the limit');
  }
  if (isUpper ? value >= LARGEST_INT64 : value <= -LARGEST_INT64) return [];
  if (Number.isInteger(value)) return [limit];
  // The sum turns -0 into 0.
  const whole = (isUpper ? Math.floor(value) : Math.ceil(value)) + 0;
  return [{ value: whole, isUpper, isExclusive: false }];
}

function keywordsOf({ value, isUpper, isExclusive }: Limit): object {
  return isUpper
    ? { maximum: value, ...(isExclusive && { exclusiveMaximum: true }) }
    : { minimum: value, ...(isExclusive && { exclusiveMinimum: true }) };
}

function ruleOf({ value, isUpper, isExclusive }: Limit): JsonObject {
  const words = `${isUpper ? 'less' : 'greater'} than${isExclusive ? '' : ' or equal to'}`;
  const operator = `${isUpper ? '<' : '>'}${isExclusive ? '' : '='}`;
  return {
    rule: `self ${operator} ${doubleText(value)}`,
    message: `should be ${words} ${value}`,
  };
}

function multipleKeyword(multipleOf: JsonValue | undefined, path: string): object {
  if (!isNumeric(multipleOf)) return {};
  if (Number.isSafeInteger(multipleOf) && Number(multipleOf) > 0) return { multipleOf };
  const reason = 'a multipleOf that the API server truncates to a whole number';
  const cure = 'use a positive integer, and store multiples of a smaller unit';
  throw refusal(`${path}.multipleOf`, reason, cure);
}

/** The server truncates a number before it compares it with a whole one: 1.5 would be 1. */
function numberChoices({ type, enum: values }: JsonObject): readonly JsonObject[] | undefined {
  const isMixed = type === 'number' && Array.isArray(values) && values.some(isWhole);
  return isMixed ? [choiceRule(values, (value) => doubleText(Number(value)))] : undefined;
}

function isWhole(value: JsonValue): boolean {
  return isNumeric(value) && Number.isInteger(Number(value));
}

/** A CEL rule in place of an enumeration. */
export function choiceRule(
  values: readonly JsonValue[],
  textOf: (value: JsonValue) => string = jsonText,
): JsonObject {
  const texts = values.map((value) => (typeof value === 'string' ? value : jsonText(value)));
  return {
    rule: `self in [${values.map(textOf).join(',')}]`,
    message: `must be one of ${texts.join(', ')}`,
    reason: 'FieldValueInvalid',
  };
}

/** A literal of the CEL type double has a fraction or an exponent. */
export function doubleText(value: number): string {
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
