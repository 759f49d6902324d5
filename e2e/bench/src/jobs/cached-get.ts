import { builtin, type ObjectName } from '@keelson/apimachinery';
import { podName, podNamespace, renderPod } from '../servers/pod.ts';
import { PODS_PATH } from '../servers/pod-stream.ts';
import type { Job, Metrics } from '../servers/protocol.ts';

const HOT = 100;
const HOT_READS = 1_000_000;

interface Named {
  readonly metadata?: { readonly name?: string } | undefined;
}

type Get = (name: Required<ObjectName>) => Named | undefined;

/** Reads every pod once (the cold read), then a few of them repeatedly. */
function measure(pods: number, get: Get): Metrics {
  const names = Array.from({ length: pods }, (_, index) => ({
    namespace: podNamespace(index),
    name: podName(index),
  }));
  const cold = timeReads(names, names.length, get);
  const hot = names.slice(0, HOT);
  timeReads(hot, HOT_READS / 10, get);
  return { cold, hot: timeReads(hot, HOT_READS, get) };
}

function timeReads(names: readonly Required<ObjectName>[], reads: number, get: Get): number {
  const start = performance.now();
  for (let i = 0; i < reads; i++) {
    const name = names[i % names.length] as Required<ObjectName>;
    if (get(name)?.metadata?.name !== name.name) throw new Error(`no pod ${name.name}`);
  }
  return ((performance.now() - start) * 1000) / reads;
}

export const keelson: Job = async ({ options, server }) => {
  const { createClient } = await import('@keelson/client');
  const { createInformerCache } = await import('@keelson/informer');
  const client = createClient({ cluster: { server: server.url } });
  const cache = createInformerCache({ listerWatcher: (query) => client.listerWatcher(query) });
  await cache.acquire({ resource: builtin.Pod }, { owner: 'bench' }).synced;
  return measure(Number(options['pods']), (name) => cache.get(builtin.Pod, name));
};

export const clientNode: Job = async ({ options, server }) => {
  const { CoreV1Api, makeInformer } = await import('@kubernetes/client-node');
  const { kubeConfig } = await import('../views/client-node-view.ts');
  const config = kubeConfig(server.url);
  const api = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, PODS_PATH, () => api.listPodForAllNamespaces());
  await informer.start();
  return measure(Number(options['pods']), ({ name, namespace }) => informer.get(name, namespace));
};

/** Reads a Map for the hot read, and parses the bytes with `JSON.parse` for the cold read. */
export const limit: Job = ({ options }) => {
  const pods = Number(options['pods']);
  const bytes = new Map<string, Buffer>();
  const parsed = new Map<string, Named>();
  for (let index = 0; index < pods; index++) {
    bytes.set(`${podNamespace(index)}/${podName(index)}`, Buffer.from(renderPod(index, index)));
  }
  const metrics = measure(pods, ({ namespace, name }) => {
    const key = `${namespace}/${name}`;
    const known = parsed.get(key);
    if (known !== undefined) return known;
    const pod = JSON.parse(String(bytes.get(key))) as Named;
    parsed.set(key, pod);
    return pod;
  });
  return Promise.resolve(metrics);
};
