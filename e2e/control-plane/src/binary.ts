import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { moduleFolder } from './cache-folder.ts';

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

/**
 * The name of its file. That of `peers`, whose sources change without the modules, holds a digest of
 * them: two checkouts that share a cache never run each other's. The others keep the names by which
 * `KUBEBUILDER_ASSETS` finds them; the `main` of etcd only calls that of its module.
 */
export async function fileNameOf(binary: Binary): Promise<string> {
  if (binary !== 'peers') return binary;
  const folder = join(moduleFolder, binaryPackages[binary]);
  const digest = createHash('sha256');
  for (const name of (await readdir(folder)).toSorted()) {
    digest.update(`${name}\0`).update(await readFile(join(folder, name)));
  }
  return `peers-${digest.digest('hex').slice(0, 12)}`;
}
