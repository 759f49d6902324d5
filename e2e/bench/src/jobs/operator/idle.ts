import { cpuSeconds } from '../../processes/process-cost.ts';
import { customKind } from '../../servers/custom-kind.ts';
import type { Job } from '../../servers/protocol.ts';
import { quietManager } from '../reconcile.ts';

/** The time after which the work of the start has ended. */
const SETTLE_MS = 3000;

/** Measures the processor time of an operator whose objects do not change, with a controller for each kind. */
export const idle: Job = async ({ options, server }) => {
  const [kinds, objects] = [Number(options['kinds']), Number(options['objects'])];
  const seconds = Number(options['seconds']);
  const manager = quietManager(server.url);
  const all = Promise.withResolvers<void>();
  let reconciles = 0;
  for (let kind = 0; kind < kinds; kind++) {
    manager.addController({
      name: `idle-${kind}`,
      for: customKind(kind),
      reconcile() {
        if (++reconciles === kinds * objects) all.resolve();
      },
    });
  }
  const ended = manager.start();
  await Promise.race([all.promise, ended]);
  await sleep(SETTLE_MS);
  const cpuBefore = cpuSeconds();
  const start = performance.now();
  await sleep(seconds * 1000);
  const minutes = (performance.now() - start) / 60_000;
  return { cpu: ((cpuSeconds() - cpuBefore) * 1000) / minutes };
};

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
