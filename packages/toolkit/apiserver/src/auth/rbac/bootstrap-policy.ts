import type { PolicyRule } from './rbac-authorizer.ts';

/** A ClusterRole or ClusterRoleBinding of a new server. */
export interface PolicyObject {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRole' | 'ClusterRoleBinding';
  readonly metadata: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly annotations: Record<string, string>;
  };
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: object;
  readonly roleRef?: object;
  readonly subjects?: readonly object[];
}

/** A rule about resources, or one about paths. */
type Row =
  | readonly [apiGroups: string, resources: string, verbs: string]
  | readonly [urls: string, verbs: string];

const read = 'get list watch';
const write = 'create delete deletecollection patch update';
const all = 'create delete deletecollection get list patch update watch';

/**
 * The rules of the user-facing and discovery roles, and of the role for servers that delegate access decisions, recorded
 * from kube-apiserver 1.36. The roles of Kubernetes' own components are omitted, since none of them runs here.
 */
const roleRows: Record<string, readonly Row[]> = {
  'system:aggregate-to-admin': [
    ['authorization.k8s.io', 'localsubjectaccessreviews', 'create'],
    ['rbac.authorization.k8s.io', 'rolebindings roles', all],
  ],
  'system:aggregate-to-edit': [
    ['', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy', read],
    ['', 'serviceaccounts', 'impersonate'],
    ['', 'pods pods/attach pods/exec pods/portforward pods/proxy', write],
    ['', 'pods/eviction', 'create'],
    [
      '',
      'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      write,
    ],
    ['', 'serviceaccounts/token', 'create'],
    [' events.k8s.io', 'events', write],
    [
      'apps',
      'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      write,
    ],
    ['autoscaling', 'horizontalpodautoscalers', write],
    ['batch', 'cronjobs jobs', write],
    [
      'extensions',
      'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      write,
    ],
    ['policy', 'poddisruptionbudgets', write],
    ['networking.k8s.io', 'ingresses networkpolicies', write],
    ['coordination.k8s.io', 'leases', all],
    ['resource.k8s.io', 'resourceclaims resourceclaimtemplates', write],
  ],
  'system:aggregate-to-view': [
    [
      '',
      'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      read,
    ],
    [
      '',
      'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      read,
    ],
    ['', 'namespaces', read],
    [' events.k8s.io', 'events', read],
    ['discovery.k8s.io', 'endpointslices', read],
    [
      'apps',
      'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      read,
    ],
    ['autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status', read],
    ['batch', 'cronjobs cronjobs/status jobs jobs/status', read],
    [
      'extensions',
      'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      read,
    ],
    ['policy', 'poddisruptionbudgets poddisruptionbudgets/status', read],
    ['networking.k8s.io', 'ingresses ingresses/status networkpolicies', read],
    ['resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates', read],
  ],
  'system:basic-user': [
    ['authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews', 'create'],
    ['authentication.k8s.io', 'selfsubjectreviews', 'create'],
  ],
  'system:auth-delegator': [
    ['authentication.k8s.io', 'tokenreviews', 'create'],
    ['authorization.k8s.io', 'subjectaccessreviews', 'create'],
  ],
  'cluster-admin': [
    ['*', '*', '*'],
    ['*', '*'],
  ],
  'system:discovery': [
    [
      '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
      'get',
    ],
  ],
  'system:public-info-viewer': [['/healthz /livez /readyz /version /version/', 'get']],
  'system:monitoring': [
    [
      '/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz',
      'get',
    ],
    ['', 'nodes/metrics', 'get'],
  ],
};

/** The role that each label `…/aggregate-to-X` extends: `edit` extends `admin` too, and `view` extends `edit`. */
const aggregated: Record<string, string> = {
  admin: 'system:aggregate-to-admin',
  edit: 'system:aggregate-to-edit',
  view: 'system:aggregate-to-view',
};
const feeds: Record<string, string> = { edit: 'admin', view: 'edit' };

const bindings: Record<string, readonly string[]> = {
  'cluster-admin': ['system:masters'],
  'system:basic-user': ['system:authenticated'],
  'system:discovery': ['system:authenticated'],
  'system:monitoring': ['system:monitoring'],
  'system:public-info-viewer': ['system:authenticated', 'system:unauthenticated'],
};

/** The initial roles and bindings of every server. */
export function bootstrapPolicy(): PolicyObject[] {
  return [
    ...Object.keys(roleRows).map((name) => clusterRole(name, { rules: rulesOf(name) })),
    ...Object.entries(aggregated).map(([name]) => clusterRole(name, aggregation(name))),
    ...Object.entries(bindings).map(([name, groups]) => clusterRoleBinding(name, groups)),
  ];
}

function rulesOf(name: string): PolicyRule[] {
  return (roleRows[name] ?? []).map((row) => {
    const [first = [], second = [], verbs] = row.map((names) => names.split(' '));
    if (verbs === undefined) return { nonResourceURLs: first, verbs: second };
    return { apiGroups: first, resources: second, verbs };
  });
}

function aggregation(name: string): Partial<PolicyObject> {
  const matchLabels = { [aggregateLabel(name)]: 'true' };
  return { aggregationRule: { clusterRoleSelectors: [{ matchLabels }] }, rules: allRulesOf(name) };
}

function allRulesOf(name: string): PolicyRule[] {
  const feeders = Object.keys(feeds).filter((feeder) => feeds[feeder] === name);
  return [...rulesOf(aggregated[name] ?? ''), ...feeders.flatMap(allRulesOf)];
}

function clusterRole(name: string, body: Partial<PolicyObject>): PolicyObject {
  const target = feeds[name] ?? Object.keys(aggregated).find((role) => aggregated[role] === name);
  const labels = target === undefined ? {} : { [aggregateLabel(target)]: 'true' };
  return { ...header('ClusterRole', name, labels), ...body };
}

function clusterRoleBinding(name: string, groups: readonly string[]): PolicyObject {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    ...header('ClusterRoleBinding', name, {}),
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: groups.map((group) => ({ apiGroup, kind: 'Group', name: group })),
  };
}

function header(
  kind: PolicyObject['kind'],
  name: string,
  labels: Record<string, string>,
): PolicyObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: {
      name,
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    },
  };
}

function aggregateLabel(role: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${role}`;
}
