import {
  Duration,
  isList,
  itemsOf,
  JsonPatchMessage,
  MapValue,
  ObjectMessage,
  Optional,
  showGoType,
  showValue,
  Timestamp,
  typeOfValue,
  UnsignedInt,
  valueOf,
  type Value,
} from '@keelson/cel/internal';
import { type JsonObject, type JsonValue, setOwn } from '../json/json-value.ts';
import { MutationError } from './mutation-error.ts';

/** An operation of RFC 6902 as an expression created it; `op` may be any text. */
export interface PatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: JsonValue;
}

/**
 * Converts the result of a `JSONPatch` mutation to operations. Source: `evaluatePatchExpression` in
 * `policy/mutating/patch/json_patch.go` of kube-apiserver's admission.
 */
export function operationsOf(result: Value): PatchOperation[] {
  const items = isList(result) ? itemsOf(result) : [];
  return items.map((item) => {
    if (!(item instanceof JsonPatchMessage)) {
      throw new MutationError(
        'type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch',
      );
    }
    const { op, path, from, value } = item;
    if (value instanceof ObjectMessage) checkTypeNames(value);
    return {
      op,
      path,
      ...(from !== '' && { from }),
      ...(value !== undefined && { value: jsonOf(value) }),
    };
  });
}

/** Throws `MutationError` if a message has another type than the path of its fields from the root. */
export function checkTypeNames(message: ObjectMessage): void {
  const problems = typeNameProblems(message, message.type.name);
  if (problems.length > 0) throw new MutationError(`type mismatch: ${problems.join('\n')}`);
}

function typeNameProblems(value: Value, expected: string): string[] {
  if (value instanceof ObjectMessage) {
    const { name } = value.type;
    const own =
      name === expected
        ? []
        : [
            `unexpected type name "${name}", expected "${expected}", which matches field name path from root Object type`,
          ];
    const below = [...value.fields].flatMap(([field, each]) =>
      typeNameProblems(each, `${expected}.${field}`),
    );
    return [...own, ...below];
  }
  if (isList(value)) return itemsOf(value).flatMap((item) => typeNameProblems(item, expected));
  if (!(value instanceof MapValue)) return [];
  return value
    .keys()
    .flatMap((key) => typeNameProblems(valueOf(value.find(key) ?? null), expected));
}

function jsonOf(value: Value): JsonValue {
  switch (typeof value) {
    case 'bigint':
      return numberOf(value);
    case 'object':
      return value === null ? null : objectOf(value);
    default:
      return value;
  }
}

/** As in the JSON of protobuf, an integer that a double cannot hold becomes a text. */
function numberOf(value: bigint): JsonValue {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function objectOf(value: Exclude<Value, null | string | number | bigint | boolean>): JsonValue {
  if (isList(value)) return itemsOf(value).map(itemOf);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof UnsignedInt) return numberOf(value.value);
  if (value instanceof Timestamp || value instanceof Duration) return showValue(value);
  if (value instanceof ObjectMessage) return fieldsOf(value);
  if (value instanceof MapValue) return entriesOf(value);
  if (value instanceof Optional) {
    return value.hasValue ? jsonOf(value.value) : unconvertible('optional.none() dereference');
  }
  if (value instanceof JsonPatchMessage) {
    return unconvertible('cannot convert to native type: *structpb.Value');
  }
  const { name, kind } = typeOfValue(value);
  if (kind === 'type') return unconvertible("type conversion not supported for 'type'");
  const shown = name.startsWith('kubernetes.')
    ? name.slice('kubernetes.'.length)
    : showGoType(value);
  return unconvertible(`type conversion error from '${shown}' to '*structpb.Value'`);
}

/** kube-apiserver panics on an `Object` in a list or map, and closes the connection. */
function itemOf(value: Value): JsonValue {
  return value instanceof ObjectMessage
    ? unconvertible(`${value.type.name} in a list or map`)
    : jsonOf(value);
}

function fieldsOf({ fields }: ObjectMessage): JsonObject {
  const object: JsonObject = {};
  for (const [name, value] of fields) setOwn(object, name, jsonOf(value));
  return object;
}

function entriesOf(map: MapValue): JsonObject {
  const object: JsonObject = {};
  for (const key of map.keys()) setOwn(object, keyOf(key), itemOf(valueOf(map.find(key) ?? null)));
  return object;
}

function keyOf(key: Value): string {
  if (typeof key === 'string') return key;
  return unconvertible(`unsupported type conversion from '${typeOfValue(key).name}' to string`);
}

function unconvertible(why: string): never {
  throw new MutationError(
    `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${why}`,
  );
}
