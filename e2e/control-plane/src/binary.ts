import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { moduleFolder } from './cache-folder.ts';

/** A command that can be built: those of the control plane, kubectl, and `peers`, the program that uses client-go. */
export type Binary = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kubectl' | 'peers';

/** Every binary and its `main`: a Go package, or a folder of Go files outside of the module. */
export const binaryPackages: Readonly<Record<Binary, string>> = {
  etcd: './cmd/etcd',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  peers: '../peers/program',
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
  const digest = createHash('sha256');
  for (const file of await sourcesOf(binary)) {
    digest.update(`${basename(file)}\0`).update(await readFile(join(moduleFolder, file)));
  }
  return `peers-${digest.digest('hex').slice(0, 12)}`;
}

/** The arguments of `go build`, seen from the module: a package, or files. The files of `peers` use the module's modules. */
export async function sourcesOf(binary: Binary): Promise<readonly string[]> {
  const main = binaryPackages[binary];
  if (binary !== 'peers') return [main];
  const names = await readdir(join(moduleFolder, main));
  return names.toSorted().map((name) => join(main, name));
}
