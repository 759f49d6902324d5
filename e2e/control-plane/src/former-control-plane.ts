import { mkdir, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Binary } from './binary.ts';
import { buildBinaries } from './build-binaries.ts';
import { BuildLock } from './build-lock.ts';
import { writeFormerModule } from './former-module.ts';
import { goBuild } from './go-build.ts';
import { checkGo } from './go-toolchain.ts';
import { versionVariables } from './version-variables.ts';

/** The former minor versions of Kubernetes whose kube-apiserver is built, each with a patch version that Go's proxy serves. */
export const formerVersions: Readonly<Record<string, string>> = {
  '1.35': 'v1.35.4',
  '1.34': 'v1.34.4',
  '1.33': 'v1.33.13',
};

/** The programs and settings of a former control plane. */
export interface FormerControlPlaneOptions {
  /** `v1.X.Y`. */
  readonly version: string;
  /** The folder of the binaries of the pinned version, whose etcd and kubectl are used. */
  readonly pinned: string;
  readonly onProgress: (line: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * They serve every former version. Kubernetes supports no controller manager that is newer than its server
 * (https://kubernetes.io/releases/version-skew-policy); its controllers of garbage and namespaces work all the same, and to build another
 * one takes minutes.
 */
const shared: readonly Binary[] = ['etcd', 'kube-controller-manager', 'kubectl'];

/**
 * Builds the kube-apiserver of a former version and puts it beside links to the other binaries of the pinned one. Returns the folder, a value
 * for `KUBEBUILDER_ASSETS`. The next call finds it, also without Go.
 */
export async function buildFormerControlPlane(options: FormerControlPlaneOptions): Promise<string> {
  const { version, pinned, onProgress, signal } = options;
  const folder = join(dirname(pinned), `kube-apiserver-${version}`);
  const output = join(folder, 'kube-apiserver');
  if (await exists(output)) return folder;
  await checkGo();
  await buildBinaries({ binaries: shared, folder: pinned, onProgress, signal });
  await mkdir(folder, { recursive: true });
  const onWait = (): void => onProgress('another process builds here; waiting for it …');
  await using _ = await BuildLock.take({ folder, onWait, signal });
  if (await exists(output)) return folder;
  await Promise.all(shared.map((name) => link(join(pinned, name), join(folder, name))));
  const module = join(folder, 'module');
  onProgress(`kube-apiserver ${version}: resolving its modules …`);
  await writeFormerModule(module, version);
  await goBuild({
    module,
    sources: ['k8s.io/kubernetes/cmd/kube-apiserver'],
    output,
    variables: versionVariables(version),
    onProgress: (line) => onProgress(`kube-apiserver ${version}: ${line}`),
    signal,
  });
  return folder;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function link(target: string, path: string): Promise<void> {
  await symlink(target, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
