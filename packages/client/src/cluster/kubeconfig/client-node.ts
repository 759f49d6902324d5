/** Type of the module client-node. Only `kubeconfig.ts` loads it; other files receive it as an argument. */
export type ClientNode = typeof import('@kubernetes/client-node');
