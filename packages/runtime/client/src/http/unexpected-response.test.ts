import { describe, expect, test } from '@jest/globals';
import { builtin, defineResource } from '@keelson/apimachinery';
import type { Client } from '../verbs/client.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import { json, rejection } from '../testing/recording-server.test-support.ts';

const name = { namespace: 'a', name: 'b' };
const object = { metadata: name };
const success = { kind: 'Status', apiVersion: 'v1', status: 'Success' };
const failure = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound' };
const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [] };

const list = (client: Client): Promise<unknown> => client.list(builtin.ConfigMap);
const streams: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  items: (client) => exhaust(client.items(builtin.ConfigMap)),
  'a lister-watcher': (client) => {
    const { signal } = new AbortController();
    return exhaust(client.listerWatcher({ resource: builtin.ConfigMap }).list({ signal }));
  },
};
const verbs: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  get: (client) => client.get(builtin.ConfigMap, name),
  create: (client) => client.create(builtin.ConfigMap, object),
  update: (client) => client.update(builtin.ConfigMap, object),
  patch: (client) => client.patch(builtin.ConfigMap, name, { type: 'merge', body: {} }),
  apply: (client) => client.apply(builtin.ConfigMap, object),
  status: (client) => client.status(builtin.Pod).get(name),
  discovery: (client) => client.discovery.version(),
};
const removals: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  delete: (client) => client.delete(builtin.ConfigMap, name),
  deleteCollection: (client) => client.deleteCollection(builtin.ConfigMap),
  eviction: (client) => client.subresource(builtin.Pod, 'eviction').create(name, {}),
};

const nothing = [null, [], 'text', 5, true];
const notLists = [
  {},
  table,
  success,
  failure,
  { metadata: { resourceVersion: '99' } },
  { kind: 'ConfigMap', metadata: {} },
  { kind: 'ConfigMap', metadata: {}, items: [] },
  { kind: 'Gateway', apiVersion: 'x/v1', metadata: { resourceVersion: '99' } },
  { kind: 'SecretList', apiVersion: 'v1', metadata: {} },
  { kind: 'SecretList', apiVersion: 'v1', metadata: {}, items: [{ metadata: name }] },
  { kind: 5, items: [] },
];
const wrongItems = [
  { kind: 'ConfigMapList', items: 'text' },
  { kind: 'ConfigMapList', items: {} },
  { kind: 'ConfigMapList', items: [null] },
  { kind: 'ConfigMapList', items: ['text'] },
];

async function exhaust(iterable: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of iterable);
}

async function outcome(run: (client: Client) => Promise<unknown>, body: unknown): Promise<Error> {
  await using setup = await openClient((_request, response) => json(response, body));
  const error = await rejection(run(setup.client));
  expect(setup.server.requests).toHaveLength(1);
  return error;
}

describe('UNEXPECTED_RESPONSE', () => {
  test.each([...nothing, ...notLists, ...wrongItems])('is thrown by list for %j', async (body) => {
    expect(await outcome(list, body)).toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      facts: { method: 'GET', path: '/api/v1/configmaps', contentType: 'application/json' },
    });
  });

  describe.each(Object.entries(streams))('by %s', (_name, run) => {
    test.each(notLists)('is thrown for %j', async (body) => {
      const code = Number.isInteger(Reflect.get(body, 'kind'))
        ? 'MALFORMED_LIST'
        : 'UNEXPECTED_RESPONSE';
      expect(await outcome(run, body)).toMatchObject({ code });
    });

    test.each([...nothing, ...wrongItems])(
      'is replaced by MALFORMED_LIST for %j, which is not the JSON of a list',
      async (body) => {
        expect(await outcome(run, body)).toMatchObject({ code: 'MALFORMED_LIST' });
      },
    );

    test('is thrown at the end of a list whose kind follows its items', async () => {
      const body = { items: [{ metadata: name }], kind: 'SecretList', apiVersion: 'v1' };
      expect(await outcome(run, body)).toMatchObject({
        code: 'UNEXPECTED_RESPONSE',
        facts: { kind: 'SecretList', path: '/api/v1/configmaps' },
      });
    });
  });

  test.each([{ kind: 'Secret' }, table, success])(
    'is thrown by a watch whose first object is %j',
    async (sent) => {
      const event = { type: 'ADDED', object: sent };
      const watch = (client: Client): Promise<unknown> => client.watch(builtin.ConfigMap).next();
      expect(await outcome(watch, event)).toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    },
  );

  test.each(
    Object.entries(verbs).flatMap(([verb, run]) =>
      [...nothing, table, success, failure].map((body) => [verb, body, run] as const),
    ),
  )('is thrown by %s for %j', async (_verb, body, run) => {
    expect(await outcome(run, body)).toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  });

  test.each(
    Object.entries(removals).flatMap(([verb, run]) =>
      [...nothing, table, failure].map((body) => [verb, body, run] as const),
    ),
  )('is thrown by %s for %j', async (_verb, body, run) => {
    expect(await outcome(run, body)).toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  });
});

describe('a valid response', () => {
  test.each(Object.entries(removals))(
    'the response to %s may be a Status of success',
    async (_verb, run) => {
      await using setup = await openClient((_request, response) => json(response, success));
      await run(setup.client);
    },
  );

  test.each([
    { kind: 'ConfigMapList', items: null },
    { kind: 'ConfigMapList', metadata: {} },
    { items: [] },
    { items: null },
    { kind: 'List', items: [] },
    { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', items: [] },
  ])('of list, items and a lister-watcher may be %j, which is an empty list', async (body) => {
    await using setup = await openClient((_request, response) => json(response, body));
    expect((await setup.client.list(builtin.ConfigMap)).items).toEqual([]);
    for (const run of Object.values(streams)) await run(setup.client);
  });

  test('of list may have the listKind of its definition, in the apiVersion of the resource', async () => {
    const scope = { group: 'example.com', version: 'v1' };
    const Widget = defineResource({ ...scope, kind: 'Widget', plural: 'widgets' });
    const read = (client: Client): Promise<unknown> => client.list(Widget);
    const stream = (client: Client): Promise<unknown> => client.items(Widget).next();
    const body = { kind: 'WidgetSet', apiVersion: 'example.com/v1', items: [] };
    await using setup = await openClient((_request, response) => json(response, body));
    for (const run of [read, stream]) {
      await run(setup.client);
      const other = { ...body, apiVersion: 'example.com/v2' };
      expect(await outcome(run, other)).toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    }
  });
});
