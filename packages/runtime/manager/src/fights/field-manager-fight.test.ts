import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import type { Controller } from '../controller/controller.ts';
import { createLogger } from '../logging/logger.ts';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import { eventually, objectOf, running, valueOf } from '../testing/fixtures.test-support.ts';

const { ConfigMap } = builtin;
const a = { namespace: 'default', name: 'a' };
const body = objectOf(ConfigMap, 'a');

let server: ApiServer;
let foreign: Client;
let managers: Manager[];

beforeEach(async () => {
  server = await createApiServer({});
  foreign = createClient({ cluster: server.cluster });
  managers = [];
});

afterEach(async () => {
  await Promise.all(managers.map((manager) => manager.stop()));
  await foreign.close();
  await server.close();
});

type Write = (client: Client, color: string) => Promise<unknown>;

interface Painter {
  readonly manager: Manager;
  readonly controller: Controller;
  /** The warnings about objects. */
  readonly warnings: Record<string, unknown>[];
  /** Resolves with the first of them. */
  readonly warned: Promise<Record<string, unknown>>;
}

const eventRate = { burst: 5, perSecond: 5 };

/** A manager whose controller writes its own name into the object at each run, by a write that may have no effect. */
async function painter(name: string, write: Write): Promise<Painter> {
  const warnings: Record<string, unknown>[] = [];
  const first = Promise.withResolvers<Record<string, unknown>>();
  const logger = createLogger({
    write(text) {
      const line = JSON.parse(text) as Record<string, unknown>;
      if (!('fieldManagers' in line)) return;
      warnings.push(line);
      first.resolve(line);
    },
  });
  const manager = createManager({
    cluster: server.cluster,
    logger,
    stopSignals: [],
    gracePeriod: 0,
  });
  managers.push(manager);
  const controller = manager.addController({
    name,
    for: { resource: ConfigMap, namespace: 'default' },
    eventRate,
    reconcile: async (_request, { client }) => void (await write(client, name)),
  });
  await running(manager);
  return { manager, controller, warnings, warned: first.promise };
}

const apply: Write = (client, color) => client.apply(ConfigMap, { ...body, data: { color } });
const patch: Write = (client, color) =>
  client.patch(ConfigMap, a, { type: 'merge', body: { data: { color } } });

describe('two controllers that fight', () => {
  test.each([
    ['apply', apply],
    ['patch', patch],
  ])('by %s are both named by a warning and the metric of each', async (_, write) => {
    await foreign.create(ConfigMap, { ...body, data: { color: 'none' } });
    const both = [await painter('alpha', write), await painter('beta', write)];
    for (const { manager, warned } of both) {
      expect(await warned).toMatchObject({
        level: 'warn',
        message: 'field managers overwrite each other',
        source: 'for ConfigMap',
        request: 'default/a',
        object: 'default/a',
        ...eventRate,
        fieldManagers: ['alpha', 'beta'],
        fields: expect.arrayContaining(['data.color']),
      });
      const labels = { manager: 'alpha', other_manager: 'beta' };
      expect(await valueOf(manager, 'keelson_field_manager_fights_total', labels)).toBe(1);
    }
  });

  test('are named by a third one that only watches the object', async () => {
    await foreign.create(ConfigMap, { ...body, data: { color: 'none' } });
    const { warnings, warned } = await painter('watcher', () => Promise.resolve());
    const clients = ['red', 'blue'].map((name) => foreign.withFieldManager(name));
    for (let writes = 0; warnings.length === 0; writes += 1) {
      expect(writes).toBeLessThan(1000);
      const index = writes % 2;
      await patch(clients[index] as Client, `color ${index}`);
    }
    const fight = { fieldManagers: ['blue', 'red'], fields: ['data.color'] };
    expect(await warned).toMatchObject(fight);
  });

  test('end with the last state reconciled, after one of them has stopped', async () => {
    await foreign.create(ConfigMap, { ...body, data: { color: 'none' } });
    const [alpha, beta] = [await painter('alpha', apply), await painter('beta', apply)];
    await Promise.all([alpha.warned, beta.warned]);
    await alpha.controller.stop();
    const last = await foreign.patch(ConfigMap, a, { type: 'merge', body: { data: { x: 'y' } } });
    expect(last.data).toHaveProperty('x');
    await eventually(async () => (await foreign.get(ConfigMap, a)).data?.['color'] === 'beta');
    expect(beta.warnings.length).toBeLessThanOrEqual(1);
  });

  test('a stop of the controller ends the request that reads the managed fields', async () => {
    await foreign.create(ConfigMap, { ...body, data: { color: 'none' } });
    const { controller, warnings } = await painter('watcher', () => Promise.resolve());
    const { stats } = server;
    for (let writes = 0; stats.openWatches(ConfigMap) < 2; writes += 1) {
      expect(writes).toBeLessThan(1000);
      await patch(foreign, `color ${writes}`);
    }
    await controller.stop();
    // The watch of the controller lingers.
    await eventually(() => stats.openWatches(ConfigMap) === 1);
    expect(warnings).toEqual([]);
  });

  test('a stop of the controller does not wait for the request, and no warning follows', async () => {
    await foreign.create(ConfigMap, { ...body, data: { color: 'none' } });
    const { controller, warnings } = await painter('watcher', () => Promise.resolve());
    using _ = server.faults.hang({ resource: ConfigMap, verb: 'watch' });
    const before = server.stats.watches(ConfigMap);
    for (let writes = 0; writes < 30; writes += 1) await patch(foreign, `${writes}`);
    await eventually(() => server.stats.watches(ConfigMap) > before);
    await controller.stop();
    expect([warnings, server.stats.watches(ConfigMap)]).toEqual([[], before + 1]);
  });
});
