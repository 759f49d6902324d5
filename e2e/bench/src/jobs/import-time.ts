import type { Job, Metrics } from '../servers/protocol.ts';

async function measure(load: () => Promise<object>): Promise<Metrics> {
  const start = performance.now();
  const exported = await load();
  const ms = performance.now() - start;
  if (Object.keys(exported).length === 0) throw new Error('the module exports nothing');
  return { ms };
}

/** Measures the import before any code needs client-node. */
export const keelson: Job = () => measure(() => import('@keelson/manager'));

export const clientNode: Job = () => measure(() => import('@kubernetes/client-node'));
