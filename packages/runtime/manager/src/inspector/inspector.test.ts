import { once } from 'node:events';
import { request as send, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import type { ControllerPage, RequestPage, SnapshotMessage, WatchPage } from '@keelson/inspector';
import { ownerReferenceTo } from '../index.ts';
import type { Controller } from '../controller/controller.ts';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import {
  eventually,
  objectOf,
  recordingLogger,
  running,
} from '../testing/fixtures.test-support.ts';
import { redacted } from './redaction.ts';

const { ConfigMap, Secret } = builtin;
const namespace = 'default';

let server: ApiServer;
let manager: Manager;
let lines: Record<string, unknown>[];

/** Starts an operator that creates a Secret for each ConfigMap, and fails for those whose name begins with `bad`. */
async function start(actions = false): Promise<Controller> {
  const recording = recordingLogger();
  lines = recording.lines;
  manager = createManager({
    // The Events of actions of a controller are about the Pod in this namespace.
    cluster: { ...server.cluster, namespace },
    logger: recording.logger,
    stopSignals: [],
    gracePeriod: 0,
    servers: { debug: { port: 0, actions } },
  });
  const controller = manager.addController({
    name: 'config',
    for: ConfigMap,
    owns: [Secret],
    backoff: { base: '1h' },
    async reconcile({ name }, { cache, client, events }) {
      const owner = cache.get(ConfigMap, { namespace, name });
      if (owner === undefined) return;
      if (name.startsWith('bad')) throw new Error('it is bad');
      events.record(owner, { reason: 'Made', action: 'Make', note: 'made its Secret' });
      const ownerReferences = [ownerReferenceTo(owner, { controller: true })];
      await client.apply(Secret, { metadata: { namespace, name, ownerReferences } });
    },
  });
  await running(manager);
  for (const name of ['good', 'bad']) {
    await manager.client.create(ConfigMap, objectOf(ConfigMap, name));
    await eventually(() => controller.explain({ namespace, name }).runs[0]?.duration !== undefined);
  }
  return controller;
}

beforeEach(async () => {
  server = await createApiServer({});
});

afterEach(async () => {
  try {
    await manager.stop();
  } finally {
    await server.close();
  }
});

async function requested(path: string, method = 'GET'): Promise<IncomingMessage> {
  const { ports, debugToken } = manager;
  const authorization = `Bearer ${debugToken}`;
  const options = { port: ports.debug, host: '127.0.0.1', agent: false, method };
  const sent = send({ ...options, path: `/debug/inspector${path}`, headers: { authorization } });
  const [response] = await once(sent.end(), 'response');
  return response as IncomingMessage;
}

async function textOf(path: string, method?: string): Promise<{ status: number; text: string }> {
  const response = await requested(path, method);
  const chunks = await response.toArray();
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
}

async function read<T>(path: string): Promise<T> {
  const { status, text } = await textOf(path);
  expect({ status, text }).toMatchObject({ status: 200 });
  return JSON.parse(text) as T;
}

/** Reads messages of a stream until one of them passes. */
async function messageWith<T>(path: string, passes: (message: T) => boolean): Promise<T> {
  const response = await requested(path);
  try {
    for await (const chunk of response) {
      const frames = String(chunk)
        .split('\n\n')
        .filter((frame) => frame.startsWith('data: '));
      const found = frames.map((frame) => JSON.parse(frame.slice(6)) as T).find(passes);
      if (found !== undefined) return found;
    }
  } finally {
    response.destroy();
  }
  throw new Error('the stream has ended');
}

const query = (facts: Record<string, string>): string =>
  `?${new URLSearchParams(facts).toString()}`;

describe('the data of the inspector', () => {
  test('has the controllers, the watches with their holders, and the process', async () => {
    await start();
    const acquire = () => manager.cache.acquire({ resource: ConfigMap }, { owner: 'other' });
    const others = [acquire(), acquire()];
    const snapshot = await read<SnapshotMessage>('/snapshot');
    for (const other of others) other.release();
    expect(snapshot.controllers.set).toEqual([
      expect.objectContaining({ id: 'config', state: 'running', isPaused: false, errors: 1 }),
    ]);
    const watch = snapshot.watches.set.find(({ resource }) => resource === 'v1/configmaps');
    expect(watch).toMatchObject({
      state: 'live',
      objects: 2,
      holders: ['config#1: for ConfigMap', 'other (2 handles)'],
    });
    const kind = snapshot.kinds.set.find(({ id }) => id === 'v1/configmaps');
    expect(kind).toMatchObject({ events: 2, lists: { initial: 1 } });
    expect(snapshot.process).toMatchObject({ hasActions: false, rssBytes: expect.any(Number) });
  });

  test('is named in the log at the start, without its token', async () => {
    await start();
    const { ports, debugToken = '' } = manager;
    const listening = lines.filter(({ message }) => message === 'listening');
    expect(listening).toEqual([
      expect.objectContaining({ server: 'debug', inspector: `http://127.0.0.1:${ports.debug}/` }),
    ]);
    expect(JSON.stringify(lines)).not.toContain(debugToken);
  });

  test('has the requests of a controller that fail or match a filter', async () => {
    await start();
    const all = await read<ControllerPage>(`/controller${query({ controller: 'config' })}`);
    expect(all).toMatchObject({ matches: 2, hasHistory: true });
    expect(all.slowest).toHaveLength(2);
    expect(all.failing).toEqual([
      expect.objectContaining({ request: 'default/bad', failures: 1, error: 'Error: it is bad' }),
    ]);
    const some = await read<ControllerPage>(
      `/controller${query({ controller: 'config', filter: 'goo' })}`,
    );
    expect(some.matching.map(({ request }) => request)).toEqual(['default/good']);
  });

  test('marks an event in the timeline that a later one superseded', async () => {
    const controller = await start();
    controller.pause();
    const decided = controller.explain({ namespace, name: 'good' }).events.length;
    for (const value of ['1', '2']) {
      const body = { data: { value } };
      await manager.client.patch(ConfigMap, { namespace, name: 'good' }, { type: 'merge', body });
    }
    const path = `/request${query({ controller: 'config', request: 'default/good' })}`;
    await eventually(async () => (await read<RequestPage>(path)).timeline.length > decided + 2);
    const { timeline } = await read<RequestPage>(path);
    const updates = timeline.filter(({ text }) => text.startsWith('for ConfigMap: updated'));
    expect(updates).toMatchObject([
      { type: 'event', text: expect.stringContaining('no run has begun since') },
      { type: 'superseded', text: expect.stringContaining('superseded by a later event') },
    ]);
  });

  test('has the history of a request, its object, its children and its events', async () => {
    await start();
    const path = `/request${query({ controller: 'config', request: 'default/good' })}`;
    await eventually(async () => (await read<RequestPage>(path)).events.length > 0);
    await eventually(async () => (await read<RequestPage>(path)).children.length > 0);
    const page = await read<RequestPage>(path);
    expect(page.object).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'good' } });
    expect(page.children).toEqual([{ kind: 'Secret', namespace, name: 'good' }]);
    expect(page.events).toEqual([
      expect.objectContaining({ reason: 'Made', note: 'made its Secret', type: 'Normal' }),
    ]);
    expect(page.timeline.map(({ type }) => type)).toEqual(expect.arrayContaining(['event', 'run']));
    const object = 'default/good (owns Secret)';
    expect(page.writers).toContainEqual(
      expect.objectContaining({ object, manager: 'config', operation: 'Apply' }),
    );
    const bad = await read<RequestPage>(
      `/request${query({ controller: 'config', request: 'default/bad' })}`,
    );
    expect(bad.timeline.find(({ isFailure }) => isFailure)?.text).toContain('it is bad');
    expect(bad.obstacles).toEqual([expect.stringContaining('(backing-off)')]);
  });

  test('has what is in memory of a request while the API server sends no list', async () => {
    await start();
    using hang = server.faults.hang({ verb: 'list' });
    const page = await read<RequestPage>(
      `/request${query({ controller: 'config', request: 'default/bad' })}`,
    );
    expect(page.obstacles).toEqual([expect.stringContaining('(backing-off)')]);
    expect(page.unread.map(({ part }) => part)).toEqual([
      'Events',
      'Last writers of default/bad (for ConfigMap)',
    ]);
    expect(hang.hits).toBe(2);
  });

  test('has the handles and the events of a watch, and a handle only while it is read', async () => {
    await start();
    const { watches } = await read<SnapshotMessage>('/snapshot');
    const { id = '' } = watches.set.find(({ resource }) => resource === 'v1/configmaps') ?? {};
    const page = await read<WatchPage>(`/watch${query({ id })}`);
    expect(page.handles).toEqual([
      expect.objectContaining({ owner: 'config#1: for ConfigMap', query: 'v1/configmaps' }),
    ]);
    const holds = (): boolean =>
      manager.cache
        .inventory()
        .some(({ handles }) => handles.some(({ owner }) => owner === 'inspector'));
    const stream = messageWith<{ events: { key: string; type: string }[] }>(
      `/watch/stream${query({ id })}`,
      () => true,
    );
    await eventually(holds);
    await manager.client.create(ConfigMap, objectOf(ConfigMap, 'new'));
    expect((await stream).events).toEqual([
      expect.objectContaining({ key: 'default/new', type: 'added' }),
    ]);
    await eventually(() => !holds());
  });

  test('refuses unknown controllers, watches and paths, and a request without its key', async () => {
    await start();
    const paths = ['/controller', '/request?controller=x&request=y', '/watch?id=x', '/other'];
    for (const path of paths) expect((await textOf(path)).status).toBe(404);
    expect((await textOf('/request?controller=config')).status).toBe(400);
    expect((await textOf('/action?do=Pause&controller=config', 'POST')).status).toBe(403);
    expect((await textOf('/snapshot', 'POST')).status).toBe(404);
  });

  test('bounds the streams, which end with the manager', async () => {
    await start();
    const streams: IncomingMessage[] = [];
    for (let index = 0; index < 16; index += 1) streams.push(await requested('/stream'));
    expect((await textOf('/stream')).status).toBe(503);
    const first = streams.shift();
    first?.destroy();
    await eventually(async () => {
      const response = await requested('/stream');
      streams.push(response);
      return response.statusCode === 200;
    });
    const ends = streams.map(async (stream) => stream.resume() && once(stream, 'end'));
    await manager.stop();
    await Promise.all(ends);
  });
});

