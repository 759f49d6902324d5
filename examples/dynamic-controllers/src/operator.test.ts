import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiServer } from '@keelson/apiserver';
import {
  definitionOf,
  install,
  startExample,
  until,
  type StartedExample,
} from '@keelson/example-support';
import {
  builtin,
  createLogger,
  defineResource,
  findCondition,
  type ApiResource,
  type Client,
  type Condition,
  type KubernetesObject,
  type Manager,
  type ManagerOptions,
} from '@keelson/manager';
import { recipeDefinition } from './custom-resource-definition.ts';
import { Recipe, type KindName } from './custom-resource.ts';
import { Engine } from './engine.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const namespace = 'default';
const { ConfigMap, Secret, Service, ServiceAccount } = builtin;
const secrets = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets' };
const services = { group: '', version: 'v1', kind: 'Service', plural: 'services' };

describe('dynamic-controllers', () => {
  let example: StartedExample;
  let server: ApiServer;
  let client: Client;
  let manager: Manager;

  beforeEach(async () => {
    example = await startExample({
      definitions: [recipeDefinition],
      createOperator: (options: ManagerOptions) =>
        createOperator({ ...options, cache: { linger: 0 } }),
    });
    ({ client, server, operator: manager } = example);
  });

  afterEach(async () => {
    await example[Symbol.asyncDispose]();
  });

  const create = (name: string, kind: KindName, rest: object = {}): Promise<Recipe> =>
    client.create(Recipe, {
      metadata: { name },
      spec: { for: kind, data: { from: name }, ...rest },
    });
  const patch = (name: string, spec: object): Promise<Recipe> =>
    client.patch(Recipe, { name }, { type: 'merge', body: { spec } });
  const untilMade = (name: string, entries: object): Promise<unknown> =>
    until(client, ConfigMap, { namespace, name }, (found) => {
      return Object.entries(entries).every(([key, value]) => found?.data?.[key] === value);
    });
  const untilLoaded = async (name: string, reason: string): Promise<Condition | undefined> => {
    const isReached = (recipe?: Recipe): boolean => {
      return findCondition(recipe?.status?.conditions, 'Loaded')?.reason === reason;
    };
    const recipe = await until(client, Recipe, { name }, isReached);
    return findCondition(recipe?.status?.conditions, 'Loaded');
  };
  const createSecret = (name: string): Promise<unknown> =>
    client.create(Secret, { metadata: { namespace, name } });

  test.each<[string, string, object]>([
    ['a name with a dot', 'a.b', {}],
    ['a name of 64 characters', 'a'.repeat(64), {}],
    ['an invalid kind', 'a', { for: { ...secrets, kind: 'x y' } }],
    ['an invalid plural', 'a', { for: { ...secrets, plural: 'Q Q' } }],
    ['a dependency twice', 'a', { with: [services, services] }],
  ])('the server refuses a Recipe with %s', async (_, name, spec) => {
    await expect(create(name, secrets, spec)).rejects.toMatchObject({ statusCode: 422 });
  });

  test('R0-27 two Recipes never make the same ConfigMap', async () => {
    await createSecret('b.c');
    await createSecret('c');
    await create('a', secrets);
    await create('a-b', secrets);
    await untilMade('a.b.c', { from: 'a' });
    await untilMade('a-b.c', { from: 'a-b' });
  });

  test('R0-27 a Recipe loads a controller, and its deletion unloads it', async () => {
    await createSecret('one');
    await create('copy', secrets);
    await untilMade('copy.one', { from: 'copy' });
    await client.delete(Recipe, { name: 'copy' });
    await server.unwatched(Secret);
    await createSecret('two');
    await create('other', services);
    await untilLoaded('other', 'Live');
    const made = await client.list(ConfigMap, { namespace });
    const names = made.items.map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.startsWith('copy'))).toEqual(['copy.one']);
  });

  test('R0-27 a pause unloads the controller, and its end loads it again', async () => {
    await create('copy', secrets);
    await untilLoaded('copy', 'Live');
    await patch('copy', { paused: true });
    await untilLoaded('copy', 'Unloaded');
    await server.unwatched(Secret);
    await createSecret('one');
    await patch('copy', { paused: false });
    await untilMade('copy.one', { from: 'copy' });
  });

  test('R1-01, R1-17 a change of the dependencies sends no request for what stays', async () => {
    await create('copy', secrets, { with: [services] });
    await untilLoaded('copy', 'Live');
    await createSecret('one');
    await untilMade('copy.one', { 'with.services': 'absent' });
    const before = counts(server, Secret);
    const endpoints = { group: '', version: 'v1', kind: 'Endpoints', plural: 'endpoints' };
    await patch('copy', { with: [endpoints], data: { from: 'another' } });
    await untilMade('copy.one', { from: 'another', 'with.endpoints': 'absent' });
    await server.unwatched(Service);
    expect(counts(server, Secret)).toEqual(before);
  });

  test('R1-17 an operator that starts again reports no dependency as absent before it has synced', async () => {
    const accounts = {
      group: '',
      version: 'v1',
      kind: 'ServiceAccount',
      plural: 'serviceaccounts',
    };
    await createSecret('one');
    await client.create(ServiceAccount, { metadata: { namespace, name: 'one' } });
    await create('copy', secrets, { with: [accounts] });
    await untilMade('copy.one', { 'with.serviceaccounts': 'present' });
    await manager.stop();
    const { metadata } = await client.get(ConfigMap, { namespace, name: 'copy.one' });
    await patch('copy', { data: { from: 'another start' } });
    const logger = createLogger({ level: 'silent' });
    const next = createOperator({ cluster: { server: server.url }, logger, stopSignals: [] });
    const running = next.start();
    const written: unknown[] = [];
    const { resourceVersion } = metadata;
    for await (const { type, object } of client.watch(ConfigMap, { namespace, resourceVersion })) {
      if (type !== 'MODIFIED') continue;
      written.push(object.data?.['with.serviceaccounts']);
      if (written.at(-1) === 'present') break;
    }
    await next.stop();
    await running;
    expect(written).toEqual(['present']);
  });

  test('R1-03, R1-08 other controllers of the same kind do not notice a load and an unload', async () => {
    await create('kept', secrets);
    await createSecret('one');
    await untilMade('kept.one', { from: 'kept' });
    const { lists, watches } = counts(server, Secret);
    await create('brief', secrets);
    await untilMade('brief.one', { from: 'brief' });
    await client.delete(Recipe, { name: 'brief' });
    await until(client, Recipe, { name: 'brief' }, (found) => found === undefined);
    await createSecret('two');
    await untilMade('kept.two', { from: 'kept' });
    expect(counts(server, Secret)).toEqual({ lists, watches });
  });

  test('R2-09 a forbidden kind is explained by the permission that is missing, and granted later', async () => {
    const fault = server.faults.forbid({ resource: Secret });
    await create('copy', secrets);
    const { message } = (await untilLoaded('copy', 'Forbidden')) ?? {};
    expect(message).toMatch(/cannot (list|watch) resource "secrets"/);
    await create('other', services);
    await untilLoaded('other', 'Live');
    expect(isReady(manager)).toBe(true);
    fault.end();
    await untilLoaded('copy', 'Live');
  });

  test('R1-11 a kind that is served later is watched then, and others do not wait for it', async () => {
    const kind = { group: 'later.keelson.dev', version: 'v1', kind: 'Later', plural: 'laters' };
    await create('late', kind, { with: [secrets] });
    await create('other', services);
    await untilLoaded('late', 'KindNotServed');
    await untilLoaded('other', 'Live');
    const Later = defineResource(kind);
    const anything = { type: 'object' };
    const definition = definitionOf(Later, { columns: {}, spec: anything, status: anything });
    await install(client, [definition]);
    await client.create(Later, {
      metadata: { namespace, name: 'one' },
      spec: {},
    } as KubernetesObject);
    await untilMade('late.one', { from: 'late', 'with.secrets': 'absent' });
    await createSecret('one');
    await untilMade('late.one', { 'with.secrets': 'present' });
  });

  test('R1-02 loads and unloads, 1 000 in .ci/run, leave no watch, handle, metric series, socket and timer', async () => {
    await createSecret('one');
    const engine = new Engine(manager);
    const recipe = await create('copy', secrets, { with: [services], paused: true });
    await untilLoaded('copy', 'Unloaded');
    const stored = await client.get(Recipe, { name: 'copy' });
    const round = async (): Promise<void> => {
      await engine.load(stored);
      await engine.unload(recipe.metadata?.name ?? '');
      await turn();
    };
    await round();
    const [before, sockets] = [await remains(manager), resources('TCPSocketWrap')];
    for (let count = 1; count < 100 * multiple; count += 1) await round();
    expect(await remains(manager)).toEqual(before);
    // The requests that the last rounds began end with their sockets.
    while (resources('TCPSocketWrap') > sockets) await turn();
  });

  test('the tour prints every step', async () => {
    const lines: string[] = [];
    await tour(client, (line) => lines.push(line));
    expect(lines).toHaveLength(6);
  });
});

function counts({ stats }: ApiServer, kind: ApiResource): { lists: number; watches: number } {
  return { lists: stats.lists(kind), watches: stats.watches(kind) };
}

/** True if no required watch of the manager is missing. */
function isReady({ cache }: Manager): boolean {
  return cache
    .inventory()
    .every(
      ({ health, handles }) => health.state === 'live' || handles.every((one) => !one.required),
    );
}

/** The things that a controller could leave behind. */
async function remains({ cache, registry }: Manager): Promise<object> {
  const metrics = await registry.getMetricsAsJSON();
  // Some depend on the machine: a block of the event loop adds series, and so does the first request that an unload aborts.
  const ofMachine = /^(?:keelson_event_loop|rest_client_requests_total)/;
  const ofControllers = metrics.filter(({ name }) => !ofMachine.test(name));
  return {
    handles: cache.inventory().map(({ identity, handles }) => [identity, handles]),
    series: ofControllers.map(({ name, values }) => [name, values.length]),
    timers: resources('Timeout'),
  };
}

/** The number of open resources of a type in this process. */
function resources(type: string): number {
  return process.getActiveResourcesInfo().filter((one) => one === type).length;
}

/** Resolves in the next turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
