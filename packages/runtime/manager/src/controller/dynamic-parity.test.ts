import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { defineResource, type ApiResource } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import {
  crdOf,
  eventually,
  objectOf,
  running,
  silent,
  type WebApp,
} from '../testing/fixtures.test-support.ts';
import type { WatchOptions } from '../sources/source-options.ts';

/** Kinds, and objects of each kind. */
const N = 12;
const OBJECTS = 5;
/** A text that only the measured objects have. */
const MARK = 'parity-mark';

const kinds: readonly ApiResource<WebApp>[] = Array.from({ length: N }, (_, index) =>
  defineResource<WebApp>({
    group: 'parity.example.com',
    version: 'v1',
    kind: `Part${index}`,
    plural: `part${index}s`,
  }),
);

/** The work of a controller and its cache for the events of N watches. */
interface Work {
  lists: number;
  watches: number;
  predicates: number;
  mappers: number;
  reconciles: number;
  /** Bodies of objects that were parsed. */
  parses: number;
}

let server: ApiServer;
let writer: Client;

beforeEach(async () => {
  server = await createApiServer();
  writer = createClient({ cluster: server.cluster });
  server.seed(kinds.map((kind) => crdOf(kind)));
  await server.idle();
  for (let index = 0; index < OBJECTS; index += 1) {
    server.seed(kinds.map((kind) => part(kind, index)));
  }
});

afterEach(async () => {
  jest.restoreAllMocks();
  await writer.close();
  await server.close();
});

function part(kind: ApiResource<WebApp>, index: number): WebApp {
  return objectOf(kind, `part-${index}`, { spec: { image: MARK } });
}

function watchOf(resource: ApiResource<WebApp>, work: Work): WatchOptions<WebApp> {
  return {
    resource,
    predicates: [() => Boolean((work.predicates += 1))],
    map(object) {
      work.mappers += 1;
      // Reads the body, which is parsed at its first use. Each call leads to a run of its own.
      const { image } = object.value().spec ?? {};
      return [{ name: `${image}-${work.mappers}` }];
    },
  };
}

/** Counts the work of the watches, which are options of the controller or are added while it runs. */
async function workOf(isDynamic: boolean): Promise<Work> {
  const work: Work = {
    lists: 0,
    watches: 0,
    predicates: 0,
    mappers: 0,
    reconciles: 0,
    parses: 0,
  };
  await using client = createClient({
    cluster: server.cluster,
    observer: {
      requestStarted: ({ verb }) => {
        if (verb === 'list') work.lists += 1;
        if (verb === 'watch') work.watches += 1;
      },
    },
  });
  const manager: Manager = createManager({
    client,
    logger: silent,
    stopSignals: [],
    gracePeriod: 0,
  });
  const watches = kinds.map((kind) => watchOf(kind, work));
  countParses(work);
  const controller = manager.addController({
    name: 'parity',
    watches: isDynamic ? [] : watches,
    reconcile: () => void (work.reconciles += 1),
  });
  await running(manager);
  if (isDynamic) await Promise.all(watches.map((watch) => controller.watch(watch).synced));
  await eventually(() => work.reconciles === N * OBJECTS);
  await change();
  await eventually(() => work.reconciles === N * (OBJECTS + CHANGES + UPDATES));
  jest.restoreAllMocks();
  await manager.stop();
  return work;
}

/** Events of each kind in `change`. The mapper receives both states of an update. */
const CHANGES = 4;
const UPDATES = 2;

async function change(): Promise<void> {
  for (const kind of kinds) {
    await writer.create(kind, part(kind, OBJECTS));
    const name = { namespace: 'default', name: `part-${OBJECTS}` };
    for (const size of ['s', 'm']) {
      await writer.patch(kind, name, {
        type: 'merge',
        body: { metadata: { labels: { size } } },
      });
    }
    await writer.delete(kind, name);
  }
}

function countParses(work: Work): void {
  const parse = JSON.parse.bind(JSON);
  jest.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    if (text.includes(MARK)) work.parses += 1;
    return parse(text, reviver) as unknown;
  });
}

describe('a dynamic watch', () => {
  test('R1-28 N dynamic watches cause exactly the requests, calls and parses of N static ones', async () => {
    const ofStatic = await workOf(false);
    const ofDynamic = await workOf(true);
    const events = N * (OBJECTS + CHANGES);
    expect(ofStatic).toEqual({
      lists: 0,
      watches: N,
      predicates: events,
      mappers: events + N * UPDATES,
      reconciles: events + N * UPDATES,
      parses: expect.any(Number) as unknown,
    });
    expect(ofStatic.parses).toBeGreaterThanOrEqual(events);
    expect(ofDynamic).toEqual(ofStatic);
  });
});
