import { refusal } from './refusal.ts';
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';

/** A type of the value of a keyword: its name for errors, and its test. */
interface ValueType {
  readonly name: string;
  readonly accepts: (value: unknown) => boolean;
}

const text: ValueType = { name: 'a string', accepts: (value) => typeof value === 'string' };
const flag: ValueType = { name: 'a boolean', accepts: (value) => typeof value === 'boolean' };
const number: ValueType = { name: 'a finite number', accepts: isNumber };
const count: ValueType = {
  name: 'a whole number that is not negative',
  accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};
const list: ValueType = {
  name: 'a list of JSON values',
  accepts: (value) => Array.isArray(value) && isJson(value),
};
const texts: ValueType = { name: 'a list of strings', accepts: areTexts };
const record: ValueType = { name: 'an object', accepts: isRecord };
const records: ValueType = {
  name: 'a list of objects',
  accepts: (value) => Array.isArray(value) && value.every(isRecord),
};
const anyValue: ValueType = { name: 'a JSON value', accepts: (value) => isJson(value) };

const keywordTypes: Readonly<Record<keyof StructuralSchema, ValueType>> = {
  type: text,
  title: text,
  description: text,
  format: text,
  default: anyValue,
  enum: list,
  nullable: flag,
  example: anyValue,
  minimum: number,
  maximum: number,
  exclusiveMinimum: flag,
  exclusiveMaximum: flag,
  multipleOf: number,
  minLength: count,
  maxLength: count,
  pattern: text,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  properties: record,
  required: texts,
  additionalProperties: record,
  items: record,
  'x-kubernetes-int-or-string': flag,
  'x-kubernetes-preserve-unknown-fields': flag,
  'x-kubernetes-embedded-resource': flag,
  'x-kubernetes-list-type': oneOf('atomic', 'map', 'set'),
  'x-kubernetes-list-map-keys': texts,
  'x-kubernetes-map-type': oneOf('atomic', 'granular'),
  'x-kubernetes-validations': records,
};

const ruleTypes: Readonly<Record<keyof ValidationRule, ValueType>> = {
  rule: text,
  message: text,
  messageExpression: text,
  reason: text,
  fieldPath: text,
  optionalOldSelf: flag,
};

/** Throws `SCHEMA_INVALID` for an unknown keyword, or one whose value has a type that the API server cannot read. */
export function checkKeywords(schema: object, path: string): void {
  for (const [name, value] of Object.entries(schema)) {
    const type = Object.hasOwn(keywordTypes, name)
      ? keywordTypes[name as keyof StructuralSchema]
      : undefined;
    if (type === undefined) throw unknown(`${path}.${name}`);
    checkValue(value, type, `${path}.${name}`);
  }
}

/** Throws `SCHEMA_INVALID` for a member of a CEL rule that is unknown or has a wrong type. */
export function checkRuleMembers(rule: ValidationRule, path: string): void {
  const wrong = wrongMember(rule);
  if (wrong === undefined) return;
  const { name, expected } = wrong;
  if (expected === undefined) {
    throw refusal(`${path}.${name}`, 'unknown member of a rule', 'correct its spelling');
  }
  throw refusal(`${path}.${name}`, 'a value of a wrong type', `use ${expected}`);
}

/** Returns the first member of a CEL rule that is unknown, or has a wrong type: then with the expected one. */
export function wrongMember(
  rule: object,
): { readonly name: string; readonly expected: string | undefined } | undefined {
  for (const [name, value] of Object.entries(rule)) {
    const known = Object.hasOwn(ruleTypes, name);
    const type = known ? ruleTypes[name as keyof ValidationRule] : undefined;
    if (type === undefined) return { name, expected: undefined };
    if (value !== undefined && !type.accepts(value)) return { name, expected: type.name };
  }
  return undefined;
}

function checkValue(value: unknown, { name, accepts }: ValueType, path: string): void {
  if (value === undefined || accepts(value)) return;
  throw refusal(path, 'a value of a wrong type', `use ${name}`);
}

/** A deeper value would exhaust the stack; so would a value that contains itself. */
const MAX_LEVELS = 200;

function isJson(value: unknown, level: number = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || ['string', 'boolean', 'undefined'].includes(typeof value)) return true;
  if (typeof value !== 'object' || level > MAX_LEVELS || value instanceof RegExp) return false;
  return Object.values(value).every((part) => isJson(part, level + 1));
}

function unknown(path: string): Error {
  const cure = "correct its spelling, or write a CEL rule in 'x-kubernetes-validations'";
  return refusal(path, 'unknown keyword', cure);
}

function oneOf(...values: readonly string[]): ValueType {
  return {
    name: `one of ${values.join(' ')}`,
    accepts: (value) => typeof value === 'string' && values.includes(value),
  };
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
