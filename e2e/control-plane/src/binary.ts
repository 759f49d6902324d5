/** A command that can be built: the control plane's, kubectl, and what client-go does, by `peers`. */
export type Binary = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kubectl' | 'peers';

/** Every binary and the Go package that is its `main`. */
export const binaryPackages: Readonly<Record<Binary, string>> = {
  etcd: './cmd/etcd',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  peers: './cmd/peers',
};

/** All of them, in the order in which they are built. */
export const binaries: readonly Binary[] = Object.keys(binaryPackages) as Binary[];

/** Whether a word names one of them. */
export function isBinary(word: string): word is Binary {
  return Object.hasOwn(binaryPackages, word);
}
