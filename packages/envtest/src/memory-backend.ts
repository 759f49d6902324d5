import { createApiServer } from '@keelson/apiserver';
import type { ResolvedOptions } from './environment-options.ts';
import { kubeconfigText } from './kubeconfig-text.ts';
import { MemoryControls } from './memory-controls.ts';
import type { Backend } from './running-environment.ts';
import type { NewUser, TestUser } from './test-environment.ts';

/** `@keelson/apiserver` in this process, with RBAC and TLS as a real one has: without TLS kubectl sends no token. */
export async function memoryBackend({ port }: ResolvedOptions): Promise<Backend> {
  const server = await createApiServer({ port, authorizationMode: 'RBAC', tls: true });
  const addUser = async ({ name, groups = [] }: NewUser): Promise<TestUser> => {
    const cluster = server.addUser({ name, groups });
    return { name, cluster, kubeconfig: kubeconfigText(name, cluster) };
  };
  return {
    kind: 'memory',
    admin: await addUser({ name: 'admin', groups: ['system:masters'] }),
    addUser,
    logs: () => ({}),
    controls: new MemoryControls(server),
    stop: () => server.close(),
  };
}
