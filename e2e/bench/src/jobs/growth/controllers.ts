import { builtin } from '@keelson/apimachinery';
import { cpuSeconds, retainedBytes } from '../../processes/process-cost.ts';
import type { Job } from '../../servers/protocol.ts';
import { quietManager } from '../reconcile.ts';

const MEGABYTE = 1024 * 1024;

/**
 * Measures controllers of the same kind on one manager: the first reconcile of every object by each, and then one change
 * of every object. A reconcile reads its object.
 */
export const controllers: Job = async ({ options, server, ask }) => {
  const [count, objects] = [Number(options['controllers']), Number(options['objects'])];
  const manager = quietManager(server.url);
  const bytesBefore = await retainedBytes();
  let reconciled = 0;
  let all = Promise.withResolvers<void>();
  for (let n = 0; n < count; n++) {
    manager.addController({
      name: `bench-${n}`,
      for: builtin.Pod,
      reconcile({ namespace, name }, { cache }) {
        if (cache.get(builtin.Pod, { namespace, name }) === undefined) throw new Error('no pod');
        if (++reconciled === count * objects) all.resolve();
      },
    });
  }
  const start = performance.now();
  const ended = manager.start();
  await manager.started;
  await Promise.race([all.promise, ended]);
  const ms = performance.now() - start;
  const bytes = (await retainedBytes()) - bytesBefore;
  reconciled = 0;
  all = Promise.withResolvers<void>();
  const cpuBefore = cpuSeconds();
  // Each object changes once, so that no two changes become one reconcile.
  await ask({ name: 'burst' });
  await Promise.race([all.promise, ended]);
  const micros = (cpuSeconds() - cpuBefore) * 1e6;
  return {
    seconds: ms / 1000,
    cpuPerEvent: micros / objects,
    cpuPerReconcile: micros / objects / count,
    memory: bytes / MEGABYTE,
  };
};
