import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  mountServiceAccount,
  podEnvironment,
  writeServiceAccount,
} from '@keelson/e2e-runtimes/pod';
import type { Address, Job, JobContext, Metrics } from '../servers/protocol.ts';

const MEGABYTE = 1e6;

/** Measures an operator that reads the service account of its Pod. The run fails if client-node is loaded. */
export const pod: Job = (context) =>
  inPod(context, async (folder, account) => {
    await writeServiceAccount(folder, { ...account, namespace: 'default' });
    mountServiceAccount(folder);
    const hooks = registerHooks({
      resolve(specifier, from, next) {
        if (specifier.startsWith('@kubernetes/client-node'))
          throw new Error('client-node is loaded');
        return next(specifier, from);
      },
    });
    const metrics = await start();
    hooks.deregister();
    return metrics;
  });

/** Measures the same operator with a kubeconfig, for which client-node is loaded. */
export const kubeconfig: Job = (context) =>
  inPod(context, (folder, account) => {
    process.env['KUBECONFIG'] = join(folder, 'kubeconfig');
    writeFileSync(process.env['KUBECONFIG'], account.kubeconfig);
    return start();
  });

/** Runs with the variables of a Pod and an empty folder. */
async function inPod(
  { server }: JobContext,
  run: (folder: string, account: NonNullable<Address['account']>) => Promise<Metrics>,
): Promise<Metrics> {
  if (server.account === undefined) throw new Error('the server of the case has no accounts');
  const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-'));
  try {
    Object.assign(process.env, podEnvironment({ server: server.url, folder }));
    return await run(folder, server.account);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Imports the manager and starts an operator with one controller, metrics and health. */
async function start(): Promise<Metrics> {
  const begin = performance.now();
  const { builtin, createLogger, createManager } = await import('@keelson/manager');
  const manager = createManager({
    logger: createLogger({ level: 'error' }),
    servers: { metrics: 0, health: 0 },
    stopSignals: [],
  });
  manager.addController({ name: 'bench', for: builtin.ConfigMap, reconcile: () => undefined });
  const ended = manager.start();
  await Promise.race([manager.started, ended]);
  const metrics = { ms: performance.now() - begin, rss: process.memoryUsage.rss() / MEGABYTE };
  await manager.stop();
  await ended;
  return metrics;
}
