import { isJsonObject, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import type { DefaultRules } from '../schema/default-rule.ts';
import { clusterDefaults } from './cluster/defaults-cluster.ts';
import { deviceDefaults } from './devices/defaults-devices.ts';
import { networkingDefaults } from './services/defaults-networking.ts';
import { podDefaults } from './pods/defaults-pod.ts';
import { storageDefaults } from './cluster/defaults-storage.ts';
import { workloadDefaults } from './workloads/defaults-workloads.ts';
import type { SchemaType, StructType } from '../schema/schema-type.ts';

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
  rules[type.name]?.(object);
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
