import type { ApiObject } from '../storage/api-object.ts';
import { autoscalerToStored } from './workloads/autoscaler-conversion.ts';
import type { KubernetesObject, StatusCause } from '@keelson/apimachinery';
import {
  checkCronJobName,
  checkDnsLabel,
  checkPathSegment,
  checkStatefulSetName,
  checkSubdomain,
  type NameCheck,
} from '@keelson/cel/internal';
import {
  type JsonObject,
  validateCommonMetadata,
  validateCommonNames,
  validateFinalizers,
  validateKindMetadataChange,
  validateMetadata,
} from '@keelson/structural-schema';
import {
  validateValidatingBinding,
  validateValidatingPolicy,
} from './admission/validate-policies.ts';
import {
  validateMutatingBinding,
  validateMutatingPolicy,
} from './admission/validate-mutating-policies.ts';
import { validateWebhooks } from './admission/validate-webhooks.ts';
import { validateCertificateRequest } from './certificates/rules-certificate-request.ts';
import { validateDefinition } from './definitions/validate-definition.ts';
import { changeRules } from './immutable-fields.ts';
import { validateEphemeralChange, validateResize } from './pods/rules-pod-part.ts';
import type { WrittenPart } from '../schema/kind-schema.ts';
import { validateControllerRevision } from './workloads/rules-controller-revision.ts';
import { validateAutoscaler, validateAutoscalerStatus } from './workloads/rules-autoscaler.ts';
import {
  validateDisruptionBudget,
  validateDisruptionBudgetStatus,
} from './workloads/rules-budget.ts';
import { validateIngress, validateIngressStatus } from './services/rules-ingress.ts';
import { validateService } from './services/rules-service.ts';
import { validateApiService } from './cluster/rules-api-service.ts';
import { validateCoreEvent, validateEvent, validateNewEvent } from './cluster/rules-event.ts';
import { validateNamespace } from './cluster/rules-namespace.ts';
import { validateNode } from './cluster/rules-node.ts';
import { validateFlowSchema, validatePriorityLevel } from './cluster/rules-flow-control.ts';
import {
  validateClaimTemplate,
  validateDeviceClass,
  validateResourceClaim,
} from './devices/rules-device-claim.ts';
import { validateResourceSlice } from './devices/rules-resource-slice.ts';
import { addressDetails } from './network/network-address.ts';
import { validateEndpoints, validateEndpointSlice } from './network/rules-endpoints.ts';
import { validateIngressClass } from './network/rules-ingress-class.ts';
import { validateNetworkPolicy } from './network/rules-network-policy.ts';
import { validateIpAddress, validateServiceRange } from './network/rules-service-range.ts';
import {
  validateAttributesClass,
  validateDriver,
  validateStorageCapacity,
  validateStorageClass,
} from './storage/rules-storage-class.ts';
import { validateMountOptions } from './storage/rules-persistent-volume.ts';
import { validateCsiNode } from './storage/rules-csi-node.ts';
import { validateVolumeAttachment } from './storage/rules-volume-attachment.ts';
import { validateServiceStatus } from './services/rules-service-status.ts';
import type { StructType } from '../schema/schema-type.ts';
import type { ChangeRule } from '../schema/validation-rule.ts';
import { validateField, validateStatus, validateStruct } from './validate-struct.ts';

/** Validates an object of one kind in the order of kube-apiserver. */
interface KindRule {
  /** Validates everything but metadata and status. */
  content(object: JsonObject, old: JsonObject | undefined, part: WrittenPart): StatusCause[];
  status(object: JsonObject): StatusCause[];
}

