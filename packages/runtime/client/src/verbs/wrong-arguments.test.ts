import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { Client } from './client.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import { json, rejection } from '../testing/recording-server.test-support.ts';

const name = { namespace: 'a', name: 'b' };

type Call = (client: Client, given: never) => Promise<unknown>;

/** Calls, grouped by the argument that the test passes. */
const callsByArgument: Readonly<Record<string, Readonly<Record<string, Call>>>> = {
  name: {
    get: async (client, given) => client.get(builtin.ConfigMap, given),
    patch: async (client, given) =>
      client.patch(builtin.ConfigMap, given, { type: 'merge', body: {} }),
    delete: async (client, given) => client.delete(builtin.ConfigMap, given),
    'status.get': async (client, given) => client.status(builtin.Pod).get(given),
    'subresource.create': async (client, given) =>
      client.subresource(builtin.Pod, 'eviction').create(given, {}),
  },
  resource: {
    get: async (client, given) => client.get(given, name),
    list: async (client, given) => client.list(given),
    items: async (client, given) => client.items(given).next(),
    watch: async (client, given) => client.watch(given).next(),
    create: async (client, given) => client.create(given, { metadata: name }),
    update: async (client, given) => client.update(given, { metadata: name }),
    apply: async (client, given) => client.apply(given, { metadata: name }),
    delete: async (client, given) => client.delete(given, name),
    deleteCollection: async (client, given) => client.deleteCollection(given),
    status: async (client, given) => client.status(given).get(name),
    listerWatcher: async (client, given) => client.listerWatcher({ resource: given }),
  },
  patch: {
    patch: async (client, given) => client.patch(builtin.ConfigMap, name, given),
    'status.patch': async (client, given) => client.status(builtin.Pod).patch(name, given),
  },
};
const rows = Object.entries(callsByArgument).flatMap(([argument, calls]) =>
  Object.keys(calls).flatMap((call) =>
    [null, undefined, 5, 'b', []].map((given) => [argument, call, given] as const),
  ),
);

function cycle(): object {
  const metadata: Record<string, unknown> = { ...name };
  metadata['self'] = metadata;
  return { metadata };
}

const unserialisable: readonly [string, object][] = [
  ['a cycle', cycle()],
  ['a bigint', { metadata: name, data: { size: 1n } }],
  ['a toJSON that throws', { metadata: name, data: { toJSON: () => JSON.parse('{') as unknown } }],
  ['a toJSON that returns nothing', { metadata: name, toJSON: () => undefined }],
];

describe('an argument of another type', () => {
  test.each(rows)('the %s of %s is refused as %p before a request is sent', async (...row) => {
    const [argument, call, given] = row;
    await using setup = await openClient((_request, response) => json(response, { metadata: {} }));
    const run = callsByArgument[argument]?.[call] as Call;
    expect(await rejection(run(setup.client, given as never))).toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: argument },
    });
    expect(setup.server.requests).toHaveLength(0);
  });
});

describe('a body that JSON cannot hold', () => {
  test.each(unserialisable)('%s is refused before a request is sent', async (_, body) => {
    await using setup = await openClient((_request, response) => json(response, { metadata: {} }));
    const { client } = setup;
    const resource = builtin.ConfigMap;
    const object = body as never;
    const attempts = [
      async () => client.create(resource, object),
      async () => client.update(resource, object),
      async () => client.apply(resource, object),
      async () => client.patch(resource, name, { type: 'merge', body: object }),
      async () => client.status(builtin.Pod).update(object),
      async () => client.request({ method: 'POST', path: '/a', body }),
    ];
    for (const run of attempts) {
      expect(await rejection(run())).toMatchObject({
        code: 'UNSUPPORTED_BODY',
        facts: {
          method: expect.any(String),
          path: expect.any(String),
          reason: expect.any(String),
        },
      });
    }
    expect(setup.server.requests).toHaveLength(0);
  });
});