describe('the actions of the inspector', () => {
  const act = (facts: Record<string, string>) => textOf(`/action${query(facts)}`, 'POST');
  const controller = 'config';

  test('run a request that waits for its retry, at each call', async () => {
    const bad = { namespace, name: 'bad' };
    const explained = await start(true);
    for (const runs of [2, 3, 4]) {
      await act({ do: 'Run', controller, request: 'default/bad' });
      await eventually(() => explained.explain(bad).runs.length === runs);
      await eventually(() => explained.explain(bad).state === 'waiting');
    }
    expect(explained.explain(bad).runs.map(({ attempt }) => attempt)).toEqual([2, 2, 2, 1]);
  });

  test('run, pause and resume, limit and change the log level; each is logged and an Event', async () => {
    await start(true);
    const request = 'default/good';
    const path = `/request${query({ controller, request })}`;
    const before = (await read<RequestPage>(path)).timeline.length;
    expect(await act({ do: 'Run', controller, request })).toMatchObject({ status: 200 });
    await eventually(async () => (await read<RequestPage>(path)).timeline.length > before);
    await act({ do: 'Pause', controller, request });
    expect((await read<RequestPage>(path)).isPaused).toBe(true);
    await act({ do: 'Resume', controller, request });
    await act({ do: 'Pause', controller });
    await act({ do: 'SetConcurrency', controller, value: '7' });
    await act({ do: 'SetLogLevel', controller, value: 'error' });
    const { controllers } = await read<SnapshotMessage>('/snapshot');
    expect(controllers.set).toEqual([
      expect.objectContaining({ isPaused: true, concurrency: 7, logLevel: 'error' }),
    ]);
    const logged = lines.filter(({ message }) => message === 'action of the inspector');
    expect(logged.map(({ action }) => action)).toEqual([
      'Run',
      'Pause',
      'Resume',
      'Pause',
      'SetConcurrency',
      'SetLogLevel',
    ]);
    await eventually(async () => {
      const { items } = await manager.client.list(builtin.Event, { namespace });
      return new Set(items.map(({ action }) => action)).has('SetLogLevel');
    });
  });

  test('pause at most 1000 requests, whose keys a reader chooses', async () => {
    const paused = await start(true);
    for (let index = 0; index < 1000; index += 1) paused.pause({ namespace, name: `a${index}` });
    const refused = await act({ do: 'Pause', controller, request: 'default/good' });
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('limit=1000') });
    expect(await act({ do: 'Pause', controller, request: 'default/a0' })).toMatchObject({
      status: 200,
    });
    paused.resume({ namespace, name: 'a0' });
    expect(await act({ do: 'Pause', controller, request: 'default/good' })).toMatchObject({
      status: 200,
    });
  });

  test.each([
    [{ do: 'Explode', controller: 'config' }, 'do'],
    [{ do: 'Run', controller: 'config' }, 'request'],
    [{ do: 'SetConcurrency', controller: 'config', value: 'many' }, 'concurrency'],
    [{ do: 'SetLogLevel', controller: 'config', value: 'loud' }, 'logLevel'],
    [{ do: 'Pause', controller: 'other' }, 'controller'],
    [{ do: 'Pause', controller: 'config', request: '' }, 'request'],
  ])('refuse %j', async (facts, named) => {
    await start(true);
    const { status, text } = await act(facts);
    expect(status).toBe(400);
    expect(text).toContain(named);
  });
});

