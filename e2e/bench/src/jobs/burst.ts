import { loadView } from '../views/load-view.ts';
import { cpuSeconds } from '../processes/process-cost.ts';
import type { Job } from '../servers/protocol.ts';

/** Measures the time from the first to the last handled event while the server writes without pauses. */
export const burst: Job = async ({ options, server, ask }) => {
  const events = Number(options['events']);
  const handlers = Number(options['handlers'] ?? 1);
  const handles = Number(options['handles'] ?? 1);
  const create = await loadView(String(options['view']));
  const finished = Promise.withResolvers<void>();
  let isBurst = false;
  let delivered = 0;
  let first = 0;
  let last = 0;
  const onEvent = (): void => {
    if (!isBurst) return;
    if (delivered === 0) first = performance.now();
    delivered++;
    if (delivered < events * handlers * handles) return;
    last = performance.now();
    finished.resolve();
  };
  const view = await create({
    server,
    tls: options['tls'] === true,
    keepsViews: options['keepsViews'] === true,
    handlers,
    handles,
    onEvent,
  });
  await view.start();
  isBurst = true;
  const cpuBefore = cpuSeconds();
  const sent = ask({ name: 'burst' });
  await finished.promise;
  const cpu = cpuSeconds() - cpuBefore;
  await sent;
  return {
    perSecond: (events * 1000) / (last - first),
    cpuPerEvent: (cpu * 1e6) / events,
    cpuPer10k: (cpu * 10_000) / events,
  };
};
