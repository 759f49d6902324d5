import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, jest, test } from '@jest/globals';
import { Counter, Gauge, Registry } from 'prom-client';
import {
  eventually,
  managersOfTest,
  recordingLogger,
  running,
  useFakeTime,
  valueOf,
} from '../testing/fixtures.test-support.ts';
import type { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';

const managers = managersOfTest();
const host = '127.0.0.1';

async function serving(
  options: ManagerOptions = {},
): Promise<{ manager: Manager; lines: Record<string, unknown>[]; scrape: () => Promise<string> }> {
  const { logger, lines } = recordingLogger();
  const servers = { metrics: { port: 0, host }, health: { port: 0, host } };
  const { manager } = managers.make({ logger, servers, ...options });
  await running(manager);
  const scrape = async (): Promise<string> => {
    const response = await fetch(`http://${host}:${manager.ports.metrics}/metrics`);
    expect(response.status).toBe(200);
    return response.text();
  };
  return { manager, lines, scrape };
}

/** Adds a gauge of the user and counts its collections. */
function addGauge(registry: Registry, name: string, collect: () => unknown): { times: number } {
  const collected = { times: 0 };
  // oxlint-disable-next-line no-new
  new Gauge({
    name,
    help: name,
    registers: [registry],
    collect() {
      collected.times += 1;
      return collect() as undefined;
    },
  });
  return collected;
}

describe('/metrics', () => {
  test.each([
    ['throws', (): never => fail()],
    ['rejects', (): Promise<never> => Promise.reject(new Error('no database'))],
  ])(
    'serves all other metrics when a collector of the user %s, and logs its error once',
    async (_name, collect) => {
      useFakeTime({ setImmediate: true });
      const { manager, lines, scrape } = await serving();
      let works = false;
      addGauge(manager.registry, 'users_gauge', () => (works ? undefined : collect()));
      const page = await scrape();
      expect(page).toContain('controller_runtime_reconcile_total');
      expect(page).toContain('nodejs_version_info');
      expect(page).not.toContain('users_gauge');
      const failures = (): unknown[] => lines.filter(({ metric }) => metric === 'users_gauge');
      expect(failures()).toMatchObject([{ level: 'error', err: { message: 'no database' } }]);
      await jest.advanceTimersByTimeAsync(1001);
      await scrape();
      expect(failures()).toHaveLength(1);
      expect(await valueOf(manager, 'keelson_collector_errors_total')).toBe(2);
      works = true;
      await jest.advanceTimersByTimeAsync(1001);
      expect(await scrape()).toContain('users_gauge 0');
      works = false;
      await jest.advanceTimersByTimeAsync(1001);
      await scrape();
      expect(failures()).toHaveLength(2);
    },
  );

  test('serves all other metrics when a collector of the user hangs, and never runs it twice at once', async () => {
    useFakeTime({ setImmediate: true });
    const { manager, lines, scrape } = await serving();
    const hang = Promise.withResolvers<void>();
    const collected = addGauge(manager.registry, 'users_gauge', () => hang.promise);
    for (let at = 0; at < 2; at += 1) {
      const page = scrape();
      await eventually(() => collected.times === 1);
      await jest.advanceTimersByTimeAsync(5001);
      expect(await page).toContain('controller_runtime_reconcile_total');
      await jest.advanceTimersByTimeAsync(1001);
    }
    expect(collected.times).toBe(1);
    expect(lines.filter(({ metric }) => metric === 'users_gauge')).toMatchObject([
      { level: 'error', err: { name: 'TimeoutError' } },
    ]);
    expect(await valueOf(manager, 'keelson_collector_errors_total')).toBe(2);
    hang.resolve();
    await eventually(async () => {
      await jest.advanceTimersByTimeAsync(1001);
      return (await scrape()).includes('users_gauge 0');
    });
  });

  test('shares one scrape among concurrent requests, and keeps its result for one second', async () => {
    useFakeTime({ setImmediate: true });
    const { manager, scrape } = await serving();
    const slow = Promise.withResolvers<void>();
    const collected = addGauge(manager.registry, 'users_gauge', () => slow.promise);
    const pages = Array.from({ length: 10 }, scrape);
    await eventually(() => collected.times === 1);
    slow.resolve();
    expect(new Set(await Promise.all(pages)).size).toBe(1);
    await jest.advanceTimersByTimeAsync(999);
    await scrape();
    expect(collected.times).toBe(1);
    await jest.advanceTimersByTimeAsync(2);
    await scrape();
    expect(collected.times).toBe(2);
  });

  test('serves a bounded number of pipelined requests, then closes the connection', async () => {
    const { manager } = await serving();
    const collected = addGauge(manager.registry, 'users_gauge', () => undefined);
    const socket = connect(manager.ports.metrics ?? 0, host);
    const chunks: string[] = [];
    socket.setEncoding('utf8').on('data', (chunk) => chunks.push(String(chunk)));
    const closed = once(socket, 'close');
    socket.on('error', () => undefined);
    socket.write('GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(500));
    await closed;
    const statuses = chunks.join('').match(/^HTTP\/1\.1 \d+/gm) ?? [];
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.length).toBeLessThanOrEqual(9);
    expect(collected.times).toBe(1);
    const healthy = await fetch(`http://${host}:${manager.ports.health}/healthz`);
    expect(healthy.status).toBe(200);
    await manager.stop();
  });

  test('ends a connection after 100 requests', async () => {
    const { manager } = await serving();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const connections: unknown[] = [];
    for (let at = 0; at < 101; at += 1) {
      const sent = get({ port: manager.ports.health, host, path: '/healthz', agent });
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(200);
      connections.push(response.headers.connection);
      await once(response.resume(), 'end');
    }
    expect(connections.indexOf('close')).toBe(99);
    agent.destroy();
  });

  test('listens on `servers.host`, unless its own address has a host', async () => {
    const elsewhere = '192.0.2.1';
    const { manager } = managers.make({ servers: { host: elsewhere, metrics: 0 } });
    await expect(manager.start()).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      facts: { server: 'metrics', host: elsewhere },
    });
    const { scrape } = await serving({
      servers: { host: elsewhere, metrics: { port: 0, host } },
    });
    expect(await scrape()).toContain('keelson_watches');
  });

  test('has the format of the registry, also OpenMetrics with counters of the user', async () => {
    const plain = new Registry();
    const open = new Registry();
    open.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
    for (const registry of [plain, open]) {
      registry.setDefaultLabels({ cluster: 'a' });
      new Counter({ name: 'users_total', help: 'u', registers: [registry] }).inc();
      const { scrape, manager } = await serving({ registry });
      for (let at = 0; at < 2; at += 1)
        expect(await scrape()).toContain('users_total{cluster="a"} 1');
      expect((await scrape()).endsWith('# EOF\n')).toBe(registry === open);
      expect(namesOf(await scrape())).toEqual(namesOf(await registry.metrics()));
      await manager.stop();
    }
  });
});