describe('the request of a further cluster', () => {
  test('has its object, and an action queues it', async () => {
    const fleet = await createApiServer({});
    try {
      await using writer = createClient({ cluster: fleet.cluster });
      await writer.create(ConfigMap, objectOf(ConfigMap, 'good'));
      manager = createManager({
        cluster: { ...server.cluster, namespace },
        logger: recordingLogger().logger,
        stopSignals: [],
        gracePeriod: 0,
        servers: { debug: { port: 0, actions: true } },
      });
      manager.addCluster('west', fleet.cluster);
      let runs = 0;
      manager.addController({
        name: 'config',
        for: { resource: ConfigMap, clusters: 'all' },
        reconcile: () => void (runs += 1),
      });
      await running(manager);
      await eventually(() => runs === 1);
      const { matching } = await read<ControllerPage>(
        `/controller${query({ controller: 'config', filter: 'good' })}`,
      );
      const facts = { controller: 'config', request: matching[0]?.request ?? '' };
      const page = await read<RequestPage>(`/request${query(facts)}`);
      expect(page.object).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'good' } });
      const ran = await textOf(`/action${query({ do: 'Run', ...facts })}`, 'POST');
      expect(ran.status).toBe(200);
      await eventually(() => runs === 2);
    } finally {
      await manager.stop();
      await fleet.close();
    }
  });
});