/** Kinds whose rules do not follow the structs of their schema. */
const kindRules: Readonly<Record<string, KindRule>> = {
  'admissionregistration.v1.MutatingWebhookConfiguration': {
    content: validateWebhooks,
    status: () => [],
  },
  'admissionregistration.v1.ValidatingWebhookConfiguration': {
    content: validateWebhooks,
    status: () => [],
  },
  'admissionregistration.v1.MutatingAdmissionPolicy': {
    content: validateMutatingPolicy,
    status: () => [],
  },
  'admissionregistration.v1.MutatingAdmissionPolicyBinding': {
    content: validateMutatingBinding,
    status: () => [],
  },
  'admissionregistration.v1.ValidatingAdmissionPolicy': {
    content: validateValidatingPolicy,
    status: () => [],
  },
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding': {
    content: validateValidatingBinding,
    status: () => [],
  },
  'apiextensions.v1.CustomResourceDefinition': { content: validateDefinition, status: () => [] },
  'certificates.v1.CertificateSigningRequest': {
    content: validateCertificateRequest,
    status: () => [],
  },
  'core.v1.Service': { content: validateService, status: validateServiceStatus },
  'autoscaling.v2.HorizontalPodAutoscaler': {
    content: validateAutoscaler,
    status: validateAutoscalerStatus,
  },
  'autoscaling.v1.HorizontalPodAutoscaler': {
    content: (object, old) => validateAutoscaler(asStored(object), old && asStored(old)),
    status: (object) => validateAutoscalerStatus(asStored(object)),
  },
  'networking.v1.Ingress': { content: validateIngress, status: validateIngressStatus },
  'policy.v1.PodDisruptionBudget': {
    content: validateDisruptionBudget,
    status: validateDisruptionBudgetStatus,
  },
  'networking.v1.NetworkPolicy': contentOnly(validateNetworkPolicy),
  'networking.v1.IngressClass': contentOnly(validateIngressClass),
  'networking.v1.ServiceCIDR': contentOnly(validateServiceRange),
  'networking.v1.IPAddress': contentOnly(validateIpAddress),
  'core.v1.Endpoints': contentOnly(validateEndpoints),
  'discovery.v1.EndpointSlice': contentOnly(validateEndpointSlice),
  'flowcontrol.v1.PriorityLevelConfiguration': contentOnly(validatePriorityLevel),
  'flowcontrol.v1.FlowSchema': contentOnly(validateFlowSchema),
  'storage.v1.CSIDriver': contentOnly(validateDriver),
  'storage.v1.StorageClass': contentOnly(validateStorageClass),
  'storage.v1.CSIStorageCapacity': contentOnly(validateStorageCapacity),
  'storage.v1.VolumeAttributesClass': contentOnly(validateAttributesClass),
  'storage.v1.VolumeAttachment': contentOnly(validateVolumeAttachment),
  'storage.v1.CSINode': contentOnly(validateCsiNode),
  'core.v1.Namespace': { content: validateNamespace, status: () => [] },
  'core.v1.Node': contentOnly(validateNode),
  'apiregistration.v1.APIService': contentOnly(validateApiService),
  'apps.v1.ControllerRevision': contentOnly(validateControllerRevision),
  'resource.v1.DeviceClass': contentOnly(validateDeviceClass),
  'resource.v1.ResourceClaim': contentOnly(validateResourceClaim),
  'resource.v1.ResourceClaimTemplate': contentOnly(validateClaimTemplate),
  'resource.v1.ResourceSlice': contentOnly(validateResourceSlice),
  'core.v1.Event': contentOnly(validateCoreEvent),
  'events.v1.Event': contentOnly(validateEvent),
};

/** The rule of a kind without rules for its status. */
function contentOnly(content: (object: JsonObject, old?: JsonObject) => StatusCause[]): KindRule {
  return { content, status: () => [] };
}

/** kube-apiserver validates the internal form of an object, which has the members of v2. */
function asStored(autoscaler: JsonObject): JsonObject {
  const copy = structuredClone(autoscaler) as unknown as ApiObject;
  return autoscalerToStored(copy) as unknown as JsonObject;
}

const nameChecks: Readonly<Record<string, NameCheck>> = {
  'apps.v1.StatefulSet': checkStatefulSetName,
  'batch.v1.CronJob': checkCronJobName,
  'certificates.v1.CertificateSigningRequest': () => [],
  'networking.v1.IPAddress': addressDetails,
  'apiregistration.v1.APIService': checkPathSegment,
  'core.v1.Namespace': checkDnsLabel,
  'core.v1.Service': checkDnsLabel,
  'rbac.v1.Role': checkPathSegment,
  'rbac.v1.RoleBinding': checkPathSegment,
  'rbac.v1.ClusterRole': checkPathSegment,
  'rbac.v1.ClusterRoleBinding': checkPathSegment,
};

/** Kinds of the extension and aggregation servers, which accept unqualified finalizers. */
const unqualifiedFinalizerTypes = /^(apiextensions|apiregistration)\./;

