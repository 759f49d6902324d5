import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EnvtestError } from '../errors.ts';

export type Asset = 'etcd' | 'kube-apiserver' | 'kube-controller-manager';

/** The path of each program of a control plane. */
export type Assets = Readonly<Record<Asset, string>>;

/** The oldest minor version of kube-apiserver that accepts the flags and serves the endpoints used here. */
const OLDEST_MINOR_VERSION = 28;

const installHint =
  'install them with setup-envtest and set KUBEBUILDER_ASSETS, or pass `assets`, or use: "memory"';

/**
 * Finds the programs in a folder that has the layout of setup-envtest. Throws `BINARIES_NOT_FOUND`,
 * `BINARY_BROKEN`, `VERSION_NOT_SUPPORTED`.
 */
export async function findAssets(
  folder: string | undefined,
  wanted: readonly Asset[],
): Promise<Assets> {
  if (folder === undefined)
    throw new EnvtestError('BINARIES_NOT_FOUND', { folder: '(none)', how: installHint });
  const found = {
    etcd: join(folder, 'etcd'),
    'kube-apiserver': join(folder, 'kube-apiserver'),
    'kube-controller-manager': join(folder, 'kube-controller-manager'),
  };
  const executable = await Promise.all(wanted.map((asset) => isExecutable(found[asset])));
  const missing = wanted.filter((_, index) => executable[index] !== true);
  if (missing.length > 0) {
    throw new EnvtestError('BINARIES_NOT_FOUND', {
      folder,
      missing: missing.join(', '),
      how: installHint,
    });
  }
  await checkVersion(found['kube-apiserver']);
  return found;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function checkVersion(binary: string): Promise<void> {
  const version = await versionOf(binary);
  const minor = Number(/v1\.(\d+)/.exec(version)?.[1]);
  if (!(minor >= OLDEST_MINOR_VERSION)) {
    throw new EnvtestError('VERSION_NOT_SUPPORTED', {
      binary,
      version: version === '' ? '(none printed)' : version,
      oldest: `v1.${OLDEST_MINOR_VERSION}`,
    });
  }
}

async function versionOf(binary: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(binary, ['--version']);
    return stdout.trim();
  } catch (error) {
    throw new EnvtestError('BINARY_BROKEN', { binary }, { cause: error });
  }
}
