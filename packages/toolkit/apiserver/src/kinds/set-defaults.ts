import { isJsonObject, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import type { DefaultRules } from '../schema/default-rule.ts';
import { clusterDefaults } from './cluster/defaults-cluster.ts';
import { deviceDefaults } from './devices/defaults-devices.ts';
import { networkingDefaults } from './services/defaults-networking.ts';
import { podDefaults } from './pods/defaults-pod.ts';
import { storageDefaults } from './cluster/defaults-storage.ts';
import { workloadDefaults } from './workloads/defaults-workloads.ts';
import type { Field, SchemaType, StructType } from '../schema/schema-type.ts';

const rules: DefaultRules = {
  ...podDefaults,
  ...workloadDefaults,
  ...networkingDefaults,
  ...storageDefaults,
  ...clusterDefaults,
  ...deviceDefaults,
};

/**
 * Sets the defaults of a real server, from outer to inner structs. The rule of a struct sees its fields as given; the
 * rules of nested structs complete the fields that it adds.
 */
export function setDefaults(type: StructType, object: JsonObject): void {
  applyRule(type, object);
  for (const [name, field] of type.fields) {
    // Go does not write an empty string, which is the default of a key of list items.
    if (field.default !== undefined && field.default !== '')
      object[name] ??= field.default as JsonValue;
  }
  for (const name of Object.keys(object)) {
    // Metadata has no defaults but most keys of an object, so it is skipped.
    if (name === 'metadata' && type.fields.get('kind') !== undefined) continue;
    const field = type.fields.get(name);
    if (field !== undefined) visit(field.type, object[name] as JsonValue);
  }
}

/** An empty text of a field that is a pointer in Go is a value and gets no default. */
function applyRule(type: StructType, object: JsonObject): void {
  const rule = rules[type.name];
  if (rule === undefined) return;
  const given = Object.keys(object).filter(
    (name) => object[name] === '' && isPointer(type.fields.get(name)),
  );
  rule(object);
  for (const name of given) object[name] = '';
}

/** A missing value of a pointer is left out or written as null, that of another text is empty. */
function isPointer(field: Field | undefined): boolean {
  return field?.empty === 'optional' || field?.empty === 'null';
}

function visit(type: SchemaType, value: JsonValue): void {
  if (typeof value !== 'object' || value === null) return;
  if (type.kind === 'struct') {
    if (isJsonObject(value)) setDefaults(type, value);
  } else if (type.kind === 'list') {
    if (Array.isArray(value)) for (const item of value) visit(type.item, item);
  } else if (type.kind === 'map' && type.value.kind !== 'scalar' && isJsonObject(value)) {
    for (const key of Object.keys(value)) visit(type.value, value[key] as JsonValue);
  }
}
