import type { KubernetesObject, StatusCause } from '@keelson/apimachinery';
import { isJsonObject, type JsonObject, type JsonValue } from '../patch/json-value.ts';
import { notSupported, required } from './field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from './field-path.ts';
import { changeRules } from './immutable-fields.ts';
import {
  checkCronJobName,
  checkNameWithoutDots,
  checkPathSegment,
  checkStatefulSetName,
  checkSubdomain,
  type NameCheck,
} from './name-syntax.ts';
import { accessRules } from './rules-access.ts';
import { limitRules } from './rules-limits.ts';
import { validateAutoscaler } from './rules-autoscaler.ts';
import { validateDisruptionBudget } from './rules-budget.ts';
import { validateIngress } from './rules-ingress.ts';
import { validateService } from './rules-service.ts';
import { otherRules } from './rules-others.ts';
import { containerRules } from './rules-container.ts';
import { lastPodRules, podRules } from './rules-pod.ts';
import { jobRules, lastJobRules } from './rules-job.ts';
import { workloadRules } from './rules-workloads.ts';
import type { Field, SchemaType, StructType } from './schema-type.ts';
import { definitionRules } from './validate-definition.ts';
import {
  validateCommonMetadata,
  validateFinalizers,
  validateMetadata,
  validateMetadataChange,
} from './validate-metadata.ts';
import type { ValidationRules } from './validation-rule.ts';

const lastRules: ValidationRules = { ...lastPodRules, ...lastJobRules };
const rules: ValidationRules = {
  ...podRules,
  ...containerRules,
  ...workloadRules,
  ...jobRules,
  ...accessRules,
  ...otherRules,
  ...limitRules,
  ...definitionRules,
};

/** Judges a whole object of one kind, metadata aside, in the order in which the server does. */
type KindRule = (object: JsonObject, old?: JsonObject) => StatusCause[];

/** Kinds whose rules do not follow the structs of their schema. */
const kindRules: Readonly<Record<string, KindRule>> = {
  'core.v1.Service': validateService,
  'autoscaling.v2.HorizontalPodAutoscaler': validateAutoscaler,
  'networking.v1.Ingress': validateIngress,
  'policy.v1.PodDisruptionBudget': validateDisruptionBudget,
};

const nameChecks: Readonly<Record<string, NameCheck>> = {
  'apps.v1.StatefulSet': checkStatefulSetName,
  'batch.v1.CronJob': checkCronJobName,
  'core.v1.Namespace': checkNameWithoutDots,
  'core.v1.Service': checkNameWithoutDots,
  'rbac.v1.Role': checkPathSegment,
  'rbac.v1.RoleBinding': checkPathSegment,
  'rbac.v1.ClusterRole': checkPathSegment,
  'rbac.v1.ClusterRoleBinding': checkPathSegment,
};

/** Kinds that are served beside Kubernetes' own, and whose finalizers need not be qualified. */
const ofAnotherLibrary = /^(apiextensions|apiregistration)\./;

/** Kinds that judge an updated object like a new one, its metadata included. */
const judgedWhole: ReadonlySet<string> = new Set([
  'apps.v1.ControllerRevision',
  'apps.v1.StatefulSet',
  'core.v1.ConfigMap',
  'core.v1.Endpoints',
  'core.v1.Namespace',
  'core.v1.Node',
  'core.v1.PersistentVolume',
  'core.v1.PersistentVolumeClaim',
  'core.v1.Secret',
  'core.v1.Service',
  'core.v1.ServiceAccount',
  'discovery.v1.EndpointSlice',
  'networking.v1.Ingress',
  'networking.v1.IngressClass',
  'rbac.v1.ClusterRole',
  'rbac.v1.ClusterRoleBinding',
  'rbac.v1.Role',
  'rbac.v1.RoleBinding',
  'storage.v1.CSINode',
  'storage.v1.StorageClass',
  'storage.v1.VolumeAttachment',
  'storage.v1.VolumeAttributesClass',
]);

/** Kinds of which only the metadata that every kind has in common is judged. */
const metadataUnjudged: ReadonlySet<string> = new Set(['policy.v1.PodDisruptionBudget']);

