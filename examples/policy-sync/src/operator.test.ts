import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiServer } from '@keelson/apiserver';
import { definitionOf, startExample, until, type StartedExample } from '@keelson/example-support';
import {
  builtin,
  createLogger,
  defineResource,
  type ApiResource,
  type Client,
  type Manager,
} from '@keelson/manager';
import { definitions } from './custom-resource-definitions.ts';
import { constraintsOf, PolicyTemplate, SyncConfig, type Constraint } from './custom-resources.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';
import { Violations } from './violations.ts';

// A new context has `gc` although the test process has not.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const namespace = 'default';
const { ConfigMap, CustomResourceDefinition, Secret, ServiceAccount } = builtin;
const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
const secrets = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets' };
const accounts = { group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts' };

/** Counts the kinds whose data was deleted. */
class CountedViolations extends Violations {
  readonly wiped: string[] = [];

  override wipe(kind: string): void {
    this.wiped.push(kind);
    super.wipe(kind);
  }
}

describe('policy-sync', () => {
  let example: StartedExample;
  let server: ApiServer;
  let client: Client;
  let manager: Manager;
  let violations: CountedViolations;

  beforeEach(async () => {
    violations = new CountedViolations();
    example = await startExample({
      definitions,
      createOperator: (options) => createOperator({ ...options, cache: { linger: 0 } }, violations),
    });
    ({ client, server, operator: manager } = example);
  });

  afterEach(async () => {
    await example[Symbol.asyncDispose]();
  });

  const define = async (name: string): Promise<ApiResource<Constraint>> => {
    const spec = { kind: `Kind${name}`, plural: `kind${name}s`, requires: 'labels' } as const;
    const template = await client.create(PolicyTemplate, { metadata: { name }, spec });
    const kind = constraintsOf(template);
    await until(
      client,
      CustomResourceDefinition,
      { name: `${kind.plural}.${kind.group}` },
      (found) => {
        const conditions = found?.status?.conditions ?? [];
        return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
      },
    );
    return kind;
  };
  const undefine = async (name: string, kind: ApiResource): Promise<void> => {
    await client.delete(PolicyTemplate, { name });
    await until(
      client,
      CustomResourceDefinition,
      { name: `${kind.plural}.${kind.group}` },
      (found) => found === undefined,
    );
  };
  const constrain = (
    kind: ApiResource<Constraint>,
    name: string,
    ...match: string[]
  ): Promise<Constraint> =>
    client.create(kind, { metadata: { name }, spec: { match, keys: ['owner'] } });
  const sync = async (...kinds: (typeof secrets)[]): Promise<void> => {
    await client.apply(SyncConfig, { metadata: { name: 'config' }, spec: { kinds } });
  };
  const untilViolations = (
    kind: ApiResource<Constraint>,
    name: string,
    ...objects: string[]
  ): Promise<unknown> =>
    until(client, kind, { name }, ({ status } = {} as never) => {
      return status?.violations !== undefined && String(status.objects) === String(objects);
    });
  const create = (resource: typeof ConfigMap | typeof Secret, name: string): Promise<unknown> =>
    client.create(resource, { metadata: { namespace, name } });

  test('R1-06, R1-27 one controller serves the constraints of every kind, also those that exist already', async () => {
    await create(Secret, 'plain');
    const [one, two] = [await define('one'), await define('two')];
    await constrain(one, 'same', 'secrets');
    await constrain(two, 'same', 'secrets');
    await sync(secrets);
    await untilViolations(one, 'same', 'secrets default/plain');
    await untilViolations(two, 'same', 'secrets default/plain');
    const owners = manager.cache
      .inventory()
      .flatMap(({ handles }) => handles.map(({ owner }) => owner));
    expect(new Set(owners.map((owner) => owner.split('#')[0]))).toEqual(
      new Set(['constraints', 'sync', 'templates']),
    );
  });

  test('R1-11 a template and its constraints are deleted in either order, without a watch that is left', async () => {
    await create(Secret, 'plain');
    await sync(secrets);
    const parentFirst = await define('parent');
    await constrain(parentFirst, 'a', 'secrets');
    await untilViolations(parentFirst, 'a', 'secrets default/plain');
    await undefine('parent', parentFirst);
    await server.unwatched(parentFirst);
    const childFirst = await define('child');
    await constrain(childFirst, 'b', 'secrets');
    await untilViolations(childFirst, 'b', 'secrets default/plain');
    await client.delete(childFirst, { name: 'b' });
    await undefine('child', childFirst);
    await server.unwatched(childFirst);
    const kinds = manager.cache.inventory().map(({ query }) => query.resource.kind);
    expect(kinds.toSorted()).toEqual(['PolicyTemplate', 'Secret', 'SyncConfig']);
  });

  test('R1-17, R1-25 a replaced set ends one watch, begins one, and keeps one with its data', async () => {
    const kind = await define('one');
    await constrain(kind, 'all', 'configmaps', 'secrets', 'serviceaccounts');
    await create(Secret, 'plain');
    await create(ConfigMap, 'plain');
    await sync(configMaps, secrets);
    await untilViolations(kind, 'all', 'configmaps default/plain', 'secrets default/plain');
    const kept = requests(server, ConfigMap);
    const seen = new Set<string>();
    const look = setInterval(() => seen.add([...violations.kinds.keys()].join(' ')), 0);
    await client.create(ServiceAccount, { metadata: { namespace, name: 'plain' } });
    await sync(configMaps, accounts);
    await untilViolations(kind, 'all', 'configmaps default/plain', 'serviceaccounts default/plain');
    clearInterval(look);
    await server.unwatched(Secret);
    expect(violations.wiped).toEqual(['secrets']);
    expect([...seen].filter((kinds) => kinds !== '')).toEqual([
      'configmaps secrets',
      'configmaps serviceaccounts',
    ]);
    expect(requests(server, ConfigMap)).toBe(kept);
  });

  test('R1-17 an operator that starts again writes no report that lacks the objects of a kind', async () => {
    const kind = await define('one');
    await constrain(kind, 'all', 'configmaps', 'secrets');
    await create(ConfigMap, 'plain');
    await create(Secret, 'plain');
    await sync(configMaps, secrets);
    await untilViolations(kind, 'all', 'configmaps default/plain', 'secrets default/plain');
    await manager.stop();
    const { resourceVersion } = (await client.get(kind, { name: 'all' })).metadata;
    await create(Secret, 'second');
    const logger = createLogger({ level: 'silent' });
    const next = createOperator({ cluster: { server: server.url }, logger, stopSignals: [] });
    const running = next.start();
    const reports: unknown[] = [];
    for await (const { type, object } of client.watch(kind, { resourceVersion })) {
      if (type !== 'MODIFIED') continue;
      reports.push(object.status?.objects?.length);
      if (reports.at(-1) === 3) break;
    }
    await next.stop();
    await running;
    expect(reports).toEqual([3]);
  });

  test('R1-17 a kind that the server does not serve does not delay a report', async () => {
    const kind = await define('one');
    await constrain(kind, 'all', 'configmaps', 'gadgets.nowhere.dev');
    await create(ConfigMap, 'plain');
    await sync(configMaps, {
      group: 'nowhere.dev',
      version: 'v1',
      kind: 'Gadget',
      plural: 'gadgets',
    });
    await untilViolations(kind, 'all', 'configmaps default/plain');
  });

  test('a constraint has a report of no objects without a SyncConfig', async () => {
    const kind = await define('one');
    await constrain(kind, 'all', 'secrets');
    await untilViolations(kind, 'all');
  });

  test('R1-08 a controller of the same kind is not disturbed when the kind is no longer checked', async () => {
    const names: string[] = [];
    manager.addController({
      name: 'static',
      for: Secret,
      reconcile: ({ name }) => void names.push(name),
    });
    const kind = await define('one');
    await constrain(kind, 'all', 'secrets');
    await sync(secrets);
    await create(Secret, 'one');
    await untilViolations(kind, 'all', 'secrets default/one');
    const before = requests(server, Secret);
    await sync();
    await untilViolations(kind, 'all');
    await create(Secret, 'two');
    await until(client, kind, { name: 'all' }, () => names.includes('two'));
    expect(requests(server, Secret)).toBe(before);
  });

  test('R1-26, R1-30 data of a removed kind is deleted once, and not by a later watch of the kind', async () => {
    const kind = await define('one');
    await constrain(kind, 'all', 'secrets');
    await create(Secret, 'plain');
    for (let round = 1; round <= 3; round += 1) {
      await sync(secrets);
      await untilViolations(kind, 'all', 'secrets default/plain');
      await sync();
      await untilViolations(kind, 'all');
      expect(violations.wiped).toHaveLength(round);
      expect(violations.stored()).toEqual([]);
    }
    const secret = await client.get(Secret, { namespace, name: 'plain' });
    expect(secret.metadata.finalizers).toBeUndefined();
  });

  describe('with 13 kinds, 500 in .ci/run --all,', () => {
    const total = Math.ceil(50 * multiple);
    const kinds = Array.from({ length: total + 1 }, (_, index) => {
      const [kind, plural] = [`Many${index}`, `many${index}`];
      return { group: 'many.keelson.dev', version: 'v1', kind, plural };
    });

    beforeEach(async () => {
      const anything = { type: 'object' };
      const content = { columns: {}, spec: anything, status: anything };
      const all = kinds.map((kind) => definitionOf(defineResource(kind), content));
      await Promise.all(all.map((one) => client.create(CustomResourceDefinition, one)));
    });

    test('R1-12, R1-01 all are checked, and one more sends no request for them', async () => {
      const first = kinds.slice(0, total);
      const requestsOfAll = (): number =>
        first.reduce((sum, kind) => sum + requests(server, defineResource(kind)), 0);
      await sync(...first);
      await untilLive(manager, total);
      const before = requestsOfAll();
      await sync(...kinds);
      await untilLive(manager, total + 1);
      expect(requestsOfAll()).toBe(before);
    });

    test('RC25 they are added and removed in random order, and the end leaves no watch, socket and memory', async () => {
      const random = seeded(25);
      // The first round allocates what later ones use again.
      await sync(...kinds);
      await untilLive(manager, total + 1);
      await sync();
      await untilLive(manager, 0);
      const [sockets, heap] = [await openSockets(), liveHeap()];
      for (let round = 0; round < 6; round += 1) {
        const some = kinds.filter(() => random() < 0.5);
        await sync(...some.toSorted(() => random() - 0.5));
        await untilLive(manager, some.length);
      }
      await sync();
      await untilLive(manager, 0);
      await Promise.all(kinds.map((kind) => server.unwatched(defineResource(kind))));
      expect(await openSockets()).toBeLessThanOrEqual(sockets);
      // Each of the six rounds ends the watch of half of the kinds; one that is left costs about 100 KB.
      expect(liveHeap() - heap).toBeLessThan(2e6 + 12e3 * total);
    });
  });

  test('the tour prints every step', async () => {
    const lines: string[] = [];
    await tour(client, (line) => lines.push(line));
    expect(lines).toHaveLength(5);
  });
});

/** Resolves when exactly this many of the many kinds are watched, and all of them are live. */
async function untilLive({ cache }: Manager, count: number): Promise<void> {
  const isReached = (): boolean => {
    const many = cache
      .inventory()
      .filter(({ query }) => query.resource.group === 'many.keelson.dev');
    return many.length === count && many.every(({ health }) => health.state === 'live');
  };
  while (!isReached()) await turn();
}

/** The number of sockets when those that nothing uses have closed. */
async function openSockets(): Promise<number> {
  const count = (): number =>
    process.getActiveResourcesInfo().filter((type) => type === 'TCPSocketWrap').length;
  let [before, quiet] = [count(), 0];
  while (quiet < 500) {
    await turn();
    const now = count();
    quiet = now === before ? quiet + 1 : 0;
    before = now;
  }
  return before;
}

/** The bytes of the heap after a garbage collection. */
function liveHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

function requests({ stats }: ApiServer, kind: ApiResource): number {
  return stats.requests({ resource: kind, verb: ['list', 'watch'] });
}
