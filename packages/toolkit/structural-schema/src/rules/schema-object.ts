import {
  EvaluationError,
  MadeMap,
  MapValue,
  type Outcome,
  outcomeOf,
  type Value,
} from '@keelson/cel/internal';
import {
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  ownValue,
} from '../json/json-value.ts';

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
  readonly isMade = false;
  #values: Map<string, Outcome> | undefined;

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

  find(key: Value): Outcome | undefined {
    if (typeof key !== 'string') return new EvaluationError('no such overload');
    const known = this.#values?.get(key);
    if (known !== undefined) return known;
    const name = this.types.jsonNameOf(key);
    if (name === undefined || !Object.hasOwn(this.json, name)) return undefined;
    const json = this.json[name];
    // A null field counts as missing; a null entry of a map does not.
    if (json === undefined || (json === null && this.types.named)) return undefined;
    const value = outcomeOf(() => this.types.valueOf(name, json));
    this.#values ??= new Map();
    this.#values.set(key, value);
    return value;
  }

  /** Members without a schema are compared as JSON. */
  override equals(
    other: MapValue,
    equalOutcomes: (one: Outcome, other: Outcome) => boolean | EvaluationError,
  ): boolean | EvaluationError {
    for (const jsonName of Object.keys(this.json)) {
      const equal = this.#equalMember(jsonName, other, equalOutcomes);
      if (equal !== true) return equal;
    }
    return true;
  }

  override withoutSchema(): MapValue {
    return madeOf(this.json);
  }

  #equalMember(
    jsonName: string,
    other: MapValue,
    equalOutcomes: (one: Outcome, other: Outcome) => boolean | EvaluationError,
  ): boolean | EvaluationError {
    const name = this.types.nameOf(jsonName);
    if (name === undefined) {
      if (!(other instanceof SchemaObject)) return new EvaluationError('no such overload');
      const json = ownValue(other.json, jsonName);
      return json === undefined || jsonEquals(this.json[jsonName], json);
    }
    const [value, against] = [this.find(name), other.find(name)];
    if (value === undefined || against === undefined) return value === against;
    return equalOutcomes(value, against);
  }
}

function madeOf(json: JsonObject): MadeMap {
  const map = new MadeMap();
  for (const [name, each] of Object.entries(json)) {
    if (each !== undefined) map.set(name, plainValue(each));
  }
  return map;
}

/** Converts JSON without a schema. */
export function plainValue(json: JsonValue): Value {
  if (Array.isArray(json)) return json.map(plainValue);
  if (isJsonObject(json)) return madeOf(json);
  if (typeof json !== 'number' && typeof json !== 'object') return json;
  if (json === null) return null;
  const number = Number(json);
  return Number.isSafeInteger(number) ? BigInt(number) : number;
}
