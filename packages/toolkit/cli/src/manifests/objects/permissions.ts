import type { KubernetesObject } from '@keelson/apimachinery';
import { bindRoles, type ObservedRules, type PolicyRule } from '@keelson/envtest';
import type { Definition } from '../operator/operator-sources.ts';
import { place } from '../values/placed.ts';
import { clusterPart } from './cluster-part.ts';
import { isGranted } from './granted-rules.ts';
import type { ObjectGroup } from './object-group.ts';
import type { LabelledMetadata, OperatorParts } from './operator-parts.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';

/** The leader election of the manager needs these; without `watch` a takeover is slow. */
const leaseRules: PolicyRule[] = [
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'create', 'update', 'watch'],
  },
];

/** The metrics server reviews the token and the permission of each scraper. */
const reviewRules: PolicyRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

/**
 * The roles of the project with their bindings, in groups. Roles in the namespace of the operator move with it. With a set of
 * namespaces a ClusterRole is bound in each of them, and only its rules for cluster-scoped resources in the cluster.
 */
export function operatorRoles(
  parts: OperatorParts,
  found: ObservedRules,
  definitions: readonly Definition[],
): readonly ObjectGroup[] {
  const { watchNamespaces } = parts.settings;
  const clusterRoles = found.clusterRoles.map((role) => ({
    ...role,
    metadata: metadataOf(parts, role),
  }));
  const roles = found.roles.map((role) => {
    const namespace = movable(parts, role.metadata?.namespace);
    return { ...role, metadata: { ...metadataOf(parts, role), namespace } };
  });
  const inCluster = bound(parts, { clusterRoles, roles: [] }).filter(isBinding);
  const limited = clusterRoles.map((role) => clusterPart(role, definitions));
  const clusterParts = limited.filter(({ rules = [] }) => rules.length > 0);
  const scope = bound(parts, { clusterRoles: clusterParts, roles: [] });
  const inNamespace = (namespace: string): KubernetesObject[] =>
    clusterRoles.map((role) => namespaceBinding(parts, role.metadata.name, namespace));
  return [
    { name: 'roles', objects: [...clusterRoles, ...bound(parts, { clusterRoles: [], roles })] },
    { name: 'cluster-bindings', condition: `not ${watchNamespaces.helm}`, objects: inCluster },
    { name: 'limited-roles', location: 'chart', condition: watchNamespaces.helm, objects: scope },
    {
      name: 'namespace-bindings',
      location: 'chart',
      each: watchNamespaces.helm,
      objects: inNamespace(place({ plain: '', helm: '.' })),
    },
    {
      name: 'watch-namespaces',
      location: 'namespaces',
      objects:
        watchNamespaces.plain.length === 0
          ? []
          : [...scope, ...watchNamespaces.plain.flatMap(inNamespace)],
    },
  ] as readonly ObjectGroup[];
}

function isBinding({ kind }: KubernetesObject): boolean {
  return kind?.endsWith('Binding') === true;
}

/** A binding grants a ClusterRole in one namespace; its rules for cluster-scoped resources have no effect there. */
function namespaceBinding(parts: OperatorParts, name: string, namespace: string): KubernetesObject {
  const { labels } = parts.clusterMetadata();
  const account = { namespace: place(parts.namespace), name: parts.operator.name };
  return {
    apiVersion,
    kind: 'RoleBinding',
    // One of the watched namespaces may be that of the operator, which has a Role of the same name.
    metadata: { name: `${name}-watched`, namespace, labels },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  } as KubernetesObject;
}

/** Omits the members that the API server sets, for a role that was read from a cluster. */
function metadataOf(
  parts: OperatorParts,
  { metadata: { name = '', labels, annotations } = {} }: ObservedRules['roles'][number],
): LabelledMetadata {
  const all = { ...labels, ...parts.clusterMetadata().labels };
  return { name, labels: all, ...(annotations && { annotations }) };
}

/** A namespace that the role names is kept, unless it is that of the operator. */
function movable({ namespace }: OperatorParts, own: string | undefined): string | undefined {
  return own === namespace.plain ? place(namespace) : own;
}

/** The Role for the Lease; empty if the roles of the project grant it. */
export function leaseRoles(parts: OperatorParts, found: ObservedRules): KubernetesObject[] {
  const { clusterRoles, roles } = found;
  const here = roles.filter(({ metadata }) => metadata?.namespace === parts.namespace.plain);
  if (isGranted(leaseRules, [...clusterRoles, ...here])) return [];
  const metadata = parts.metadata('-leader-election');
  const role = { apiVersion, kind: 'Role', metadata, rules: leaseRules };
  return bound(parts, { clusterRoles: [], roles: [role] });
}

/** The permission to review scrapers, unless the roles of the project grant it, and the role of the scrapers. */
export function metricsRoles(parts: OperatorParts, found: ObservedRules): KubernetesObject[] {
  const kind = 'ClusterRole';
  const reviewer = {
    apiVersion,
    kind,
    metadata: parts.clusterMetadata('-metrics-auth'),
    rules: reviewRules,
  };
  const reader = {
    apiVersion,
    kind,
    metadata: parts.clusterMetadata('-metrics-reader'),
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  };
  const clusterRoles = isGranted(reviewRules, found.clusterRoles) ? [] : [reviewer];
  return [...bound(parts, { clusterRoles, roles: [] }), reader];
}

/** Returns roles and their bindings to the service account, with the labels of the roles. */
function bound(parts: OperatorParts, rules: ObservedRules): KubernetesObject[] {
  const account = { namespace: place(parts.namespace), name: parts.operator.name };
  const { clusterRoleBindings, roleBindings } = bindRoles(rules, account);
  const { labels } = parts.clusterMetadata();
  const bindings = [...clusterRoleBindings, ...roleBindings].map((binding) => ({
    ...binding,
    metadata: { ...binding.metadata, labels },
  }));
  return [...rules.clusterRoles, ...rules.roles, ...bindings] as KubernetesObject[];
}
