import { setTimeout as pause } from 'node:timers/promises';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createInformerCache } from '@keelson/informer';
import { clusterFor } from '../../views/keelson-view.ts';
import { openSockets } from '../../processes/sockets.ts';
import { cpuSeconds } from '../../processes/process-cost.ts';
import type { Job } from '../../servers/protocol.ts';

const MEGABYTE = 1024 * 1024;
const MINUTE_S = 60;
/** The work of opening the watches ends within this time. */
const SETTLE_MS = 3_000;

/**
 * Measures watches without objects: until all have synced, and their processor time at rest. Memory is the growth of
 * the resident set.
 */
export const openWatches: Job = async ({ options, server }) => {
  const restSeconds = Number(options['restSeconds']);
  await import('undici');
  const cluster = clusterFor({ server, tls: true });
  const client = createClient({ cluster, http2: options['http2'] === true });
  // Opens a connection for lists, which both transports have.
  await client.get(builtin.Namespace, { name: 'default' });
  const memory = process.memoryUsage.rss();
  const [cpuBefore, start] = [cpuSeconds(), performance.now()];
  const cache = createInformerCache({ listerWatcher: (query) => client.listerWatcher(query) });
  for (let n = 0; n < Number(options['watches']); n++) {
    cache.acquire(
      { resource: builtin.ConfigMap, labelSelector: `bench=${n}`, sharing: 'exact' },
      { owner: `bench-${n}` },
    );
  }
  await cache.waitForSync();
  const ms = performance.now() - start;
  const cpu = cpuSeconds() - cpuBefore;
  const opened = { ms, cpu, memory: (process.memoryUsage.rss() - memory) / MEGABYTE };
  const sockets = openSockets();
  if (restSeconds > 0) await pause(SETTLE_MS);
  const atRest = cpuSeconds();
  await pause(restSeconds * 1000);
  const restCpu = ((cpuSeconds() - atRest) * 1000 * MINUTE_S) / Math.max(restSeconds, 1);
  return { ...opened, sockets, restCpu };
};
