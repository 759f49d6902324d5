import { ControlPlane } from '../control-plane/control-plane.ts';
import type { ResolvedOptions } from '../environment/environment-options.ts';
import { kubeconfigText } from '../control-plane/kubeconfig-text.ts';
import type { Backend } from '../environment/running-environment.ts';
import type { NewUser, TestUser } from '../environment/test-environment.ts';

/** Runs etcd and kube-apiserver from binaries as child processes. */
export async function binariesBackend(options: ResolvedOptions): Promise<Backend> {
  const plane = await ControlPlane.create(options);
  const addUser = async ({ name, groups = [] }: NewUser): Promise<TestUser> => {
    const cluster = await plane.clusterOf(name, groups);
    return { name, cluster, kubeconfig: kubeconfigText(name, cluster) };
  };
  return {
    kind: 'binaries',
    admin: await addUser({ name: 'admin', groups: ['system:masters'] }),
    addUser,
    logs: () => plane.logs(),
    controls: plane,
    stop: () => plane.end(),
  };
}
