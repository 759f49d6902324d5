/** The source files of `test/e2e/apimachinery` in Kubernetes 1.36, and how many of their specs run and pass. */
export const specFiles: readonly [file: string, specs: number][] = [
  ['aggregated_discovery', 4],
  ['apply', 7],
  ['chunking', 1],
  ['crd_publish_openapi', 9],
  ['crd_validation_ratcheting', 8],
  ['crd_validation_rules', 7],
  ['crd_watch', 1],
  ['custom_resource_definition', 5],
  ['discovery', 4],
  ['field_validation', 7],
  ['flowcontrol', 2],
  ['garbage_collector', 11],
  ['health_handlers', 1],
  ['mutatingadmissionpolicy', 4],
  ['openapiv3', 2],
  ['protocol', 4],
  ['request_timeout', 3],
  ['server_version', 1],
  ['validatingadmissionpolicy', 6],
  ['watch', 5],
  ['watchlist', 8],
];

/** The specs of these files that do not run, by parts of their names. */
export const skipped: readonly { readonly name: string; readonly reason: string }[] = [
  { name: 'Disruptive', reason: 'stops the control plane over SSH' },
  { name: 'sample-apiserver', reason: 'runs an aggregated API server in a container' },
  { name: 'Aggregated APIServer', reason: 'runs an aggregated API server in a container' },
  {
    name: 'compacted away',
    reason: 'waits until old versions expire by time; in memory they expire by number and size',
  },
  {
    name: 'can be classified',
    reason:
      'waits for the condition `Dangling` of a new flow schema, and for metrics of the server',
  },
  { name: 'drowned out', reason: 'priority levels limit nothing in memory' },
  {
    name: 'kubectl explain works for CR with the same resource name',
    reason: 'marked as flaky by Kubernetes',
  },
];
