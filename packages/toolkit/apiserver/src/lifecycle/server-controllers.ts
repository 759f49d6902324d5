/** The controllers of kube-controller-manager that the server implements. */
export const serverControllers = [
  'cluster-role-aggregation',
  'garbage-collector',
  'namespace',
  'policy-status',
  'resource-quota',
  'storage-protection',
] as const;

/** A controller of kube-controller-manager that the server runs itself, such as `garbage-collector`. */
export type ServerController = (typeof serverControllers)[number];
