/** The specs of a source file of Kubernetes' end-to-end tests that pass. */
export interface SpecFile {
  /** The source file below `test/e2e`, without its ending. */
  readonly file: string;
  /** The number of specs that run, all of which pass. */
  readonly specs: number;
  /** Matches the names of the specs that run; the others need containers. Default: all. */
  readonly only?: string;
}

/** The files, for the in-memory server and kube-apiserver alike. */
export const specFiles: readonly SpecFile[] = [
  { file: 'apimachinery/aggregated_discovery', specs: 4 },
  { file: 'apimachinery/apply', specs: 7 },
  { file: 'apimachinery/chunking', specs: 1 },
  { file: 'apimachinery/crd_publish_openapi', specs: 9 },
  { file: 'apimachinery/crd_validation_ratcheting', specs: 8 },
  { file: 'apimachinery/crd_validation_rules', specs: 7 },
  { file: 'apimachinery/crd_watch', specs: 1 },
  { file: 'apimachinery/custom_resource_definition', specs: 5 },
  { file: 'apimachinery/discovery', specs: 4 },
  { file: 'apimachinery/field_validation', specs: 7 },
  { file: 'apimachinery/flowcontrol', specs: 3 },
  { file: 'apimachinery/garbage_collector', specs: 11 },
  { file: 'apimachinery/generated_clientset', specs: 2 },
  { file: 'apimachinery/health_handlers', specs: 1 },
  { file: 'apimachinery/mutatingadmissionpolicy', specs: 4 },
  { file: 'apimachinery/namespace', specs: 8 },
  { file: 'apimachinery/openapiv3', specs: 2 },
  { file: 'apimachinery/protocol', specs: 4 },
  { file: 'apimachinery/request_timeout', specs: 3 },
  { file: 'apimachinery/resource_quota', specs: 21 },
  { file: 'apimachinery/server_version', specs: 1 },
  { file: 'apimachinery/table_conversion', specs: 4 },
  { file: 'apimachinery/validatingadmissionpolicy', specs: 6 },
  { file: 'apimachinery/watch', specs: 5 },
  { file: 'apimachinery/watchlist', specs: 8 },
  {
    file: 'apps/cronjob',
    specs: 7,
    only: 'API operations|timezone|unexpected warnings|100 missed|successful finished|scheduled-timestamp|remove from active',
  },
  {
    file: 'apps/daemon_set',
    specs: 8,
    only: 'simple daemon|complex daemon|RollingUpdate .Conf|OnDelete|retry creating|collection|daemon set status',
  },
  {
    file: 'apps/deployment',
    specs: 9,
    only: 'RollingUpdateDeployment|scale subresource|Recreate|rollover|Status endpoints|run the lifecycle|reaping|old replica sets|orphaning and adoption',
  },
  {
    file: 'apps/disruption',
    specs: 11,
    only: 'evictions: enough|too few pods, absolute|evictions: no PDB|maxUnavailable allow|PodDisruptionBudget|PDB is updated',
  },
  { file: 'apps/rc', specs: 5 },
  { file: 'apps/replica_set', specs: 6 },
  {
    file: 'apps/statefulset',
    specs: 11,
    only: 'list, patch|Status endpoints|scale subresource|StartOrdinal|MinReadySeconds|OnDelete|rolling updates of template modifications .Conf',
  },
  { file: 'apps/ttl_after_finished', specs: 1 },
  { file: 'auth/certificates', specs: 1, only: 'CSR API operations' },
  { file: 'auth/selfsubjectreviews', specs: 2 },
  {
    file: 'auth/service_accounts',
    specs: 5,
    only: 'lifecycle of a ServiceAccount|kube-root-ca|update a ServiceAccount|TokenReview|secret-based',
  },
  { file: 'auth/subjectreviews', specs: 1 },
  { file: 'kubectl/delete', specs: 1 },
  {
    file: 'kubectl/kubectl',
    specs: 32,
    only: 'Kubectl (apply|validation|label|create quota|diff|describe|server-side dry-run|cluster-info should|replace|run pod|events|api-versions|version|patch|prune|taint|get componentstatuses)|subresource flag|kubectl wait|Proxy server',
  },
  { file: 'kubectl/kuberc', specs: 8 },
  { file: 'kubectl/rollout', specs: 1 },
  { file: 'network/apiserver', specs: 2 },
  { file: 'network/endpoints', specs: 3 },
  {
    file: 'network/endpointslice',
    specs: 3,
    only: 'API operations|matching a Service|matches no pods',
  },
  { file: 'network/endpointslicemirroring', specs: 1, only: 'create update and delete' },
  { file: 'network/ingress', specs: 1 },
  { file: 'network/ingressclass', specs: 1 },
  {
    file: 'network/service',
    specs: 3,
    only: 'collection of services|service status lifecycle|find a service from listing',
  },
  { file: 'network/service_cidrs', specs: 2, only: 'API operations' },
  { file: 'scheduling/limit_range', specs: 2 },
  { file: 'scheduling/preemption', specs: 1, only: 'PriorityClass endpoints' },
];

/** The specs of these files that do not run, by parts of their names. */
export const skipped: readonly { readonly name: string; readonly reason: string }[] = [
  { name: 'Disruptive', reason: 'stops the control plane over SSH' },
  { name: 'Feature:', reason: 'needs a feature gate that is off by default' },
  { name: 'sample-apiserver', reason: 'runs an aggregated API server in a container' },
  { name: 'Aggregated APIServer', reason: 'runs an aggregated API server in a container' },
  { name: 'a basic image on each replica', reason: 'sends requests to containers' },
  {
    name: 'compacted away',
    reason: 'waits until old versions expire by time; in memory they expire by number and size',
  },
  { name: 'drowned out', reason: 'priority levels limit nothing in memory' },
  {
    name: 'kubectl explain works for CR with the same resource name',
    reason: 'marked as flaky by Kubernetes',
  },
];
