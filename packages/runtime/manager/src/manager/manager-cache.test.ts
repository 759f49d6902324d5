import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import {
  eventually,
  nothing,
  objectOf,
  recordingLogger,
  running,
  valueOf,
} from '../testing/fixtures.test-support.ts';
import { createManager, type Manager, type ManagerOptions } from '../index.ts';

const { ConfigMap } = builtin;
const name = { namespace: 'default', name: 'a' };

let server: ApiServer;
let client: Client;
let lines: Record<string, unknown>[];
const managers: Manager[] = [];

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
});

afterEach(async () => {
  await Promise.all(managers.splice(0).map((manager) => manager.stop()));
  await client.close();
  await server.close();
});

async function watching(options: ManagerOptions = {}): Promise<Manager> {
  const recording = recordingLogger();
  ({ lines } = recording);
  const { logger } = recording;
  const manager = createManager({ cluster: server.cluster, logger, stopSignals: [], ...options });
  managers.push(manager);
  manager.addController({ name: 'reader', for: ConfigMap, reconcile: nothing });
  await running(manager);
  return manager;
}

describe('a stopped manager', () => {
  test('has closed the client and the cache that it created', async () => {
    const manager = await watching();
    await manager.stop();
    expect(() => manager.cache.get(ConfigMap, name)).toThrow(
      expect.objectContaining({ code: 'CACHE_CLOSED' }),
    );
    await expect(manager.client.get(ConfigMap, name)).rejects.toMatchObject({
      code: 'CLIENT_CLOSED',
    });
  });

  test('has not closed a client that it was given', async () => {
    const { logger } = recordingLogger();
    const manager = createManager({ client, logger, stopSignals: [] });
    await running(manager);
    await manager.stop();
    expect(() => manager.cache.get(ConfigMap, name)).toThrow(
      expect.objectContaining({ code: 'CACHE_CLOSED' }),
    );
    await expect(client.list(ConfigMap)).resolves.toMatchObject({ items: [] });
  });
});

describe('the option `cache` of a manager', () => {
  test('freeze makes a write to an object of the cache throw', async () => {
    await client.create(ConfigMap, objectOf(ConfigMap, 'a', { data: { key: 'value' } }));
    for (const freeze of [true, false]) {
      const manager = await watching({ cache: { freeze } });
      const data = manager.cache.get(ConfigMap, name)?.data as Record<string, string>;
      expect(data).toEqual({ key: 'value' });
      expect(Object.isFrozen(data)).toBe(freeze);
    }
  });

  test('keepManagedFields keeps managed fields, which the cache otherwise drops', async () => {
    await client.apply(ConfigMap, objectOf(ConfigMap, 'a', { data: { key: 'value' } }), {
      fieldManager: 'test',
    });
    for (const keepManagedFields of [true, false]) {
      const manager = await watching({ cache: { keepManagedFields } });
      const { managedFields } = manager.cache.get(ConfigMap, name)?.metadata ?? {};
      expect(managedFields === undefined).toBe(!keepManagedFields);
    }
  });

  test('parsedBytes limits the parsed bodies; a larger body is parsed at each read', async () => {
    await client.create(ConfigMap, objectOf(ConfigMap, 'a', { data: { key: 'value' } }));
    for (const parsedBytes of [1, 1_000_000]) {
      const manager = await watching({ cache: { parsedBytes } });
      const read = (): unknown => manager.cache.get(ConfigMap, name)?.data;
      expect(read() === read()).toBe(parsedBytes > 1);
    }
  });

  test('memoryBudget limits the memory of objects, with metrics and a log line', async () => {
    await client.create(ConfigMap, objectOf(ConfigMap, 'a', { data: { key: 'x'.repeat(5_000) } }));
    const manager = await watching({ cache: { memoryBudget: { bytes: 3_000 } } });
    const message = 'memory budget limits a watch';
    await eventually(() => lines.some((line) => line['message'] === message));
    const facts = { level: 'warn', resource: 'v1/configmaps', budget: 'all', policy: 'compress' };
    expect(lines).toContainEqual(expect.objectContaining({ ...facts, bytes: 3_000 }));
    expect(await valueOf(manager, 'keelson_memory_budget_bytes', { budget: 'all' })).toBe(3_000);
    const used = await valueOf(manager, 'keelson_memory_budget_used_bytes', { budget: 'all' });
    expect(used).toBeGreaterThan(210);
  });

  test('linger keeps a watch open for this time after its last handle', async () => {
    for (const linger of ['1h', 0] as const) {
      const manager = await watching({ cache: { linger } });
      const [reader] = manager.cache.inventory();
      expect(reader).toBeDefined();
      const controller = manager.addController({ name: 'leaves', reconcile: nothing });
      const watch = controller.watch({ resource: builtin.Secret, map: () => undefined });
      await watch.synced;
      await watch.remove();
      expect(manager.cache.inventory()).toHaveLength(linger === 0 ? 1 : 2);
    }
  });
});

describe('a warning of the API server', () => {
  test('is logged once per text, and each one is counted', async () => {
    const manager = await watching();
    const create = (object: string, member: string): Promise<unknown> =>
      manager.client.create(ConfigMap, objectOf(ConfigMap, object, { [member]: 1 }));
    const warnings = (): unknown[] =>
      lines.filter(({ message }) => message === 'the API server sent a warning');
    const count = (): Promise<number | undefined> => valueOf(manager, 'keelson_api_warnings_total');
    expect(await count()).toBe(0);
    await create('a', 'odd');
    await create('b', 'odd');
    await manager.client
      .withFieldManager('other')
      .create(ConfigMap, objectOf(ConfigMap, 'c', { odd: 1 }));
    await eventually(async () => (await count()) === 3);
    expect(warnings()).toMatchObject([
      { level: 'warn', method: 'POST', warning: 'unknown field "odd"' },
    ]);
    await create('d', 'even');
    expect(warnings()).toHaveLength(2);
  });
});
