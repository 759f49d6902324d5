import {
  EvaluationError,
  isFailed,
  isList,
  itemsOf,
  MapValue,
  ObjectMessage,
  Optional,
  type Outcome,
  type Value,
} from '@keelson/cel/internal';
import { type JsonObject, type JsonValue, setOwn } from '../json/json-value.ts';
import { integerOf } from '../json/number-text.ts';
import { GoValue } from './go-value.ts';
import { MutationError } from './mutation-error.ts';

/**
 * Converts the result of an `ApplyConfiguration` mutation to an object. As in kube-apiserver, lists and maps that the
 * expression made inside other ones have no JSON form: they become a `GoValue`. Source: `convertField` in
 * `pkg/cel/mutation/dynamic/objects.go` of apiserver.
 */
export function configurationOf(value: Value, containers: WeakSet<object>): JsonObject {
  if (value instanceof ObjectMessage) return new ConfigurationReader(containers).object(value);
  // The checker permits null where it permits a message.
  throw new MutationError('unsupported return type from ApplyConfiguration expression: null_type');
}

class ConfigurationReader {
  readonly #containers: WeakSet<object>;

  constructor(containers: WeakSet<object>) {
    this.#containers = containers;
  }

  object({ fields }: ObjectMessage): JsonObject {
    const object: JsonObject = {};
    for (const [name, value] of fields) setOwn(object, name, this.#field(value));
    return object;
  }

  /** The value of a field, whose items or entries may be made by the expression too. */
  #field(value: Value): JsonValue {
    if (isList(value)) return itemsOf(value).map((item) => this.#plain(item));
    if (value instanceof MapValue) return this.#map(value);
    return this.#plain(value);
  }

  #map(map: MapValue): JsonObject {
    const object: JsonObject = {};
    for (const key of map.keys()) {
      if (typeof key !== 'string')
        throw new MutationError('invalid return type: *dynamic.ObjectVal');
      setOwn(object, key, this.#plain(found(map.find(key))));
    }
    return object;
  }

  #plain(value: Value): JsonValue {
    if (value instanceof ObjectMessage) return this.object(value);
    if (value instanceof Optional) return value.hasValue ? this.#plain(value.value) : null;
    if (typeof value === 'bigint') return integerOf(value);
    if (typeof value !== 'object') return value;
    return value !== null && this.#containers.has(value)
      ? valueOfObject(value)
      : asJsonLeaf(new GoValue(value));
  }
}

/** Converts a value of the request back to JSON. */
function valueOfObject(value: Value): JsonValue {
  if (isList(value)) return itemsOf(value).map(valueOfObject);
  if (typeof value === 'bigint') return integerOf(value);
  if (!(value instanceof MapValue)) return value as JsonValue;
  const object: JsonObject = {};
  for (const key of value.keys()) {
    setOwn(object, String(key), valueOfObject(found(value.find(key))));
  }
  return object;
}

/** The check of the configuration finds these leaves, so the type of JSON does not have them. */
function asJsonLeaf(value: GoValue): JsonValue {
  return value as unknown as JsonValue;
}

function found(outcome: Outcome | undefined): Value {
  if (outcome instanceof EvaluationError) throw new MutationError(outcome.message);
  return outcome === undefined || isFailed(outcome) ? null : outcome;
}
