import { jsonEquals } from '@keelson/structural-schema';
import type { ResetPaths } from '../apply/fields/unowned-fields.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { builtinDeletion, type DeletionStrategy, plainDeletion } from './deletion-strategy.ts';

/**
 * The rules of one kind for writes. Source: the `strategy.go` and `storage.go` files below `pkg/registry` of Kubernetes
 * 1.36.
 */
export interface Strategy {
  /** The kind has a status subresource, so writes of the object keep its status. */
  readonly hasStatus: boolean;
  /** The generation of a new object; 0 if the kind has no generation. */
  readonly firstGeneration: 0 | 1;
  /** True if an update must increase the generation. */
  changesGeneration(next: ApiObject, current: ApiObject): boolean;
  /** Sets what the registry derives from the change of an object. */
  prepareUpdate(next: ApiObject, current: ApiObject): void;
  /** Writes through the status subresource keep the labels. */
  readonly statusWritesKeepLabels: boolean;
  /** An object without labels gets those of its template on every read. */
  readonly labelsFollowTemplate: boolean;
  /** A PUT creates a missing object. */
  readonly createsOnUpdate: boolean;
  /** An update without resourceVersion overwrites the current object. */
  readonly allowsUnconditionalUpdate: boolean;
  /** A delete responds with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** A delete without a policy orphans the dependents. */
  readonly orphansByDefault: boolean;
  /** The fields that no write through a subresource owns, for kinds with their own rules. */
  readonly resets: ResetPaths;
  /** The rules for deletions. */
  readonly deletion: DeletionStrategy;
}

/** Returns the rules of a built-in kind by its resource id (`apps/v1/deployments`). */
export function builtinStrategy(id: string, hasStatus: boolean): Strategy {
  const generation = generations[id];
  return {
    hasStatus,
    firstGeneration: generation?.first ?? 0,
    changesGeneration: (next, current) =>
      generation?.fields.some((path) => differs(next, current, path)) ?? false,
    prepareUpdate: id === 'apps/v1/daemonsets' ? countTemplates : () => undefined,
    statusWritesKeepLabels: statusWritesKeepLabels.has(id),
    labelsFollowTemplate: id === 'batch/v1/jobs' || id === 'v1/replicationcontrollers',
    createsOnUpdate: createsOnUpdate.has(id),
    allowsUnconditionalUpdate: !conditionalUpdates.has(id),
    returnsDeleted: returnsDeleted.has(id),
    orphansByDefault: id === 'batch/v1/jobs' || id === 'v1/replicationcontrollers',
    resets: resets[id] ?? {},
    deletion: builtinDeletion(id),
  };
}

/** Returns the rules of custom resources. */
export function customStrategy(hasStatus: boolean): Strategy {
  return {
    hasStatus,
    firstGeneration: 1,
    changesGeneration: (next, current) => contentDiffers(next, current, hasStatus),
    prepareUpdate: () => undefined,
    statusWritesKeepLabels: true,
    labelsFollowTemplate: false,
    createsOnUpdate: false,
    allowsUnconditionalUpdate: false,
    returnsDeleted: false,
    orphansByDefault: false,
    resets: {},
    deletion: plainDeletion,
  };
}

/** The annotation in which clients see the internal field `templateGeneration` of a DaemonSet. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** A change of the template of a DaemonSet raises its template generation, which clients cannot set. */
function countTemplates(next: ApiObject, current: ApiObject): void {
  const before = Number(current.metadata.annotations?.[TEMPLATE_GENERATION] ?? 1);
  const isChanged = !jsonEquals(templateOf(next), templateOf(current));
  const generation = String(isChanged ? before + 1 : before);
  next.metadata.annotations = { ...next.metadata.annotations, [TEMPLATE_GENERATION]: generation };
}

function templateOf({ spec }: ApiObject): unknown {
  return (spec as { template?: unknown } | undefined)?.template;
}

function contentDiffers(next: ApiObject, current: ApiObject, hasStatus: boolean): boolean {
  const ignored = new Set(['apiVersion', 'kind', 'metadata', ...(hasStatus ? ['status'] : [])]);
  const names = new Set([...Object.keys(next), ...Object.keys(current)]);
  return [...names].some((name) => !ignored.has(name) && !jsonEquals(next[name], current[name]));
}

interface GenerationRule {
  readonly first: 0 | 1;
  /** Members of the object or its metadata whose change increases the generation. */
  readonly fields: readonly string[];
}

