import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadView } from '../views/load-view.ts';
import { cpuSeconds, peakMegabytes, retainedBytes } from '../processes/process-cost.ts';
import type { Job } from '../servers/protocol.ts';

/** Measures the time from the start to the sync, with every pod delivered to a handler. */
export const list: Job = async ({ options, server }) => {
  const pods = Number(options['pods']);
  const create = await loadView(String(options['view']));
  const bytesBefore = await retainedBytes();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpuBefore = cpuSeconds();
  const start = performance.now();
  let delivered = 0;
  const tls = options['tls'] === true;
  const http2 = options['http2'] !== false;
  const view = await create({ server, tls, http2, handlers: 1, onEvent: () => void delivered++ });
  await view.start();
  const ms = performance.now() - start;
  const cpu = cpuSeconds() - cpuBefore;
  // The histogram records the last stall when its timer fires again.
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  delay.disable();
  if (options['view'] !== 'sink') expectAll(pods, view.size(), delivered);
  const peakRss = peakMegabytes();
  const bytesPerObject = ((await retainedBytes()) - bytesBefore) / pods;
  return { ms, cpu, peakRss, bytesPerObject, longestStall: delay.max / 1e6 };
};

function expectAll(pods: number, size: number, delivered: number): void {
  if (size === pods && delivered === pods) return;
  throw new Error(`${String(size)} kept and ${String(delivered)} delivered of ${String(pods)}`);
}
