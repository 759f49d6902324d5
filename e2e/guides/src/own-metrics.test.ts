import { describe, expect, test } from '@jest/globals';
import type { Manager } from '@keelson/manager';
import { Counter, Gauge, Histogram } from 'prom-client';
import {
  eventually,
  managersOfTest,
  running,
  valueOf,
  WebApp,
} from './testing/fixtures.test-support.ts';

const managers = managersOfTest();

async function render(image: string): Promise<void> {
  await Promise.resolve();
  if (image === 'broken') throw new Error('no such image');
}

// #region work
function addWebApps(manager: Manager): void {
  const registers = [manager.registry];
  const rollouts = new Counter({
    name: 'webapp_rollouts_total',
    help: 'Rollouts of web apps, by result.',
    labelNames: ['result'],
    registers,
  });
  const duration = new Histogram({
    name: 'webapp_rollout_duration_seconds',
    help: 'Duration of a rollout in seconds.',
    buckets: [0.1, 0.5, 1, 5, 10, 60],
    registers,
  });
  for (const result of ['success', 'error']) rollouts.inc({ result }, 0);

  manager.addController({
    name: 'web-app',
    for: WebApp,
    async reconcile(request, { cache }) {
      const app = cache.get(WebApp, request);
      if (app === undefined) return;
      const stopTimer = duration.startTimer();
      try {
        await render(app.spec?.image ?? '');
        rollouts.inc({ result: 'success' });
      } catch (error) {
        rollouts.inc({ result: 'error' });
        throw error;
      } finally {
        stopTimer();
      }
    },
  });
}
// #endregion

// #region state
function addReadyGauge(manager: Manager): Gauge {
  const controller = manager.addController({
    name: 'counted-apps',
    for: WebApp,
    reconcile: () => undefined,
  });
  return new Gauge({
    name: 'webapps',
    help: 'Web apps by readiness.',
    labelNames: ['ready'],
    registers: [manager.registry],
    collect() {
      const apps = controller.cache.list(WebApp);
      const ready = apps.filter(({ status }) => status?.ready === true).length;
      this.set({ ready: 'true' }, ready);
      this.set({ ready: 'false' }, apps.length - ready);
    },
  });
}
// #endregion

// #region read
async function rolloutsOf(manager: Manager, result: string): Promise<number> {
  const metric = await manager.registry.getSingleMetric('webapp_rollouts_total')?.get();
  return metric?.values.find(({ labels }) => labels['result'] === result)?.value ?? 0;
}
// #endregion

describe('the guide to own metrics', () => {
  test('counts and times the work of a reconcile, and has both results from the start', async () => {
    const manager = managers.make();
    addWebApps(manager);
    expect(await manager.registry.metrics()).toContain('webapp_rollouts_total{result="error"} 0');
    await manager.client.create(WebApp, {
      metadata: { namespace: 'default', name: 'a' },
      spec: {},
    });
    await running(manager);
    await eventually(async () => (await rolloutsOf(manager, 'success')) === 1);
    expect(await manager.registry.metrics()).toContain('webapp_rollout_duration_seconds_count 1');
    const broken = { metadata: { namespace: 'default', name: 'b' }, spec: { image: 'broken' } };
    await manager.client.create(WebApp, broken);
    await eventually(async () => (await rolloutsOf(manager, 'error')) > 0);
  });

  test('reads the state of the objects when Prometheus does', async () => {
    const manager = managers.make();
    addReadyGauge(manager);
    const named = { namespace: 'default', name: 'a' };
    await manager.client.create(WebApp, { metadata: named, spec: {} });
    await running(manager);
    expect(await valueOf(manager, 'webapps', { ready: 'false' })).toBe(1);
    const body = { status: { ready: true } };
    await manager.client.status(WebApp).patch(named, { type: 'merge', body });
    await eventually(async () => (await valueOf(manager, 'webapps', { ready: 'true' })) === 1);
  });
});
