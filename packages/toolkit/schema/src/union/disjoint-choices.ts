import {
  isJsonObject,
  isNumeric,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  ownValue,
} from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import { listOf } from './list-of.ts';
import { allowedValues } from './union.ts';

/**
 * Throws `SCHEMA_INVALID` for choices of `oneOf` that may accept the same value, which exactly one choice has to accept.
 * A structural schema says which values some choice accepts.
 */
export function refuseOverlap(choices: readonly JsonObject[], path: string): void {
  const overlaps = choices.some((one, index) =>
    choices.slice(index + 1).some((other) => !areDisjoint(one, other)),
  );
  if (!overlaps) return;
  throw refusal(
    path,
    'an exclusive union whose choices may accept the same value',
    'use a union that accepts the value of any choice, or choices of different types or with a constant property that differs',
  );
}

function areDisjoint(one: JsonObject, other: JsonObject): boolean {
  const types = typesOf(one);
  const others = typesOf(other);
  if (types === undefined || others === undefined) return false;
  const common = types.filter((type) => others.includes(type));
  if (common.length === 0) return true;
  if (common.includes('null')) return false;
  const [values, otherValues] = [allowedValues(one), allowedValues(other)];
  if (values !== undefined && otherValues !== undefined)
    return haveNothingInCommon(values, otherValues);
  return common.every((type) => type === 'object') && haveDifferentConstants(one, other);
}

/** The types of a schema, of which `number` includes the integers; undefined for every type. */
function typesOf(schema: JsonObject): readonly JsonValue[] | undefined {
  const { type, nullable } = schema;
  const values = allowedValues(schema);
  const stated = Array.isArray(type) ? type : type === undefined ? undefined : [type];
  const own = values === undefined ? stated : values.map(typeOf);
  if (own === undefined) {
    return schema['x-kubernetes-int-or-string'] === true ? ['number', 'string'] : undefined;
  }
  const types = own.map((each) => (each === 'integer' ? 'number' : each));
  return nullable === true ? [...types, 'null'] : types;
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return isNumeric(value) ? 'number' : typeof value;
}

/** True for objects that both require a property, with values that differ. */
function haveDifferentConstants(one: JsonObject, other: JsonObject): boolean {
  const { properties, required } = one;
  if (!isJsonObject(properties)) return false;
  return Object.keys(properties).some((name) => {
    const areRequired = [required, other['required']].every((names) =>
      listOf(names).includes(name),
    );
    const [values, others] = [valuesOf(one, name), valuesOf(other, name)];
    return (
      areRequired &&
      values !== undefined &&
      others !== undefined &&
      haveNothingInCommon(values, others)
    );
  });
}

function valuesOf({ properties }: JsonObject, name: string): readonly JsonValue[] | undefined {
  const property = isJsonObject(properties) ? ownValue(properties, name) : undefined;
  return isJsonObject(property) ? allowedValues(property) : undefined;
}

function haveNothingInCommon(one: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  return !one.some((value) => other.some((each) => jsonEquals(value, each)));
}
