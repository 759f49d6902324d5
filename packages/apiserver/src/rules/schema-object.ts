import { MapValue, type Value } from '@keelson/cel/internal';
import { isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../json/json-value.ts';

/** How the members of an object of a schema become values. */
export interface MemberTypes {
  /** Whether the members are fields that the schema names, not entries of a map. */
  readonly named: boolean;
  /** The name in JSON of what rules call by another name; undefined where rules see nothing. */
  jsonNameOf(name: string): string | undefined;
  /** The name by which rules call a member. */
  nameOf(jsonName: string): string | undefined;
  valueOf(jsonName: string, json: JsonValue): Value;
}

/** An object of the resource that is judged; its members become values when a rule asks for them. */
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
    // A field that is null is one that is not there; an entry of a map is.
    if (json === undefined || (json === null && this.types.named)) return undefined;
    const value = this.types.valueOf(name, json);
    this.#values ??= new Map();
    this.#values.set(key, value);
    return value;
  }

  /** Members that the schema does not know are compared as JSON. */
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
