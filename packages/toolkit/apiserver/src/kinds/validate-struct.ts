import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  type FieldPath,
  indexPath,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  keyPath,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { accessRules } from './cluster/rules-access.ts';
import { containerOrders } from './pods/rules-container.ts';
import { jobOrders } from './workloads/rules-job.ts';
import { validateJobStatus } from './workloads/rules-job-status.ts';
import { limitRules } from './cluster/rules-limits.ts';
import { configurationRules } from './cluster/rules-configuration.ts';
import { persistentVolumeOrders } from './storage/rules-persistent-volume.ts';
import { claimOrders, claimRules } from './storage/rules-volume-claim.ts';
import { classRules } from './cluster/rules-class.ts';
import { leaseRules } from './cluster/rules-lease.ts';
import { podOrders, podRules } from './pods/rules-pod.ts';
import { validatePodStatus } from './pods/rules-pod-status.ts';
import { mountOrders } from './pods/rules-mount.ts';
import { variableOrders } from './pods/rules-variable.ts';
import { runtimeClassOrders } from './pods/rules-runtime-class.ts';
import { volumeOrders } from './pods/rules-volume.ts';
import { collisionsOnlyGrow, workloadOrders, workloadRules } from './workloads/rules-workloads.ts';
import type { Field, SchemaType, StructType } from '../schema/schema-type.ts';
import type {
  ChangeRule,
  FieldValidator,
  OrderedRules,
  ValidationRules,
} from '../schema/validation-rule.ts';

const rules: ValidationRules = {
  ...podRules,
  ...workloadRules,
  ...accessRules,
  ...configurationRules,
  ...claimRules,
  ...classRules,
  ...leaseRules,
  ...limitRules,
};

const orders: OrderedRules = {
  ...podOrders,
  ...containerOrders,
  ...mountOrders,
  ...variableOrders,
  ...volumeOrders,
  ...persistentVolumeOrders,
  ...claimOrders,
  ...workloadOrders,
  ...jobOrders,
  ...runtimeClassOrders,
};

/** The rules for status updates, by the name of the kind's type. */
const statusChangeRules: Readonly<Record<string, ChangeRule>> = {
  'apps.v1.Deployment': collisionsOnlyGrow,
  'apps.v1.StatefulSet': collisionsOnlyGrow,
  'batch.v1.Job': validateJobStatus,
  'core.v1.Pod': validatePodStatus,
};

/** Required strings that may be empty or whose rule reports a missing value with its own message. */
const mayBeEmpty = new Set([
  'core.v1.HTTPHeader.name',
  'core.v1.HTTPHeader.value',
  'core.v1.HostAlias.ip',
  'core.v1.PodReadinessGate.conditionType',
  'rbac.v1.RoleRef.apiGroup',
  'rbac.v1.RoleRef.kind',
  'rbac.v1.Subject.kind',
  'rbac.v1.Subject.name',
  'meta.v1.LabelSelectorRequirement.key',
  'meta.v1.LabelSelectorRequirement.operator',
  'core.v1.LimitRangeItem.type',
  'core.v1.ScopedResourceSelectorRequirement.operator',
  'core.v1.ScopedResourceSelectorRequirement.scopeName',
]);

/** Fields whose rule reports an unsupported value with its own message. */
const ownMessages = new Set([
  'core.v1.PodSpec.restartPolicy',
  'core.v1.PodSpec.dnsPolicy',
  'core.v1.Toleration.effect',
  'core.v1.ScopedResourceSelectorRequirement.operator',
  'core.v1.ScopedResourceSelectorRequirement.scopeName',
  'apps.v1.DeploymentStrategy.type',
  'apps.v1.StatefulSetSpec.podManagementPolicy',
  'apps.v1.StatefulSetUpdateStrategy.type',
  'batch.v1.JobSpec.completionMode',
]);

/**
 * Validates a struct and its nested values. If the struct has an ordered rule, that rule decides the order. Otherwise
 * its own values come first, then its rule, then the nested values.
 */
export function validateStruct(
  type: StructType,
  object: JsonObject,
  path: FieldPath,
  isNew: boolean,
): StatusCause[] {
  const fields = new StructFields(type, object, path, isNew);
  const order = orders[type.name];
  if (order !== undefined) return order(object, path, fields);
  const names = fields.unnamed();
  return [
    ...names.flatMap((name) => fields.ownValue(name)),
    ...(rules[type.name]?.(object, path) ?? []),
    ...names.flatMap((name) => fields.nested(name)),
  ];
}