/** Kinds that validate an updated object like a new one, including its metadata. */
const validatedAsNew: ReadonlySet<string> = new Set([
  'admissionregistration.v1.MutatingAdmissionPolicy',
  'admissionregistration.v1.MutatingAdmissionPolicyBinding',
  'admissionregistration.v1.MutatingWebhookConfiguration',
  'admissionregistration.v1.ValidatingAdmissionPolicy',
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  'admissionregistration.v1.ValidatingWebhookConfiguration',
  'apps.v1.ControllerRevision',
  'core.v1.ConfigMap',
  'core.v1.Endpoints',
  'core.v1.Namespace',
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
  'storage.v1.StorageClass',
  'storage.v1.VolumeAttributesClass',
]);

/** The steps of validation; each kind has its own order. */
type Part =
  /** Metadata rules that all kinds share. */
  | 'common'
  /** Metadata rules of the kind for updates. */
  | 'metadata change'
  /** Metadata rules of the kind for new objects. */
  | 'metadata'
  | 'content'
  /** Rules for the content that come after the others. */
  | 'later content'
  /** The spec only, for a second time. */
  | 'spec'
  | 'status'
  /** Rules for immutable fields. */
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

/** The steps for a pod that is bound to a node. */
const otherParts: readonly Part[] = ['common', 'metadata change', 'content'];

/** Rules for changes of a pod through a subresource, which apply after those of its content. */
const partChanges: Readonly<Partial<Record<WrittenPart, ChangeRule>>> = {
  ephemeralcontainers: validateEphemeralChange,
  resize: validateResize,
};

/** Kinds that validate new metadata only by the shared rules. */
const ownFirstParts: Readonly<Record<string, readonly Part[]>> = {
  'policy.v1.PodDisruptionBudget': ['content'],
  'core.v1.Event': ['content'],
  'core.v1.PersistentVolume': ['metadata', 'content', 'later content'],
  'events.v1.Event': ['content', 'metadata', 'later content'],
};

const laterRules: Readonly<Record<string, (object: JsonObject) => StatusCause[]>> = {
  'core.v1.PersistentVolume': validateMountOptions,
  'events.v1.Event': validateNewEvent,
};

/** Immutable fields are reported before invalid ones. */
const changeFirst: readonly Part[] = ['common', 'metadata change', 'change', 'metadata', 'content'];

/** Writes of every part of a request validate all of it. */
const requestParts: readonly Part[] = ['common', 'metadata', 'content', 'metadata change'];

/** Kinds that do not repeat the rules for changed metadata. */
const validatedAgain: readonly Part[] = ['common', 'metadata', 'content', 'change'];

/** Kinds with their own order of steps on update. kube-apiserver reports repeated causes twice. */
const ownUpdateParts: Readonly<Record<string, readonly Part[]>> = {
  'batch.v1.Job': ['common', 'metadata', 'content', 'metadata change', 'spec', 'change'],
  'core.v1.Pod': ['common', 'metadata change', 'metadata', 'content', 'change'],
  'core.v1.PersistentVolume': [
    'common',
    'metadata',
    'content',
    'later content',
    'metadata',
    'content',
    'change',
  ],
  'core.v1.PersistentVolumeClaim': ['common', 'metadata change', 'metadata', 'content', 'change'],
  'core.v1.ConfigMap': changeFirst,
  'core.v1.Secret': changeFirst,
  'certificates.v1.CertificateSigningRequest': requestParts,
  'core.v1.Service': ['common', 'metadata change', 'change', 'content'],
  'apps.v1.DaemonSet': ['common', 'metadata change', 'change', 'content'],
  'autoscaling.v1.HorizontalPodAutoscaler': ['common', 'metadata change', 'content'],
  'autoscaling.v2.HorizontalPodAutoscaler': ['common', 'metadata change', 'content'],
  'networking.v1.Ingress': ['common', 'metadata change', 'metadata', 'content'],
  'policy.v1.PodDisruptionBudget': ['common', 'content'],
  'core.v1.Event': ['common', 'content'],
  'events.v1.Event': ['common', 'content', 'metadata change', 'change'],
  'networking.v1.IngressClass': changeFirst,
  'networking.v1.IPAddress': ['common', 'metadata change', 'content', 'change'],
  'networking.v1.ServiceCIDR': ['common', 'metadata change', 'change'],
  'node.v1.RuntimeClass': ['common', 'metadata', 'content', 'metadata change', 'change'],
  'apiregistration.v1.APIService': ['common', 'metadata change', 'metadata', 'content'],
  'resource.v1.ResourceClaim': ['common', 'metadata', 'metadata change', 'change'],
  'resource.v1.ResourceClaimTemplate': [
    'common',
    'metadata',
    'content',
    'metadata change',
    'change',
  ],
  'storage.v1.VolumeAttributesClass': changeFirst,
  'core.v1.Node': ['common', 'metadata', 'content', 'metadata change', 'change'],
  'scheduling.v1.PriorityClass': ['common', 'metadata change', 'change'],
  'storage.v1.CSINode': validatedAgain,
  'storage.v1.VolumeAttachment': validatedAgain,
};

