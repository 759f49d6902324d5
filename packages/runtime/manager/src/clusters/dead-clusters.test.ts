import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { createManager } from '../manager/controller-manager.ts';
import type { Controller } from '../controller/controller.ts';
import type { Manager } from '../manager/manager.ts';
import type { Reconcile } from '../reconcile/reconcile.ts';
import type { ClusterRequest } from '../reconcile/request.ts';
import { eventually, nothing, recordingLogger, running } from '../testing/fixtures.test-support.ts';

const { ConfigMap, Secret } = builtin;
const namespace = 'default';
const labelSelector = 'app=yes';
const labels = { app: 'yes' };
/** The changes in the healthy cluster during which the other one is dead. */
const CHANGES = 100;
/** The watches of the controller in each cluster. */
const WATCHES = 2;

/** A TCP server that a test makes dead: it accepts connections, and never responds or resets them. */
class DeadServer implements AsyncDisposable {
  /** The connections that were opened, and the most that were open at once. */
  opened = 0;
  most = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => {
    this.opened += 1;
    this.#sockets.add(socket);
    this.most = Math.max(this.most, this.#sockets.size);
    socket.on('error', nothing);
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.#resets) socket.resetAndDestroy();
    else socket.resume();
  });
  readonly #resets: boolean;

  constructor(resets: boolean) {
    this.#resets = resets;
  }

  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

let hub: ApiServer;
let healthy: ApiServer;
let client: Client;
let manager: Manager;
let lines: readonly Record<string, unknown>[];

beforeEach(async () => {
  [hub, healthy] = await Promise.all([createApiServer({}), createApiServer({})]);
  client = createClient({ cluster: healthy.cluster });
  const recording = recordingLogger();
  lines = recording.lines;
  manager = createManager({
    cluster: hub.cluster,
    logger: recording.logger,
    stopSignals: [],
    gracePeriod: 0,
  });
});

afterEach(async () => {
  await manager.stop();
  await client.close();
  await Promise.all([hub, healthy].map((server) => server.close()));
});

const patchOf = (count: number) =>
  ({ type: 'merge', body: { data: { count: `${count}` } } }) as const;

/** Adds a controller of the ConfigMaps and their Secrets in all clusters. */
function addController(concurrency: number, reconcile: Reconcile<ClusterRequest>): Controller {
  return manager.addController({
    name: 'apps',
    for: { resource: ConfigMap, labelSelector, clusters: 'all' },
    owns: [{ resource: Secret, labelSelector }],
    concurrency,
    reconcile,
  });
}

async function liveOf(cluster: string): Promise<number | undefined> {
  const metric = await manager.registry.getSingleMetric('keelson_cluster_live')?.get();
  return metric?.values.find((one) => one.labels['cluster'] === cluster)?.value;
}

describe('a dead cluster', () => {
  test.each([
    ['refuses connections', undefined],
    ['accepts them and never responds', false],
    ['resets them', true],
  ])('that %s costs a bounded number of sockets and log lines', async (_, resets) => {
    await using dead = new DeadServer(resets === true);
    const server = resets === undefined ? 'http://127.0.0.1:1' : await dead.listen();
    const added = manager.addCluster('dead', { server });
    manager.addCluster('healthy', healthy.cluster);
    const seen = new Set<string>();
    addController(2, (request, { cluster }) => {
      const app = cluster.cache.get(ConfigMap, request);
      seen.add(`${request.cluster} ${app?.data?.['count']}`);
    });
    await running(manager);
    await client.create(ConfigMap, { metadata: { namespace, name: 'app', labels } });
    for (let count = 0; count < CHANGES; count += 1) {
      await client.patch(ConfigMap, { namespace, name: 'app' }, patchOf(count));
      await eventually(() => seen.has(`healthy ${count}`));
    }
    await eventually(async () => (await liveOf('healthy')) === 1);
    expect(await liveOf('dead')).toBe(0);
    // One probe beside the watches.
    expect(dead.most).toBeLessThanOrEqual(WATCHES + 1);
    expect([...seen].every((one) => one.startsWith('healthy'))).toBe(true);
    const health = added.cache.inventory().map(({ health: { state } }) => state);
    expect(health).toHaveLength(WATCHES);
    expect(health).not.toContain('live');
    // One line for the state that each watch enters.
    const ofDead = lines.filter(({ cluster }) => cluster === 'dead');
    expect(ofDead.length).toBeLessThanOrEqual(WATCHES * 2);
  });

  test('that stops to respond keeps half of the workers, and the others run', async () => {
    const apps = Array.from({ length: 20 }, (_, at) => `app-${at}`);
    const members = { dying: await createApiServer({}), healthy };
    await using closing = new AsyncDisposableStack();
    closing.defer(() => members.dying.close());
    for (const [name, server] of Object.entries(members)) {
      manager.addCluster(name, server.cluster);
      const metadata = (app: string) => ({ namespace, name: app, labels });
      const objects = apps.map((app) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: metadata(app),
      }));
      server.seed(objects);
    }
    const hang = members.dying.faults.hang({ verb: 'patch' });
    const runs = { dying: 0, healthy: 0 };
    const most = { dying: 0, healthy: 0 };
    const ended: string[] = [];
    const controller = addController(4, async (request, { cluster, signal }) => {
      const name = request.cluster as keyof typeof runs;
      runs[name] += 1;
      most[name] = Math.max(most[name], runs[name]);
      try {
        await cluster.client.patch(ConfigMap, request, patchOf(1), { signal });
        ended.push(`${name} ${request.name}`);
      } finally {
        runs[name] -= 1;
      }
    });
    await running(manager);
    const of = (name: string): string[] => ended.filter((one) => one.startsWith(name));
    await eventually(() => new Set(of('healthy')).size === apps.length);
    expect(of('dying')).toEqual([]);
    // Half of the workers, now that the others are free.
    await eventually(() => most.dying === 2);
    const codesOf = (name: string): string[] =>
      manager
        .explain('apps', { cluster: 'dying', namespace, name })
        .obstacles.map(({ code }) => code);
    expect(apps.filter((name) => codesOf(name).includes('cluster-busy'))).toHaveLength(18);
    // The events of the patches have run too, although the dying cluster has its half by now.
    await eventually(() => controller.length === 18);
    expect(controller.explain().ready).toBe(18);
    expect(most.dying).toBe(2);
    // Half of more workers, although no run ends.
    await controller.reconfigure({ concurrency: 10 });
    await eventually(() => most.dying === 5);
    hang.end();
    await eventually(() => new Set(of('dying')).size === apps.length);
  });
});