const bySpec: GenerationRule = { first: 1, fields: ['spec'] };
const byWebhooks: GenerationRule = { first: 1, fields: ['webhooks'] };

const generations: Readonly<Record<string, GenerationRule>> = {
  'v1/pods': bySpec,
  'v1/replicationcontrollers': bySpec,
  'v1/podtemplates': { first: 1, fields: ['template'] },
  'apps/v1/daemonsets': bySpec,
  'apps/v1/deployments': { first: 1, fields: ['spec', 'metadata.annotations'] },
  'apps/v1/replicasets': bySpec,
  'apps/v1/statefulsets': bySpec,
  'batch/v1/cronjobs': bySpec,
  'batch/v1/jobs': bySpec,
  'networking.k8s.io/v1/ingressclasses': bySpec,
  'networking.k8s.io/v1/ingresses': bySpec,
  'networking.k8s.io/v1/networkpolicies': bySpec,
  'policy/v1/poddisruptionbudgets': bySpec,
  'discovery.k8s.io/v1/endpointslices': {
    first: 1,
    fields: ['addressType', 'endpoints', 'ports', 'metadata.labels'],
  },
  'apiextensions.k8s.io/v1/customresourcedefinitions': bySpec,
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': bySpec,
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': bySpec,
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': byWebhooks,
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': bySpec,
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': bySpec,
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations': byWebhooks,
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': bySpec,
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': bySpec,
  'resource.k8s.io/v1/deviceclasses': bySpec,
  'resource.k8s.io/v1/resourceslices': bySpec,
  'scheduling.k8s.io/v1/priorityclasses': { first: 1, fields: [] },
  'storage.k8s.io/v1/csidrivers': { first: 0, fields: ['spec'] },
};

function differs(next: ApiObject, current: ApiObject, path: string): boolean {
  return !jsonEquals(valueAt(next, path), valueAt(current, path));
}

function valueAt(object: ApiObject, path: string): unknown {
  switch (path) {
    case 'metadata.annotations':
      return object.metadata.annotations;
    case 'metadata.labels':
      return object.metadata.labels;
    default:
      return object[path];
  }
}

const resets: Readonly<Record<string, ResetPaths>> = {
  'v1/namespaces': { finalize: [['f:status']] },
  'certificates.k8s.io/v1/certificatesigningrequests': {
    '': [['f:spec'], ['f:status']],
    status: [['f:spec'], ['f:status', 'f:conditions']],
    approval: [['f:spec'], ['f:status', 'f:certificate']],
  },
};

const statusWritesKeepLabels: ReadonlySet<string> = new Set(['apps/v1/deployments']);

const createsOnUpdate: ReadonlySet<string> = new Set([
  'v1/endpoints',
  'v1/events',
  'v1/limitranges',
  'v1/services',
  'coordination.k8s.io/v1/leases',
  'events.k8s.io/v1/events',
  'node.k8s.io/v1/runtimeclasses',
  'rbac.authorization.k8s.io/v1/clusterrolebindings',
  'rbac.authorization.k8s.io/v1/clusterroles',
  'rbac.authorization.k8s.io/v1/rolebindings',
  'rbac.authorization.k8s.io/v1/roles',
]);

const conditionalUpdates: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  'apiextensions.k8s.io/v1/customresourcedefinitions',
  'apiregistration.k8s.io/v1/apiservices',
  'coordination.k8s.io/v1/leases',
  'node.k8s.io/v1/runtimeclasses',
  'policy/v1/poddisruptionbudgets',
  'storage.k8s.io/v1/csidrivers',
  'storage.k8s.io/v1/csinodes',
  'storage.k8s.io/v1/csistoragecapacities',
  'storage.k8s.io/v1/volumeattachments',
]);

const returnsDeleted: ReadonlySet<string> = new Set([
  'v1/namespaces',
  'v1/persistentvolumeclaims',
  'v1/persistentvolumes',
  'v1/pods',
  'v1/podtemplates',
  'v1/resourcequotas',
  'v1/serviceaccounts',
  'v1/services',
  'resource.k8s.io/v1/deviceclasses',
  'resource.k8s.io/v1/resourceclaims',
  'resource.k8s.io/v1/resourceclaimtemplates',
  'resource.k8s.io/v1/resourceslices',
  'storage.k8s.io/v1/csidrivers',
  'storage.k8s.io/v1/csinodes',
  'storage.k8s.io/v1/storageclasses',
  'storage.k8s.io/v1/volumeattachments',
  'storage.k8s.io/v1/volumeattributesclasses',
]);
