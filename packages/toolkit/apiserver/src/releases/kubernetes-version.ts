/** The versions of Kubernetes that the server can behave as, the newest one last. */
export const kubernetesVersions = ['1.34', '1.35', '1.36'] as const;

/** A version of Kubernetes that the server can behave as. */
export type KubernetesVersion = (typeof kubernetesVersions)[number];

/** The version that the data files describe; `release-*.json.br` have the differences of the others. */
export const newestVersion = '1.36';
