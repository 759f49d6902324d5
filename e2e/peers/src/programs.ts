import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { buildBinaries, cacheFolder, hasGo } from '@keelson/e2e-control-plane';

/** What of the programs is on this machine. */
export interface Programs {
  /** The Go program; `undefined` where there is no Go to build it. */
  readonly peers: string | undefined;
  /** A folder with etcd and kube-apiserver; `undefined` where there is none. */
  readonly assets: string | undefined;
}

/** Builds the Go program where that is possible, and looks for a control plane without building one. */
export async function findPrograms(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Programs> {
  const folder = await cacheFolder(environment);
  return { peers: await peersIn(folder), assets: await assetsOf(environment, folder) };
}

async function peersIn(folder: string): Promise<string | undefined> {
  if (!(await hasGo())) return undefined;
  await buildBinaries({ binaries: ['peers'], folder });
  return join(folder, 'peers');
}

async function assetsOf(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<string | undefined> {
  const candidate = environment.KUBEBUILDER_ASSETS ?? folder;
  const programs = ['etcd', 'kube-apiserver', 'kube-controller-manager'];
  const found = await Promise.all(programs.map((program) => isThere(join(candidate, program))));
  return found.every(Boolean) ? candidate : undefined;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
