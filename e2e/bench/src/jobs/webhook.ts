import { builtin } from '@keelson/apimachinery';
import { createLogger, createManager } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { readFileSync } from 'node:fs';
import type { Cluster } from '@keelson/client';
import { cpuSeconds } from '../processes/process-cost.ts';
import type { Job } from '../servers/protocol.ts';

/** Measures the processor time of the webhook server for each review. The first reviews warm up. */
export const webhook: Job = async ({ options, server, ask }) => {
  const [count, atOnce] = [Number(options['count']), Number(options['atOnce'])];
  const certificate = await selfSignedCertificate();
  const cluster = JSON.parse(readFileSync(server.access?.cluster ?? '', 'utf8')) as Cluster;
  const manager = createManager({
    cluster,
    logger: createLogger({ level: 'error' }),
    stopSignals: [],
    servers: { host: '127.0.0.1', webhook: { port: 0, tls: { certificate }, shutdownDelay: 0 } },
  });
  let reviews = 0;
  manager.addWebhook({
    name: 'maps',
    resource: builtin.ConfigMap,
    operations: ['CREATE'],
    mutate({ object }) {
      reviews += 1;
      const metadata = (object.metadata ??= {});
      metadata.labels = { ...metadata.labels, defaulted: 'true' };
    },
  });
  const ended = manager.start();
  await manager.started;
  const { webhook: port = 0 } = manager.ports;
  const asked = (wanted: number): Promise<unknown> =>
    ask({
      name: 'review',
      port,
      path: '/mutate/maps',
      ca: certificate.cert,
      count: wanted,
      atOnce,
    });
  await asked(count / 4);
  const [reviewsBefore, cpuBefore] = [reviews, cpuSeconds()];
  await asked(count);
  const [cpu, measured] = [cpuSeconds() - cpuBefore, reviews - reviewsBefore];
  await manager.stop();
  await ended;
  if (measured < count) throw new Error(`reviewed ${measured} of ${count} objects`);
  return { cpuPerReview: (cpu / measured) * 1e6 };
};
