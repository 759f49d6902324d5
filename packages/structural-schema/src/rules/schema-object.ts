import { MapValue, type Value } from '@keelson/cel/internal';
import { isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../json/json-value.ts';

/** Converts the members of an object to CEL values by its schema. */
export interface MemberTypes {
  /** True if members are fields named in the schema; false for entries of a map. */
  readonly named: boolean;
  /** Returns the JSON name of a member by its name in rules; undefined if rules cannot read it. */
  jsonNameOf(name: string): string | undefined;
  /** Returns the name of a member in rules. */
  nameOf(jsonName: string): string | undefined;
  valueOf(jsonName: string, json: JsonValue): Value;
}

/** An object of the validated resource. Its members become CEL values when a rule reads them. */
export class SchemaObject extends MapValue {
  readonly json: JsonObject;
  readonly types: MemberTypes;
  #values: Map<string, Value> | undefined;

  constructor(json: JsonValue, types: MemberTypes) {
    super();
    this.json = isJsonObject(json) ? json : {};
    this.types = types;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  keys(): readonly Value[] {
    return Object.keys(this.json).flatMap((name) => this.types.nameOf(name) ?? []);
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const known = this.#values?.get(key);
    if (known !== undefined) return known;
    const name = this.types.jsonNameOf(key);
    if (name === undefined || !Object.hasOwn(this.json, name)) return undefined;
    const json = this.json[name];
    // A null field counts as missing; a null entry of a map does not.
    if (json === undefined || (json === null && this.types.named)) return undefined;
    const value = this.types.valueOf(name, json);
    this.#values ??= new Map();
    this.#values.set(key, value);
    return value;
  }

  /** Members without a schema are compared as JSON. */
  override equals(
    other: MapValue,
    equalValues: (one: Value, other: Value) => boolean,
  ): boolean | undefined {
    if (!(other instanceof SchemaObject)) return undefined;
    return Object.keys(this.json).every((jsonName) => {
      const name = this.types.nameOf(jsonName);
      if (name === undefined) return jsonEquals(this.json[jsonName], other.json[jsonName]);
      const value = this.get(name);
      const against = other.get(name);
      if (value === undefined || against === undefined) return value === against;
      return equalValues(value, against);
    });
  }
}
