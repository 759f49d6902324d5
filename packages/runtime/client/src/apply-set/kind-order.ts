import type { ApiResource } from '@keelson/apimachinery';
import { groupKindOf } from './apply-set.ts';

/**
 * Kinds that other objects need, in the order in which they are applied. Kinds of one line are applied together.
 * Kinds that no line names, such as workloads and custom resources, are applied at `REST`.
 */
const earlier: readonly (readonly string[])[] = [
  ['Namespace'],
  [
    'CustomResourceDefinition.apiextensions.k8s.io',
    'LimitRange',
    'PriorityClass.scheduling.k8s.io',
    'ResourceQuota',
    'RuntimeClass.node.k8s.io',
    'ServiceAccount',
    'StorageClass.storage.k8s.io',
  ],
  [
    'ClusterRole.rbac.authorization.k8s.io',
    'ConfigMap',
    'NetworkPolicy.networking.k8s.io',
    'PersistentVolume',
    'Role.rbac.authorization.k8s.io',
    'Secret',
  ],
  [
    'ClusterRoleBinding.rbac.authorization.k8s.io',
    'PersistentVolumeClaim',
    'RoleBinding.rbac.authorization.k8s.io',
    'Service',
  ],
];

/** Kinds that need the workloads: they route requests to them, scale them, or make every write depend on them. */
const later: readonly (readonly string[])[] = [
  [
    'APIService.apiregistration.k8s.io',
    'HorizontalPodAutoscaler.autoscaling',
    'Ingress.networking.k8s.io',
    'PodDisruptionBudget.policy',
  ],
  [
    'MutatingAdmissionPolicy.admissionregistration.k8s.io',
    'MutatingWebhookConfiguration.admissionregistration.k8s.io',
    'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
    'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
  ],
  [
    'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io',
    'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io',
  ],
];

const REST = earlier.length;

const places: ReadonlyMap<string, number> = new Map([
  ...earlier.flatMap((kinds, place) => kinds.map((kind) => [kind, place] as const)),
  ...later.flatMap((kinds, place) => kinds.map((kind) => [kind, REST + 1 + place] as const)),
]);

/** Returns the place of a kind in the order of an apply. Objects are deleted in the reverse order. */
export function placeOf(resource: Pick<ApiResource, 'group' | 'kind'>): number {
  return places.get(groupKindOf(resource)) ?? REST;
}

/** Returns the items in groups of one place each, in the order of an apply. */
export function inOrder<Item extends { readonly resource: Pick<ApiResource, 'group' | 'kind'> }>(
  items: readonly Item[],
): Item[][] {
  const groups = Map.groupBy(items, ({ resource }) => placeOf(resource));
  return [...groups].toSorted(([one], [other]) => one - other).map(([, group]) => group);
}
