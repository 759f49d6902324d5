import { Agent, request } from 'undici';
import { podName, podNamespace } from '../servers/pod.ts';
import { podPath } from '../servers/pod-stream.ts';
import { cpuSeconds } from '../processes/process-cost.ts';
import type { Job, JobOptions, Metrics } from '../servers/protocol.ts';

interface PodResponse {
  readonly metadata?: { readonly name?: string } | undefined;
}

/** Sends `requests` GETs of one pod, of which `atOnce` run at the same time. */
async function measure(
  options: JobOptions,
  get: (index: number) => Promise<PodResponse>,
): Promise<Metrics> {
  const requests = Number(options['requests']);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next++ < requests) {
      const pod = await get(next);
      if (pod.metadata?.name === undefined) throw new Error('no pod in the answer');
    }
  };
  const cpuBefore = cpuSeconds();
  const start = performance.now();
  await Promise.all(Array.from({ length: Number(options['atOnce']) }, worker));
  return { ms: performance.now() - start, cpu: cpuSeconds() - cpuBefore };
}

export const keelson: Job = async ({ options, server }) => {
  const { builtin } = await import('@keelson/apimachinery');
  const { createClient } = await import('@keelson/client');
  await using client = createClient({
    cluster: { server: server.tlsUrl, tls: { rejectUnauthorized: false } },
  });
  return await measure(options, (index) =>
    client.get(builtin.Pod, { namespace: podNamespace(index), name: podName(index) }),
  );
};

export const clientNode: Job = async ({ options, server }) => {
  const { CoreV1Api } = await import('@kubernetes/client-node');
  const { kubeConfig } = await import('../views/client-node-view.ts');
  const api = kubeConfig(server.tlsUrl).makeApiClient(CoreV1Api);
  return await measure(options, (index) =>
    api.readNamespacedPod({ namespace: podNamespace(index), name: podName(index) }),
  );
};

/** The minimal client: one shared pool and `JSON.parse`. */
export const limit: Job = async ({ options, server }) => {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  return await measure(options, async (index) => {
    const { body } = await request(server.tlsUrl + podPath(index), { dispatcher });
    return (await body.json()) as PodResponse;
  });
};
