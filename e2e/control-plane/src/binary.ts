import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { moduleFolder } from './cache-folder.ts';

/**
 * A command that can be built: those of the control plane, kubectl, `peers`, the program that uses client-go,
 * `protobuf`, the program that writes the table of built-in kinds, and `judge`, the program that decides with Kubernetes'
 * own packages.
 */
export type Binary =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kubectl'
  | 'peers'
  | 'protobuf'
  | 'judge';

/** Every binary and its `main`: a Go package, or a folder of Go files outside of the module. */
export const binaryPackages: Readonly<Record<Binary, string>> = {
  etcd: './cmd/etcd',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  peers: '../peers/program',
  protobuf: '../protobuf/program',
  judge: './cmd/judge',
};

/** All of them, in the order in which they are built. */
export const binaries: readonly Binary[] = Object.keys(binaryPackages) as Binary[];

/** Whether a word names one of them. */
export function isBinary(word: string): word is Binary {
  return Object.hasOwn(binaryPackages, word);
}

/** The programs of this repository. Their sources change without the modules. */
export const ownPrograms: readonly Binary[] = ['peers', 'protobuf', 'judge'];

function isOwnProgram(binary: Binary): boolean {
  return ownPrograms.includes(binary);
}

/**
 * The name of its file. That of a program of this repository holds a digest of its sources: two checkouts that
 * share a cache never run each other's. The others keep the names by which
 * `KUBEBUILDER_ASSETS` finds them; the `main` of etcd only calls that of its module.
 */
export async function fileNameOf(binary: Binary): Promise<string> {
  if (!isOwnProgram(binary)) return binary;
  const digest = createHash('sha256');
  for (const file of await sourcesOf(binary)) {
    digest.update(`${basename(file)}\0`).update(await readFile(join(moduleFolder, file)));
  }
  return `${binary}-${digest.digest('hex').slice(0, 12)}`;
}

/**
 * The arguments of `go build`, seen from the module: a package, or files. The files of a program of this repository
 * use the module's modules.
 */
export async function sourcesOf(binary: Binary): Promise<readonly string[]> {
  const main = binaryPackages[binary];
  if (!isOwnProgram(binary)) return [main];
  const names = await readdir(join(moduleFolder, main));
  return names.toSorted().map((name) => join(main, name));
}
