import { createClient } from '@keelson/client';
import { createLogger, createManager } from '@keelson/manager';
import { cpuSeconds, peakMegabytes } from '../../processes/process-cost.ts';
import { customKind } from '../../servers/custom-kind.ts';
import type { Job } from '../../servers/protocol.ts';

/**
 * Measures a controller from its start until it has reconciled every owner once. Each owner has a child and is in its
 * desired state, as after a restart.
 */
export const owners: Job = async ({ options, server }) => {
  const count = Number(options['owners']);
  let requests = 0;
  const client = createClient({
    cluster: { server: server.url },
    observer: { requestStarted: () => void requests++ },
  });
  const logger = createLogger({ level: 'error' });
  const manager = createManager({ client, logger, stopSignals: [], gracePeriod: 0 });
  const [owner, child] = [customKind(0), customKind(1)];
  const seen = new Set<string>();
  const all = Promise.withResolvers<void>();
  let reconciles = 0;
  manager.addController({
    name: 'owners',
    for: owner,
    owns: [child],
    reconcile(request, { cache }) {
      const found = cache.get(owner, request);
      if (found === undefined) throw new Error(`no ${request.name}`);
      const children = cache.owned(child, found).length;
      if (children !== 1) throw new Error(`saw ${children} children of ${request.name}`);
      reconciles += 1;
      seen.add(request.name);
      if (seen.size === count) all.resolve();
    },
  });
  const cpuBefore = cpuSeconds();
  const start = performance.now();
  const ended = manager.start();
  await Promise.race([all.promise, ended]);
  return {
    seconds: (performance.now() - start) / 1000,
    cpu: cpuSeconds() - cpuBefore,
    peakRss: peakMegabytes(),
    requests,
    reconciles,
  };
};
