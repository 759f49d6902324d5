/** The module object of client-node, for those who are handed it: only `kubeconfig.ts` loads it. */
export type ClientNode = typeof import('@kubernetes/client-node');
