import { readFile } from 'node:fs/promises';
import { loadCluster } from '@keelson/client';
import type { ResolvedOptions } from '../environment/environment-options.ts';
import { EnvtestError } from '../errors.ts';
import type { Backend } from '../environment/running-environment.ts';

/** Uses an existing cluster. `stop` does not change the cluster. */
export async function kubeconfigBackend({ kubeconfig }: ResolvedOptions): Promise<Backend> {
  const cluster = await loadCluster({ file: kubeconfig });
  return {
    kind: 'kubeconfig',
    admin: { name: 'admin', cluster, kubeconfig: await readFile(kubeconfig, 'utf8') },
    async addUser({ name }) {
      throw new EnvtestError('USERS_NOT_SUPPORTED', { user: name });
    },
    logs: () => ({}),
    controls: undefined,
    stop: () => Promise.resolve(),
  };
}
