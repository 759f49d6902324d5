import { loadCluster, type Client, type Cluster } from '@keelson/client';
import { found, type Check } from '../runner/check-runner.ts';

/** The oldest Kubernetes with server-side apply and `apiextensions.k8s.io/v1` for every cluster. */
const OLDEST_MINOR = 22;

/** The choice of a cluster. */
export interface KubeconfigOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** Checks that the kubeconfig can be read and has the context. The value is the cluster. */
export function kubeconfigCheck(
  { kubeconfig, context }: KubeconfigOptions,
  timeout: number,
): Check<Cluster> {
  return {
    name: 'kubeconfig',
    cure: 'name a kubeconfig and a context: --kubeconfig FILE --context NAME',
    run: async () => {
      const source = { file: kubeconfig, context, pluginTimeout: timeout };
      const value = await loadCluster(source);
      const which = [kubeconfig, context && `context ${context}`].filter(Boolean).join(', ');
      return { ...found('ok', which || 'current context'), value };
    },
  };
}

/** Checks that the server responds, and its version. The value is true. */
export function serverCheck(client: Client, { server }: Cluster): Check<true> {
  return {
    name: 'server',
    cure: `start the cluster, or choose another context; the address is ${server}`,
    run: async (signal) => {
      const { gitVersion, major, minor } = await client.discovery.version({ signal });
      // Managed clusters have versions such as 28+.
      const isOld = Number(major) === 1 && Number.parseInt(minor, 10) < OLDEST_MINOR;
      const cure = `upgrade the cluster to Kubernetes 1.${OLDEST_MINOR} or newer`;
      const detail = `Kubernetes ${gitVersion} at ${server}`;
      return { ...(isOld ? found('failed', detail, cure) : found('ok', detail)), value: true };
    },
  };
}
