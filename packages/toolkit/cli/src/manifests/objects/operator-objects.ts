import type { builtin, KubernetesObject, ObjectOf } from '@keelson/apimachinery';
import { CliError } from '../../errors.ts';
import type { OperatorSources } from '../operator/operator-sources.ts';
import type { PolicyObjects } from '../../project/policy-modules.ts';
import { place, plainObject } from '../values/placed.ts';
import { definitionGroup } from './definitions.ts';
import { deployment } from './deployment.ts';
import { metricsService, serviceMonitor } from './metrics.ts';
import { dashboardMaps, prometheusRule } from './monitoring.ts';
import type { ObjectGroup } from './object-group.ts';
import type { OperatorParts } from './operator-parts.ts';
import { leaseRoles, metricsRoles, operatorRoles } from './permissions.ts';
import { webhookObjects } from './webhook.ts';

/** The objects of an operator, in the order in which a cluster needs them. Throws `MANIFEST_CONFLICT`. */
export function operatorObjects(
  parts: OperatorParts,
  { definitions, roles, webhooks = [], policies = [], dashboards = [] }: OperatorSources,
): readonly ObjectGroup[] {
  const groups: readonly ObjectGroup[] = [
    { name: 'namespace', location: 'kustomize', objects: namespacesOf(parts) },
    ...definitions.map((definition) => definitionGroup(parts, definition)),
    { name: 'service-account', objects: [serviceAccount(parts)] },
    ...operatorRoles(parts, roles, definitions),
    { name: 'leader-election', objects: leaseRoles(parts, roles) },
    { name: 'metrics', objects: [...metricsRoles(parts, roles), metricsService(parts)] },
    { name: 'webhook', objects: webhookObjects(parts, definitions, webhooks) },
    { name: 'policies', objects: policies.flatMap((policy) => policyObjects(parts, policy)) },
    { name: 'deployment', objects: [deployment(parts)] },
    {
      name: 'disruption-budget',
      location: 'production',
      condition: `and ${parts.settings.disruptionBudget.helm} (gt (int ${parts.settings.replicas.helm}) 1)`,
      objects: [disruptionBudget(parts)],
    },
    {
      name: 'network-policy',
      location: 'component',
      condition: parts.settings.networkPolicy.helm,
      objects: [networkPolicy(parts)],
    },
    {
      name: 'service-monitor',
      location: 'component',
      condition: parts.settings.serviceMonitor.helm,
      objects: [serviceMonitor(parts)],
    },
    {
      name: 'alerts',
      location: 'component',
      condition: parts.settings.alerts.helm,
      objects: [prometheusRule(parts)],
    },
    {
      name: 'dashboards',
      location: 'component',
      condition: parts.settings.dashboards.helm,
      objects: dashboardMaps(parts, dashboards),
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
  const annotations = place(parts.settings.accountAnnotations);
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { ...parts.metadata(), annotations },
  };
}

/** Every Pod and the API server may reach the ports of the operator, and nothing else of it. */
function networkPolicy(parts: OperatorParts): KubernetesObject {
  const { metricsPort, healthPort, webhook } = parts.operator;
  const numbers = [metricsPort, healthPort, ...(webhook ? [webhook.port] : [])];
  const ports = numbers.map((port) => ({ port, protocol: 'TCP' }));
  const spec = {
    podSelector: { matchLabels: parts.selector },
    policyTypes: ['Ingress'],
    ingress: [{ ports }],
  };
  const object = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' };
  return { ...object, metadata: parts.metadata(), spec } as KubernetesObject;
}

/** A policy and its binding with the labels of the operator. */
function policyObjects(
  parts: OperatorParts,
  { policy, binding }: PolicyObjects,
): readonly KubernetesObject[] {
  const { labels } = parts.clusterMetadata();
  return [policy, binding].map((object) => ({
    ...object,
    metadata: { ...object.metadata, labels },
  })) as KubernetesObject[];
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
  // The component of the namespaces has objects of the chart again.
  const distinct = groups.filter(({ location }) => location !== 'namespaces');
  for (const object of distinct.flatMap(({ objects }) => objects)) {
    const { kind, metadata } = plainObject(object) as KubernetesObject;
    const { name = '', namespace = '' } = metadata ?? {};
    const id = [kind, namespace, name].join(' ');
    if (seen.has(id)) throw new CliError('MANIFEST_CONFLICT', { kind, namespace, name });
    seen.add(id);
  }
}
