/** The controllers of kube-controller-manager that the server implements. */
export const serverControllers = [
  'cluster-role-aggregation',
  'garbage-collector',
  'namespace',
  'resource-quota',
  'storage-protection',
] as const;

export type ServerController = (typeof serverControllers)[number];
