import { builtin, objectKey } from '@keelson/apimachinery';
import { createLogger, createManager, type Manager } from '@keelson/manager';
import { microseconds, SENT } from '../servers/pod-stream.ts';
import { quantile } from '../processes/process-cost.ts';
import type { Job } from '../servers/protocol.ts';

export function quietManager(server: string): Manager {
  return createManager({
    cluster: { server },
    logger: createLogger({ level: 'error' }),
    stopSignals: [],
    gracePeriod: 0,
  });
}

/** Measures the time from the call of a handler to the start of the reconcile of its request, with an idle queue. */
export const latency: Job = async ({ options, server, ask }) => {
  const [perSecond, events] = [Number(options['perSecond']), Number(options['events'])];
  const manager = quietManager(server.url);
  const handledAt = new Map<string, number>();
  const sentAt = new Map<string, number>();
  const above: number[] = [];
  const whole: number[] = [];
  const finished = Promise.withResolvers<void>();
  const handle = manager.cache.acquire({ resource: builtin.Pod }, { owner: 'bench' });
  handle.addEventHandler(({ key, object }) => {
    const sent = object.metadata.annotations?.[SENT];
    if (sent === undefined) return;
    handledAt.set(key, microseconds());
    sentAt.set(key, Number(sent));
  });
  manager.addController({
    name: 'bench',
    for: builtin.Pod,
    reconcile({ namespace, name }) {
      const key = objectKey({ namespace, name });
      const handled = handledAt.get(key);
      if (handled === undefined) return;
      const now = microseconds();
      above.push(now - handled);
      whole.push(now - (sentAt.get(key) ?? now));
      if (above.length === events) finished.resolve();
    },
  });
  const ended = manager.start();
  await manager.started;
  const sent = ask({ name: 'pace', perSecond, count: events });
  await Promise.race([finished.promise, ended]);
  await sent;
  const warm = above.slice(perSecond);
  return {
    p50: quantile(warm, 0.5),
    p99: quantile(warm, 0.99),
    wholeP50: quantile(whole.slice(perSecond), 0.5),
    wholeP99: quantile(whole.slice(perSecond), 0.99),
  };
};

/** Measures the loop around an empty reconcile: queue, pool, metrics, outcome. */
export const overhead: Job = async ({ options, server }) => {
  const total = Number(options['total']);
  const manager = quietManager(server.url);
  const finished = Promise.withResolvers<void>();
  let reconciled = 0;
  const controller = manager.addController({
    name: 'bench',
    concurrency: Number(options['concurrency']),
    reconcile() {
      if (++reconciled === total) finished.resolve();
    },
  });
  const ended = manager.start();
  await manager.started;
  const start = performance.now();
  for (let i = 0; i < total; i++)
    controller.enqueue({ namespace: 'bench', name: `r-${String(i)}` });
  await Promise.race([finished.promise, ended]);
  return { micros: ((performance.now() - start) * 1000) / total };
};
