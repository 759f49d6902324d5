import { createClient } from '@keelson/client';
import { createInformerCache } from '@keelson/informer';
import { clusterFor } from '../../views/keelson-view.ts';
import { customKind } from '../../servers/custom-kind.ts';
import { cpuSeconds, retainedBytes } from '../../processes/process-cost.ts';
import { openSockets } from '../../processes/sockets.ts';
import type { Job } from '../../servers/protocol.ts';

const MEGABYTE = 1024 * 1024;

/** Measures the memory and the time of many idle kinds above those of one kind, and the connections of their watches. */
export const manyKinds: Job = async ({ options, server }) => {
  const kinds = Number(options['kinds']);
  const client = createClient({ cluster: clusterFor({ server, tls: true }) });
  const cache = createInformerCache({ listerWatcher: (query) => client.listerWatcher(query) });
  const open = async (from: number, to: number) => {
    const start = cpuSeconds();
    for (let n = from; n < to; n++) cache.acquire({ resource: customKind(n) }, { owner: 'bench' });
    await cache.waitForSync();
    const cpu = cpuSeconds() - start;
    const retained = await retainedBytes();
    return { cpu, retained, rss: process.memoryUsage.rss() };
  };
  const one = await open(0, 1);
  const all = await open(1, kinds);
  return {
    rss: (all.rss - one.rss) / MEGABYTE,
    retained: (all.retained - one.retained) / MEGABYTE,
    cpu: all.cpu,
    sockets: openSockets(),
  };
};
