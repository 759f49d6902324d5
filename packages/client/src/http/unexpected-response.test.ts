import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { Client } from '../verbs/client.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import { json, rejection } from '../testing/recording-server.test-support.ts';

const name = { namespace: 'a', name: 'b' };
const object = { metadata: name };
const success = { kind: 'Status', apiVersion: 'v1', status: 'Success' };
const failure = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound' };
const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [] };

const list = (client: Client): Promise<unknown> => client.list(builtin.ConfigMap);
const items = (client: Client): Promise<unknown> => client.items(builtin.ConfigMap).next();
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
const neitherListNorEmpty = [
  ...nothing,
  {},
  table,
  success,
  failure,
  { kind: 'ConfigMap', metadata: {} },
  { kind: 'ConfigMapList', items: 'text' },
  { kind: 'ConfigMapList', items: {} },
  { kind: 'ConfigMapList', items: [null] },
  { kind: 'ConfigMapList', items: ['text'] },
];

async function outcome(run: (client: Client) => Promise<unknown>, body: unknown): Promise<Error> {
  await using setup = await openClient((_request, response) => json(response, body));
  const error = await rejection(run(setup.client));
  expect(setup.server.requests).toHaveLength(1);
  return error;
}

describe('UNEXPECTED_RESPONSE', () => {
  test.each(neitherListNorEmpty)('is thrown by list for %j', async (body) => {
    expect(await outcome(list, body)).toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      facts: { method: 'GET', path: '/api/v1/configmaps', contentType: 'application/json' },
    });
  });

  test.each([table, success, failure, {}])('is thrown by items for %j', async (body) => {
    expect(await outcome(items, body)).toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  });

  test.each(nothing)(
    'is replaced by MALFORMED_LIST in items for %j, which is not an object',
    async (body) => {
      expect(await outcome(items, body)).toMatchObject({ code: 'MALFORMED_LIST' });
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
  test.each(Object.entries(removals))('of %s may be a Status of success', async (_verb, run) => {
    await using setup = await openClient((_request, response) => json(response, success));
    await run(setup.client);
  });

  test.each([
    { kind: 'ConfigMapList', items: null },
    { kind: 'ConfigMapList', metadata: {} },
    { items: [] },
    { items: null },
  ])('of list may be %j, which is an empty list', async (body) => {
    await using setup = await openClient((_request, response) => json(response, body));
    expect((await setup.client.list(builtin.ConfigMap)).items).toEqual([]);
  });
});