/** Required texts that may be empty all the same, or that a rule of their own misses in its own words. */
const mayBeEmpty = new Set([
  'core.v1.HTTPHeader.value',
  'rbac.v1.RoleRef.apiGroup',
  'rbac.v1.RoleRef.kind',
  'apiextensions.v1.CustomResourceDefinitionNames.kind',
  'apiextensions.v1.ValidationRule.rule',
]);

/** Fields whose values a rule of their own judges, in its own words. */
const ownWords = new Set([
  'core.v1.PodSpec.restartPolicy',
  'core.v1.PodSpec.dnsPolicy',
  'apps.v1.DeploymentStrategy.type',
  'apps.v1.StatefulSetSpec.podManagementPolicy',
  'apps.v1.StatefulSetUpdateStrategy.type',
  'batch.v1.JobSpec.completionMode',
  'apiextensions.v1.ValidationRule.reason',
]);

/** The causes for which an object of a built-in kind is refused. */
export function validateBuiltin(
  type: StructType,
  object: KubernetesObject,
  old?: KubernetesObject,
): StatusCause[] {
  const change = old === undefined ? undefined : changeRules[type.name];
  const kindRule = kindRules[type.name];
  if (kindRule !== undefined) {
    const causes = kindRule(object as JsonObject, old as JsonObject | undefined);
    const changes = change?.(object as JsonObject, old as JsonObject) ?? [];
    return [...validateMetadataOf(type, object, old), ...changes, ...causes];
  }
  return [
    ...validateMetadataOf(type, object, old),
    ...validateStruct(type, object as JsonObject, ''),
    ...(change?.(object as JsonObject, old as JsonObject) ?? []),
  ];
}

function validateMetadataOf(
  type: StructType,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
): StatusCause[] {
  if (metadataUnjudged.has(type.name)) return validateCommonMetadata(object, old);
  const isWhole = old === undefined || judgedWhole.has(type.name);
  const checkName = nameChecks[type.name] ?? checkSubdomain;
  const finalizers = ofAnotherLibrary.test(type.name)
    ? []
    : validateFinalizers(object.metadata ?? {});
  return [
    ...(old === undefined ? [] : [...validateMetadataChange(object, old), ...finalizers]),
    ...(isWhole ? [...validateMetadata(object, checkName), ...finalizers] : []),
  ];
}

/** In the order in which the server tells: the struct's own values, its rule, what it holds, its last rule. */
function validateStruct(type: StructType, object: JsonObject, path: FieldPath): StatusCause[] {
  // Metadata has its own judge, and a status is the word of the controller that writes it.
  const fields = [...type.fields].filter(
    ([name]) => path !== '' || (name !== 'metadata' && name !== 'status'),
  );
  return [
    ...fields.flatMap(([name, field]) =>
      validateOwnValue(field, `${type.name}.${name}`, object[name], childPath(path, name)),
    ),
    ...(rules[type.name]?.(object, path) ?? []),
    ...fields.flatMap(([name, field]) => {
      const value = object[name];
      return value === undefined ? [] : validateNested(field.type, value, childPath(path, name));
    }),
    ...(path === '' ? validateStatus(type.fields.get('status')?.type, object.status) : []),
    ...(lastRules[type.name]?.(object, path) ?? []),
  ];
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

function validateStatus(type: SchemaType | undefined, value: JsonValue | undefined): StatusCause[] {
  if (type?.kind !== 'struct' || !isJsonObject(value)) return [];
  return rules[type.name]?.(value, 'status') ?? [];
}

function validateNested(type: SchemaType, value: JsonValue, path: FieldPath): StatusCause[] {
  if (type.kind === 'struct' && isJsonObject(value)) return validateStruct(type, value, path);
  if (type.kind === 'list' && type.item.kind === 'struct' && Array.isArray(value)) {
    return value.flatMap((item, index) => validateNested(type.item, item, indexPath(path, index)));
  }
  if (type.kind === 'map' && type.value.kind === 'struct' && isJsonObject(value)) {
    return Object.keys(value).flatMap((key) =>
      validateNested(type.value, value[key] as JsonValue, keyPath(path, key)),
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
  if (field.enum === undefined || typeof value !== 'string' || ownWords.has(name)) return [];
  return field.enum.includes(value) ? [] : [notSupported(path, value, field.enum)];
}

function isMissing(field: Field, value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (value === '' && isText(field));
}

function isText(field: Field): boolean {
  return field.type.kind === 'scalar' && field.type.scalar === 'string';
}
