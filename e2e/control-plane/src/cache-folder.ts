import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The Go module beside this file. */
export const moduleFolder: string = fileURLToPath(new URL('..', import.meta.url));

/** The version of Kubernetes that the module pins, `v1.X.Y`. */
export async function kubernetesVersion(): Promise<string> {
  const text = await readFile(join(moduleFolder, 'go.mod'), 'utf8');
  const version = /\bk8s\.io\/kubernetes (v\d+\.\d+\.\d+)/.exec(text)?.[1];
  if (version === undefined) throw new Error('go.mod requires no k8s.io/kubernetes');
  return version;
}

/**
 * Where the binaries of this module belong. The name holds a digest of `go.sum`, so that another
 * choice of modules never finds the binaries of this one.
 */
export async function cacheFolder(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const root =
    environment.KEELSON_CACHE ??
    join(environment.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'keelson');
  const sums = await readFile(join(moduleFolder, 'go.sum'));
  const digest = createHash('sha256').update(sums).digest('hex').slice(0, 12);
  return join(root, `control-plane-${await kubernetesVersion()}-${digest}`);
}