/** The steps of kinds that validate only the status in a status update. */
const statusParts: Readonly<Record<string, readonly Part[]>> = {
  'admissionregistration.v1.ValidatingAdmissionPolicy': ['common', 'status'],
  'apps.v1.StatefulSet': ['common', 'status', 'metadata change'],
  'batch.v1.CronJob': ['common'],
  'certificates.v1.CertificateSigningRequest': requestParts,
  'batch.v1.Job': ['common', 'metadata change', 'status'],
  'core.v1.Pod': ['common', 'metadata change', 'status'],
  'core.v1.PersistentVolume': ['common', 'metadata change'],
  'core.v1.PersistentVolumeClaim': ['common', 'metadata change', 'status'],
  'core.v1.Node': ['common', 'metadata change', 'change'],
  'core.v1.Service': ['common', 'metadata change', 'status'],
  'autoscaling.v1.HorizontalPodAutoscaler': ['common', 'metadata change', 'status'],
  'autoscaling.v2.HorizontalPodAutoscaler': ['common', 'metadata change', 'status'],
  'networking.v1.Ingress': ['common', 'metadata change', 'status'],
  'policy.v1.PodDisruptionBudget': ['common', 'status'],
  'networking.v1.ServiceCIDR': ['common', 'metadata change'],
  'resource.v1.ResourceClaim': ['common', 'metadata change'],
  'apiregistration.v1.APIService': ['common', 'metadata change'],
};

/** Validates an object of a built-in kind. */
export function validateBuiltin(
  type: StructType,
  object: KubernetesObject,
  old?: KubernetesObject,
  part: WrittenPart = 'object',
): StatusCause[] {
  const parts = partsOf(type, old, part);
  const causes = parts.flatMap((each) => validatePart(each, { type, object, old, part }));
  // The shared metadata rules of a new object apply only if the rules of the kind found nothing.
  if (causes.length > 0 || old !== undefined) return causes;
  return parts.includes('metadata')
    ? validateCommonNames(object)
    : validateCommonMetadata(object, old);
}

function partsOf(
  { name }: StructType,
  old: KubernetesObject | undefined,
  part: WrittenPart,
): readonly Part[] {
  if (old === undefined) return ownFirstParts[name] ?? firstParts;
  if (part === 'other') return otherParts;
  if (partChanges[part] !== undefined) return [...otherParts, 'change'];
  const own = part === 'status' ? statusParts[name] : ownUpdateParts[name];
  return own ?? (validatedAsNew.has(name) ? wholeUpdateParts : updateParts);
}

/** A write that is validated. */
interface ValidatedWrite {
  readonly type: StructType;
  readonly object: KubernetesObject;
  readonly old: KubernetesObject | undefined;
  readonly part: WrittenPart;
}

function validatePart(step: Part, { type, object, old, part }: ValidatedWrite): StatusCause[] {
  const [json, before] = [object as JsonObject, (old ?? {}) as JsonObject];
  switch (step) {
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
      return (
        kindRules[type.name]?.content(json, old as JsonObject | undefined, part) ??
        validateStruct(type, json, '', old === undefined)
      );
    case 'later content':
      return validateLater(type, json);
    case 'spec':
      return validateField(type, json, 'spec');
    case 'status':
      return kindRules[type.name]?.status(json) ?? validateStatus(type, json, before);
    case 'change':
      return (partChanges[part] ?? changeRules[type.name])?.(json, before) ?? [];
  }
}

function validateLater({ name }: StructType, object: JsonObject): StatusCause[] {
  return laterRules[name]?.(object) ?? [];
}

function finalizersOf(type: StructType, object: KubernetesObject): StatusCause[] {
  return unqualifiedFinalizerTypes.test(type.name) ? [] : validateFinalizers(object.metadata ?? {});
}