describe('the delay of the event loop', () => {
  test.each(['keelson_event_loop_delay_seconds{quantile="1"}', 'nodejs_eventloop_lag_max_seconds'])(
    'a scrape does not reset %s for other scrapers',
    async (series) => {
      const { manager } = await serving();
      const valueIn = (page: string): number =>
        Number(
          page
            .split('\n')
            .find((line) => line.startsWith(`${series} `))
            ?.split(' ')[1],
        );
      const sampled = 'keelson_event_loop_delay_seconds';
      // A delay is measured between two samples.
      await eventually(async () => (await countOf(manager, sampled)) > 1);
      const until = performance.now() + 300;
      while (performance.now() < until);
      await eventually(async () => valueIn(await manager.registry.metrics()) >= 0.2);
      for (let other = 0; other < 2; other += 1) {
        expect(valueIn(await manager.registry.metrics())).toBeGreaterThanOrEqual(0.2);
      }
    },
  );

  test('every lag of the event loop is in seconds', async () => {
    const { manager } = await serving();
    const lag = (name: string): Promise<number | undefined> =>
      valueOf(manager, `nodejs_eventloop_lag_${name}_seconds`);
    await eventually(async () => ((await lag('max')) ?? 0) > 0);
    for (const name of ['min', 'mean', 'stddev', 'p50', 'p90', 'p99']) {
      expect(await lag(name)).toBeGreaterThanOrEqual(0);
    }
  });
});

async function countOf(manager: Manager, name: string): Promise<number> {
  const page = await manager.registry.getSingleMetricAsString(name);
  return Number(/_count (\d+)/.exec(page)?.[1]);
}

function fail(): never {
  throw new Error('no database');
}

/** The names of a page's metrics, in order. */
function namesOf(page: string): string[] {
  return page.split('\n').filter((line) => line.startsWith('# TYPE'));
}
