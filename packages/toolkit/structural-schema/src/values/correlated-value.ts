import { isJsonObject, jsonEquals, type JsonValue, ownValue } from '../json/json-value.ts';
import { jsonText } from '../json/exact-json.ts';
import type { JsonSchema } from '../validation/json-schema.ts';

/**
 * A value beside the old value that it replaces. kube-apiserver accepts a violation in a part that the update leaves
 * unchanged, if the schema says which old part belongs to it: a declared member of an object, or an item of a list with
 * keys.
 */
export class CorrelatedValue {
  readonly #schema: JsonSchema;
  readonly #value: JsonValue;
  readonly #old: JsonValue;
  #isUnchanged: boolean | undefined;

  constructor(schema: JsonSchema, value: JsonValue, old: JsonValue) {
    this.#schema = schema;
    this.#value = value;
    this.#old = old;
  }

  /** Returns the member with its old value; undefined if one of them or the schema of the member is missing. */
  member(name: string): CorrelatedValue | undefined {
    if (!isJsonObject(this.#value) || !isJsonObject(this.#old)) return undefined;
    const [value, old] = [ownValue(this.#value, name), ownValue(this.#old, name)];
    const { properties = {}, additionalProperties: values } = this.#schema;
    const schema = ownValue(properties, name) ?? (typeof values === 'object' ? values : undefined);
    if (value === undefined || old === undefined || schema === undefined) return undefined;
    return new CorrelatedValue(schema, value, old);
  }

  /** Returns the item with the old item of the same keys; undefined if the old list lacks it. */
  item(index: number): CorrelatedValue | undefined {
    const { items } = this.#schema;
    if (!Array.isArray(this.#value) || !Array.isArray(this.#old) || items === undefined)
      return undefined;
    if (!this.#hasKeys) return undefined;
    const value = this.#value[index];
    const key = keyOf(this.#schema, value);
    if (value === undefined || key === undefined) return undefined;
    const old = this.#old.find((each) => keyOf(this.#schema, each) === key);
    return old === undefined ? undefined : new CorrelatedValue(items, value, old);
  }

  /** True if the update leaves the value as it is. Items of a list with keys may change their order. */
  get isUnchanged(): boolean {
    this.#isUnchanged ??= this.#compare();
    return this.#isUnchanged;
  }

  get #hasKeys(): boolean {
    return this.#schema['x-kubernetes-list-type'] === 'map';
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (!this.#hasKeys) return jsonEquals(value, old);
      return value.every((_, index) => this.item(index)?.isUnchanged === true);
    }
    if (isJsonObject(value) && isJsonObject(old)) {
      const names = Object.keys(value);
      if (names.length !== Object.keys(old).length) return false;
      return names.every((name) => this.member(name)?.isUnchanged === true);
    }
    return jsonEquals(value, old);
  }
}

/** Returns a text of the keys of an item; undefined if a key is missing or no scalar. */
function keyOf(schema: JsonSchema, item: JsonValue | undefined): string | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema.type !== 'array' || keys.length === 0 || !isJsonObject(item)) return undefined;
  const values = keys.map((key) => ownValue(item, key));
  const areScalars = values.every(
    (value) => value !== undefined && value !== null && typeof value !== 'object',
  );
  return areScalars ? jsonText(values) : undefined;
}
