import type { builtin, KubernetesObject, ObjectOf } from '@keelson/apimachinery';
import { CliError } from '../../errors.ts';
import type { OperatorSources } from '../operator/operator-sources.ts';
import { plainObject } from '../values/placed.ts';
import { definitionGroup } from './definitions.ts';
import { deployment } from './deployment.ts';
import { metricsService, serviceMonitor } from './metrics.ts';
import type { OperatorParts } from './operator-parts.ts';
import type { ObjectGroup } from './object-group.ts';
import { leaseRoles, metricsRoles, operatorRoles } from './permissions.ts';
import { webhookObjects } from './webhook.ts';

/** The objects of an operator, in the order in which a cluster needs them. Throws `MANIFEST_CONFLICT`. */
export function operatorObjects(
  parts: OperatorParts,
  { definitions, roles, webhooks = [] }: OperatorSources,
): readonly ObjectGroup[] {
  const groups: readonly ObjectGroup[] = [
    { name: 'namespace', location: 'kustomize', objects: namespacesOf(parts) },
    ...definitions.map((definition) => definitionGroup(parts, definition)),
    { name: 'service-account', objects: [serviceAccount(parts)] },
    { name: 'roles', objects: operatorRoles(parts, roles) },
    { name: 'leader-election', objects: leaseRoles(parts, roles) },
    { name: 'metrics', objects: [...metricsRoles(parts, roles), metricsService(parts)] },
    { name: 'webhook', objects: webhookObjects(parts, definitions, webhooks) },
    { name: 'deployment', objects: [deployment(parts)] },
    {
      name: 'disruption-budget',
      location: 'production',
      condition: `gt (int ${parts.settings.replicas.helm}) 1`,
      objects: [disruptionBudget(parts)],
    },
    {
      name: 'service-monitor',
      location: 'component',
      condition: parts.settings.serviceMonitor.helm,
      objects: [serviceMonitor(parts)],
    },
  ];
  refuseConflicts(groups);
  return groups.filter(({ objects }) => objects.length > 0);
}

/**
 * The API server refuses Pods in this namespace that the Pod Security Standard `restricted` does not accept. A namespace
 * that every cluster has is not the operator's to change, or to delete.
 */
function namespacesOf(parts: OperatorParts): readonly KubernetesObject[] {
  const { namespace: name } = parts.operator;
  if (name === 'default' || name.startsWith('kube-')) return [];
  const level = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const labels = { ...parts.clusterMetadata().labels, ...level };
  return [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }];
}

function serviceAccount(parts: OperatorParts): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: parts.metadata() };
}

/** A drain of nodes stops one replica at a time. */
function disruptionBudget(parts: OperatorParts): ObjectOf<typeof builtin.PodDisruptionBudget> {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: parts.metadata(),
    spec: { maxUnavailable: 1, selector: { matchLabels: parts.selector } },
  };
}

function refuseConflicts(groups: readonly ObjectGroup[]): void {
  const seen = new Set<string>();
  for (const object of groups.flatMap(({ objects }) => objects)) {
    const { kind, metadata } = plainObject(object) as KubernetesObject;
    const { name = '', namespace = '' } = metadata ?? {};
    const id = [kind, namespace, name].join(' ');
    if (seen.has(id)) throw new CliError('MANIFEST_CONFLICT', { kind, namespace, name });
    seen.add(id);
  }
}
