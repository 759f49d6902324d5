import { thrownReason } from '@keelson/apimachinery';
import {
  jsonText,
  ownValue,
  sortMembers,
  type JsonSchema,
  type JsonValue,
} from '@keelson/structural-schema';
import * as fc from 'fast-check';
import { SchemaError } from '../errors.ts';

/** Longer lists and maps make a test slow and find nothing more. */
const MAX_ITEMS = 4;

/**
 * Generates the content of objects from the schema of a version. It follows types, limits, patterns and formats; CEL
 * rules and combinations of schemas are left to the validation of the object. Throws `OBJECTS_NOT_GENERATED` for a
 * pattern from which no text can be generated.
 */
export function objectsOf(schema: JsonSchema, kind: string): fc.Arbitrary<object> {
  return valueOf(schema, { kind, path: '' }) as fc.Arbitrary<object>;
}

/** Names a part of a schema in errors. */
interface Place {
  readonly kind: string;
  readonly path: string;
}

function valueOf(schema: JsonSchema, place: Place): fc.Arbitrary<JsonValue> {
  const value = presentValue(schema, place);
  return schema.nullable === true ? fc.option(value) : value;
}

function presentValue(schema: JsonSchema, place: Place): fc.Arbitrary<JsonValue> {
  if (schema.enum !== undefined)
    return fc.constantFrom(...schema.enum.filter((each) => each !== null));
  if (schema['x-kubernetes-int-or-string'] === true) {
    return fc.oneof(integerOf({ ...schema, format: 'int32' }), textOf(schema, place));
  }
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integerOf(schema);
    case 'number':
      return numberOf(schema);
    case 'string':
      return textOf(schema, place);
    case 'array':
      return listOf(schema, place);
    case 'object':
      return objectOf(schema, place);
    default:
      return anyValue;
  }
}

/** A value of a field without a type. */
const anyValue: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.boolean(),
  fc.integer(),
  fc.string(),
) as fc.Arbitrary<JsonValue>;

function integerOf(schema: JsonSchema): fc.Arbitrary<number> {
  const { multipleOf: step = 1, format } = schema;
  const widest = format === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  const least = Math.ceil((schema.minimum ?? -widest) / step) * step;
  const most = Math.floor((schema.maximum ?? widest) / step) * step;
  const min = least / step + (schema.exclusiveMinimum === true && least === schema.minimum ? 1 : 0);
  const max = most / step - (schema.exclusiveMaximum === true && most === schema.maximum ? 1 : 0);
  return fc.integer({ min, max }).map((count) => count * step);
}

function numberOf(schema: JsonSchema): fc.Arbitrary<number> {
  if (schema.multipleOf !== undefined) return integerOf(schema);
  return fc
    .double({
      noNaN: true,
      noDefaultInfinity: true,
      ...(schema.minimum !== undefined && { min: schema.minimum }),
      ...(schema.maximum !== undefined && { max: schema.maximum }),
      minExcluded: schema.exclusiveMinimum === true,
      maxExcluded: schema.exclusiveMaximum === true,
    })
    .map((value) => (value === 0 ? 0 : value)); // JSON has no negative zero
}

function textOf(schema: JsonSchema, place: Place): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = minLength + 20, pattern, format } = schema;
  if (pattern !== undefined) {
    const fits = (text: string): boolean => {
      const { length } = Array.from(text);
      return length >= minLength && length <= (schema.maxLength ?? length);
    };
    return matching(pattern, place).filter(fits);
  }
  return ownValue(formats, format ?? '')?.() ?? fc.string({ minLength, maxLength });
}

function matching(pattern: string, { kind, path }: Place): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'));
  } catch (cause) {
    const facts = { kind, path, pattern, reason: thrownReason(cause) };
    throw new SchemaError('OBJECTS_NOT_GENERATED', facts, { cause });
  }
}

const times = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Texts of the formats that kube-apiserver validates; texts of others are refused by the validation. */
const formats: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  'date-time': () => times,
  datetime: () => times,
  date: () => times.map((time) => time.slice(0, 'YYYY-MM-DD'.length)),
  byte: () => fc.base64String(),
  uuid: () => fc.uuid(),
  uuid4: () => fc.uuid({ version: 4 }),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  cidr: () => fc.tuple(fc.ipV4(), fc.nat(32)).map(([address, bits]) => `${address}/${bits}`),
  email: () => fc.emailAddress(),
  hostname: () => fc.domain(),
  uri: () => fc.webUrl(),
  duration: () => fc.nat(100_000).map((seconds) => `${seconds}s`),
};

function listOf(schema: JsonSchema, place: Place): fc.Arbitrary<JsonValue> {
  const { items = {}, minItems: minLength = 0, maxItems } = schema;
  const maxLength = Math.min(maxItems ?? Infinity, minLength + MAX_ITEMS);
  const item = valueOf(items, { ...place, path: `${place.path}[]` });
  const limits = { minLength, maxLength };
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'map' && type !== 'set') return fc.array(item, limits);
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const identityOf = (value: JsonValue): string =>
    type === 'set'
      ? textOfJson(value)
      : keys.map((key) => textOfJson(ownValue(membersOf(value), key))).join();
  return fc.uniqueArray(item, { ...limits, selector: identityOf });
}

function textOfJson(value: JsonValue | undefined): string {
  return value === undefined ? '' : jsonText(sortMembers(value));
}

function membersOf(value: JsonValue): Readonly<Record<string, JsonValue>> {
  return value as Readonly<Record<string, JsonValue>>;
}

function objectOf(schema: JsonSchema, place: Place): fc.Arbitrary<JsonValue> {
  const { properties, additionalProperties: values, required = [] } = schema;
  if (schema['x-kubernetes-embedded-resource'] === true) return fc.constant({ ...EMBEDDED });
  if (properties === undefined) {
    const value =
      typeof values === 'object'
        ? valueOf(values, { ...place, path: `${place.path}.*` })
        : anyValue;
    const isOpen =
      typeof values === 'object' || schema['x-kubernetes-preserve-unknown-fields'] === true;
    return isOpen ? mapOf(schema, value) : fc.constant({});
  }
  const members = Object.entries(properties).map(
    ([name, member]) =>
      [name, valueOf(member, { ...place, path: `${place.path}.${name}` })] as const,
  );
  const requiredKeys = required.filter((name) => Object.hasOwn(properties, name));
  return fc.record(Object.fromEntries(members), { requiredKeys, noNullPrototype: true });
}

const EMBEDDED = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } as const;

function mapOf(schema: JsonSchema, value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  const { minProperties: minKeys = 0, maxProperties = Infinity } = schema;
  const maxKeys = Math.min(maxProperties, minKeys + MAX_ITEMS);
  return fc.dictionary(fc.string(), value, { minKeys, maxKeys, noNullPrototype: true });
}
