/** The endpoints that report the health of the server. */
export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

/** The start of kube-apiserver 1.36 runs these hooks, in this order; each is a check. */
const startHooks = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'peer-endpoint-reconciler-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'storage-readiness',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
].map((name) => `poststarthook/${name}`);

const hooks = [
  ...startHooks,
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];

const liveChecks = ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...hooks];

const checks: Readonly<Record<HealthEndpoint, readonly string[]>> = {
  healthz: liveChecks,
  livez: liveChecks,
  readyz: ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...hooks, 'shutdown'],
};

/** The names of the checks of an endpoint. */
export function checksOf(endpoint: HealthEndpoint): readonly string[] {
  return checks[endpoint];
}

/** True if an endpoint has a check of this name. */
export function isHealthCheck(endpoint: HealthEndpoint, name: string): boolean {
  return checks[endpoint].includes(name);
}

/** The text of `?verbose`: a line for each check. All pass, because the server answers only while it is healthy. */
export function healthReport(endpoint: HealthEndpoint, excluded: readonly string[]): string {
  const lines = checks[endpoint].map((name) =>
    excluded.includes(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`,
  );
  const unknown = excluded.filter((name) => !isHealthCheck(endpoint, name));
  const names = unknown.map((name) => JSON.stringify(name)).join(', ');
  return [
    ...lines,
    ...(unknown.length === 0
      ? []
      : [`warn: some health checks cannot be excluded: no matches for ${names}`]),
    `${endpoint} check passed`,
    '',
  ].join('\n');
}
