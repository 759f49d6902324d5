import { nodeUtil } from '../../values/node-util.ts';
import path from 'node:path';
import { ClientError } from '../../errors.ts';
import { serviceAccountFolder, serviceUrl } from '../credentials/service-account.ts';

/** The text of a kubeconfig and the file it came from. */
export interface KubeConfigText {
  readonly text: string;
  readonly file?: string;
}

/** The files of a kubeconfig, or the API server of the Pod's cluster. */
export type KubeConfigPlace = { readonly files: readonly string[] } | { readonly server: string };

/**
 * Searches in the order of kubectl: the files in `KUBECONFIG` that exist, the home directory, then the
 * service account of a Pod.
 */
export async function findKubeConfig(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
  tokenFile: string = path.join(serviceAccountFolder, 'token'),
): Promise<KubeConfigPlace> {
  const named = (environment['KUBECONFIG'] ?? '').split(path.delimiter).filter(Boolean);
  const candidates = named.length > 0 ? named : [path.join(home, '.kube', 'config')];
  const files = await existing(candidates);
  if (files.length > 0) return { files };
  const server = serviceUrl(environment);
  if (named.length === 0 && server !== undefined && (await exists(tokenFile))) return { server };
  const inCluster = server !== undefined;
  throw new ClientError('KUBECONFIG_NOT_FOUND', { looked: candidates, inCluster });
}

export async function readKubeConfig(file: string): Promise<KubeConfigText> {
  try {
    return {
      file,
      text: await process.getBuiltinModule('node:fs/promises').readFile(file, 'utf8'),
    };
  } catch (error) {
    const reason =
      nodeUtil.types.isNativeError(error) && 'code' in error ? error.code : 'unreadable';
    if (reason === 'ENOENT') throw new ClientError('KUBECONFIG_NOT_FOUND', { looked: [file] });
    throw new ClientError('KUBECONFIG_INVALID', { file, reason }, { cause: error });
  }
}

async function existing(files: readonly string[]): Promise<string[]> {
  const found = await Promise.all(files.map(exists));
  return files.filter((_, index) => found[index]);
}

async function exists(file: string): Promise<boolean> {
  return process
    .getBuiltinModule('node:fs/promises')
    .access(file)
    .then(
      () => true,
      () => false,
    );
}
