import {
  cloneJson,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from '@keelson/structural-schema';

/** Sets the defaults of one struct in place. Nested structs have their own rules, which run afterwards. */
export type DefaultRule = (object: JsonObject) => void;

/** Rules by the name of their struct: `core.v1.Container`. */
export type DefaultRules = Readonly<Record<string, DefaultRule>>;

/** Copies each default into its field if the field is missing, null or the empty string. */
export function fill(object: JsonObject, values: JsonObject): void {
  for (const key of Object.keys(values)) {
    const value = ownValue(object, key);
    if (value === undefined || value === null || value === '') {
      setOwn(object, key, cloneJson(values[key] as JsonValue));
    }
  }
}

/** Copies each default into its field if the field is missing. An empty string stays, as behind a pointer in Go. */
export function fillMissing(object: JsonObject, values: JsonObject): void {
  for (const key of Object.keys(values)) {
    if (ownValue(object, key) !== undefined) continue;
    setOwn(object, key, cloneJson(values[key] as JsonValue));
  }
}

/** Returns a rule that sets constant defaults for missing fields. */
export function constantsIfMissing(values: JsonObject): DefaultRule {
  return (object) => fillMissing(object, values);
}

/** Returns a rule that sets constant defaults. */
export function constants(values: JsonObject): DefaultRule {
  return (object) => fill(object, values);
}
