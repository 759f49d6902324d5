import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createInformerCache } from '@keelson/informer';
import { clusterFor } from '../../views/keelson-view.ts';
import { quantile } from '../../processes/process-cost.ts';
import type { Job } from '../../servers/protocol.ts';

/** Measures the time from a patch to its event at a steady rate. The first second is a warm-up. */
export const writeToEvent: Job = async ({ options, server }) => {
  const [writes, perSecond] = [Number(options['writes']), Number(options['perSecond'])];
  await import('undici');
  const cluster = clusterFor({ server, tls: true });
  await using client = createClient({ cluster, http2: options['http2'] === true });
  const cache = createInformerCache({ listerWatcher: (query) => client.listerWatcher(query) });
  const metadata = { namespace: 'default', name: `written-${process.pid}` };
  await client.create(builtin.ConfigMap, { metadata });
  const sent: number[] = [];
  const delays: number[] = [];
  const finished = Promise.withResolvers<void>();
  const handle = cache.acquire(
    { resource: builtin.ConfigMap, namespace: 'default' },
    { owner: 'bench' },
  );
  handle.addEventHandler(({ object }) => {
    const at = sent[Number(object.metadata.annotations?.['n'])];
    if (at === undefined) return;
    delays.push(performance.now() - at);
    if (delays.length === writes) finished.resolve();
  });
  await handle.synced;
  const start = performance.now();
  for (let n = 0; n < writes; n++) {
    const wait = start + (n * 1000) / perSecond - performance.now();
    if (wait > 0) {
      await new Promise((resolve) => {
        setTimeout(resolve, wait);
      });
    }
    sent[n] = performance.now();
    const body = { metadata: { annotations: { n: String(n) } } };
    await client.patch(builtin.ConfigMap, metadata, { type: 'merge', body });
  }
  await finished.promise;
  await client.delete(builtin.ConfigMap, metadata);
  await cache.close();
  const warm = delays.slice(perSecond);
  return { p50: quantile(warm, 0.5), p99: quantile(warm, 0.99) };
};