/** Validates one field of a stored object. */
export function validateField(type: StructType, object: JsonObject, name: string): StatusCause[] {
  return new StructFields(type, object, '', false).validate(name);
}

/** Validates a status. Most kinds have no rules for it. */
export function validateStatus(
  type: StructType,
  object: JsonObject,
  old: JsonObject,
): StatusCause[] {
  const { status } = object;
  const field = type.fields.get('status')?.type;
  if (field?.kind !== 'struct' || !isJsonObject(status)) return [];
  return [
    ...(rules[field.name]?.(status, 'status') ?? []),
    ...(statusChangeRules[type.name]?.(object, old) ?? []),
  ];
}

class StructFields implements FieldValidator {
  readonly isNew: boolean;
  readonly #type: StructType;
  readonly #object: JsonObject;
  readonly #path: FieldPath;
  readonly #named = new Set<string>();

  constructor(type: StructType, object: JsonObject, path: FieldPath, isNew: boolean) {
    this.#type = type;
    this.#object = object;
    this.#path = path;
    this.isNew = isNew;
  }

  validate(...names: string[]): StatusCause[] {
    for (const name of names) this.#named.add(name);
    return names.flatMap((name) => [...this.ownValue(name), ...this.nested(name)]);
  }

  validateAs(name: string, value: JsonValue): StatusCause[] {
    this.#named.add(name);
    const changed = { ...this.#object, [name]: value };
    return new StructFields(this.#type, changed, this.#path, this.isNew).validate(name);
  }

  others(...excepted: string[]): StatusCause[] {
    return this.validate(...this.unnamed().filter((name) => !excepted.includes(name)));
  }

  /** The fields not validated yet. Metadata and status of an object have separate rules. */
  unnamed(): string[] {
    const names = [...this.#type.fields.keys()].filter((name) => !this.#named.has(name));
    if (this.#path !== '') return names;
    return names.filter((name) => name !== 'metadata' && name !== 'status');
  }

  ownValue(name: string): StatusCause[] {
    const field = this.#type.fields.get(name);
    if (field === undefined) return [];
    const value = this.#object[name];
    // Nearly all fields end here, before the strings that name them.
    if (isMissing(field, value) ? !field.required : field.enum === undefined) return [];
    const path = childPath(this.#path, name);
    return validateOwnValue(field, `${this.#type.name}.${name}`, value, path);
  }

  nested(name: string): StatusCause[] {
    const field = this.#type.fields.get(name);
    const value = this.#object[name];
    if (field === undefined || typeof value !== 'object') return [];
    return validateNested(field.type, value, childPath(this.#path, name), this.isNew);
  }
}

function validateOwnValue(
  field: Field,
  name: string,
  value: JsonValue | undefined,
  path: FieldPath,
): StatusCause[] {
  if (!isMissing(field, value)) return validateEnum(field, name, value as JsonValue, path);
  const isNeeded = field.required && isText(field) && !mayBeEmpty.has(name);
  return isNeeded ? [required(path)] : [];
}

function validateNested(
  type: SchemaType,
  value: JsonValue,
  path: FieldPath,
  isNew: boolean,
): StatusCause[] {
  if (type.kind === 'struct' && isJsonObject(value))
    return validateStruct(type, value, path, isNew);
  if (type.kind === 'list' && type.item.kind === 'struct' && Array.isArray(value)) {
    return value.flatMap((item, index) =>
      validateNested(type.item, item, indexPath(path, index), isNew),
    );
  }
  if (type.kind === 'map' && type.value.kind === 'struct' && isJsonObject(value)) {
    return Object.keys(value).flatMap((key) =>
      validateNested(type.value, value[key] as JsonValue, keyPath(path, key), isNew),
    );
  }
  return [];
}

function validateEnum(
  field: Field,
  name: string,
  value: JsonValue,
  path: FieldPath,
): StatusCause[] {
  if (field.enum === undefined || typeof value !== 'string' || ownMessages.has(name)) return [];
  return field.enum.includes(value) ? [] : [notSupported(path, value, field.enum)];
}

function isMissing(field: Field, value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (value === '' && isText(field));
}

function isText(field: Field): boolean {
  return field.type.kind === 'scalar' && field.type.scalar === 'string';
}
