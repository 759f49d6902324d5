import type { KubernetesObject, StatusCause } from '@keelson/apimachinery';
import type { JsonObject } from '../patch/json-value.ts';
import { changeRules } from './immutable-fields.ts';
import type { WrittenPart } from './kind-schema.ts';
import {
  checkCronJobName,
  checkNameWithoutDots,
  checkPathSegment,
  checkStatefulSetName,
  checkSubdomain,
  type NameCheck,
} from './name-syntax.ts';
import { validateAutoscaler } from './rules-autoscaler.ts';
import { validateDisruptionBudget } from './rules-budget.ts';
import { validateIngress } from './rules-ingress.ts';
import { validateService } from './rules-service.ts';
import type { StructType } from './schema-type.ts';
import {
  validateCommonMetadata,
  validateFinalizers,
  validateKindMetadataChange,
  validateMetadata,
} from './validate-metadata.ts';
import { validateField, validateStatus, validateStruct } from './validate-struct.ts';

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

/** What of an object is judged, in the order in which a kind judges it. */
type Part =
  /** The metadata of every kind. */
  | 'common'
  /** The metadata as the kind judges that of an update. */
  | 'metadata change'
  /** The metadata as the kind judges that of a new object. */
  | 'metadata'
  | 'content'
  /** The spec alone, once more. */
  | 'spec'
  | 'status'
  /** What may not change. */
  | 'change';

const firstParts: readonly Part[] = ['metadata', 'content'];
const updateParts: readonly Part[] = ['common', 'metadata change', 'content', 'status', 'change'];
const wholeUpdateParts: readonly Part[] = [
  'common',
  'metadata change',
  'metadata',
  'content',
  'status',
  'change',
];

/** What is judged of a pod that is bound to a node, or gets another container. */
const otherParts: readonly Part[] = ['common', 'metadata change', 'content'];

/** Kinds that judge an update in an order of their own. Causes that come twice are told twice. */
const ownUpdateParts: Readonly<Record<string, readonly Part[]>> = {
  'batch.v1.Job': ['common', 'metadata', 'content', 'metadata change', 'spec', 'change'],
  'core.v1.Pod': ['common', 'metadata change', 'metadata', 'content', 'change'],
};

/** What the kinds judge that look at nothing but the status in a write of the status. */
const statusParts: Readonly<Record<string, readonly Part[]>> = {
  'apps.v1.StatefulSet': ['common', 'status', 'metadata change'],
  'batch.v1.CronJob': ['common'],
  'batch.v1.Job': ['common', 'metadata change', 'status'],
  'core.v1.Pod': ['common', 'metadata change', 'status'],
};

/** The causes for which an object of a built-in kind is refused. */
export function validateBuiltin(
  type: StructType,
  object: KubernetesObject,
  old?: KubernetesObject,
  part: WrittenPart = 'object',
): StatusCause[] {
  const kindRule = kindRules[type.name];
  if (kindRule !== undefined) {
    const change = old === undefined ? undefined : changeRules[type.name];
    const causes = kindRule(object as JsonObject, old as JsonObject | undefined);
    const changes = change?.(object as JsonObject, old as JsonObject) ?? [];
    return [...validateMetadataOf(type, object, old), ...changes, ...causes];
  }
  return partsOf(type, old, part).flatMap((each) => validatePart(each, type, object, old));
}

function partsOf(
  { name }: StructType,
  old: KubernetesObject | undefined,
  part: WrittenPart,
): readonly Part[] {
  if (old === undefined) return firstParts;
  if (part === 'other') return otherParts;
  const own = part === 'status' ? statusParts[name] : ownUpdateParts[name];
  return own ?? (judgedWhole.has(name) ? wholeUpdateParts : updateParts);
}

function validatePart(
  part: Part,
  type: StructType,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
): StatusCause[] {
  const [json, before] = [object as JsonObject, (old ?? {}) as JsonObject];
  switch (part) {
    case 'common':
      return validateCommonMetadata(object, old);
    case 'metadata change':
      return [...validateKindMetadataChange(object, old ?? {}), ...finalizersOf(type, object)];
    case 'metadata':
      return [
        ...validateMetadata(object, nameChecks[type.name] ?? checkSubdomain),
        ...finalizersOf(type, object),
      ];
    case 'content':
      return validateStruct(type, json, '', old === undefined);
    case 'spec':
      return validateField(type, json, 'spec');
    case 'status':
      return validateStatus(type, json, before);
    case 'change':
      return changeRules[type.name]?.(json, before) ?? [];
  }
}

function validateMetadataOf(
  type: StructType,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
): StatusCause[] {
  if (metadataUnjudged.has(type.name)) return validateCommonMetadata(object, old);
  const parts = partsOf(type, old, 'object').filter((part) => metadataParts.has(part));
  return parts.flatMap((part) => validatePart(part, type, object, old));
}

const metadataParts: ReadonlySet<Part> = new Set(['common', 'metadata change', 'metadata']);

function finalizersOf(type: StructType, object: KubernetesObject): StatusCause[] {
  return ofAnotherLibrary.test(type.name) ? [] : validateFinalizers(object.metadata ?? {});
}