describe('the stream of a watch', () => {
  test('ends with a last message when its cluster is removed', async () => {
    const fleet = await createApiServer({});
    try {
      manager = createManager({
        cluster: server.cluster,
        logger: recordingLogger().logger,
        stopSignals: [],
        gracePeriod: 0,
        servers: { debug: 0 },
      });
      const west = manager.addCluster('west', fleet.cluster);
      manager.addController({
        name: 'config',
        for: { resource: ConfigMap, clusters: 'all' },
        reconcile: () => undefined,
      });
      await running(manager);
      const { watches } = await read<SnapshotMessage>('/snapshot');
      const { id = '' } = watches.set.find(({ cluster }) => cluster === 'west') ?? {};
      const stream = await requested(`/watch/stream${query({ id })}`);
      const chunks = stream.toArray();
      await west.remove();
      const frames = Buffer.concat(await chunks)
        .toString()
        .split('\n\n');
      expect(frames.filter((frame) => frame !== ':' && frame !== '')).toEqual([
        `data: ${JSON.stringify({ events: [], left: 0, ended: 'the watch was stopped' })}`,
      ]);
      expect((await textOf(`/watch${query({ id })}`)).status).toBe(404);
    } finally {
      await manager.stop();
      await fleet.close();
    }
  });
});

test('an action runs no request of an own type, whose key lacks its members', async () => {
  await start(true);
  const seen: unknown[] = [];
  manager.addController<never, undefined, { zone: string; name: string }>({
    name: 'zones',
    keyOf: ({ name }) => name,
    reconcile: (request) => void seen.push(request),
  });
  const response = await textOf(
    `/action${query({ do: 'Run', controller: 'zones', request: 'a' })}`,
    'POST',
  );
  expect(response).toMatchObject({ status: 400, text: expect.stringContaining('keyOf') });
  expect(seen).toEqual([]);
});

describe('an object for people', () => {
  const value = 'opensesame';
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': value, other: 'kept' };

  test('is a Secret without its values, also if it does not name its kind', () => {
    const secret = {
      metadata: { name: 'a', annotations, managedFields: [] },
      data: { password: value },
      stringData: { password: value },
      type: 'Opaque',
    };
    expect(redacted(secret as never, 'Secret')).toEqual({
      metadata: { name: 'a', annotations: { other: 'kept' } },
      data: { password: 'redacted' },
      stringData: { password: 'redacted' },
      type: 'Opaque',
    });
    expect(JSON.stringify(redacted({ ...secret, kind: 'Secret' }, 'Other'))).not.toContain(value);
    expect(redacted({ kind: 'Secret', data: value } as never, 'Secret')['data']).toBe('redacted');
  });

  test('of another kind has no copy of it in an annotation', () => {
    const map = { metadata: { name: 'a', annotations }, data: { a: '1' } };
    expect(redacted(map as never, 'ConfigMap')).toEqual({
      metadata: { name: 'a', annotations: { other: 'kept' } },
      data: { a: '1' },
    });
  });
});
