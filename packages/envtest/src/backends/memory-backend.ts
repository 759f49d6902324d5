import { createApiServer } from '@keelson/apiserver';
import { CertificateAuthority } from '../control-plane/certificate-authority.ts';
import type { ResolvedOptions } from '../environment/environment-options.ts';
import { kubeconfigText } from '../control-plane/kubeconfig-text.ts';
import { MemoryControls } from './memory-controls.ts';
import type { Backend } from '../environment/running-environment.ts';
import type { NewUser, TestUser } from '../environment/test-environment.ts';

/** Runs `@keelson/apiserver` in this process with RBAC and TLS: kubectl sends no token to a server without TLS. */
export async function memoryBackend({ port, controllers }: ResolvedOptions): Promise<Backend> {
  // The authority for client certificates makes the server reject certificates of other authorities, as
  // kube-apiserver does.
  const { certificate: clientCa } = await CertificateAuthority.create();
  const server = await createApiServer({
    port,
    authorizationMode: 'RBAC',
    tls: true,
    clientCa,
    controllers,
    serviceClusterIpRange: '10.0.0.0/24',
  });
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
