import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import type { Client } from './client.ts';
import { createClient } from './create-client.ts';

const { ConfigMap } = builtin;
const name = { namespace: 'd', name: 'x' };
const typed = { apiVersion: 'v1', kind: 'ConfigMap' };
const metadata = { ...name, uid: 'u', resourceVersion: '1' };

let body: unknown;
let server: Server;
let client: Client;

beforeEach(async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  client = createClient({ cluster: { server: `http://127.0.0.1:${port}` } });
});

afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const object = { metadata };

/** Every call that returns an object of the resource. */
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  get: () => client.get(ConfigMap, name),
  create: () => client.create(ConfigMap, object),
  update: () => client.update(ConfigMap, object),
  patch: () => client.patch(ConfigMap, name, { type: 'merge', body: {} }),
  apply: () => client.apply(ConfigMap, object),
  delete: () => client.delete(ConfigMap, name),
  'status get': () => client.status(ConfigMap).get(name),
  'status update': () => client.status(ConfigMap).update(object),
  'status patch': () => client.status(ConfigMap).patch(name, { type: 'merge', body: {} }),
  'status apply': () => client.status(ConfigMap).apply(object),
};

/** Every call that returns several objects, with the body that contains one. */
const lists: Readonly<Record<string, (item: unknown) => Promise<unknown>>> = {
  list: (item) => {
    body = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: [item] };
    return client.list(ConfigMap);
  },
  items: (item) => {
    body = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: [item] };
    return client.items(ConfigMap).next();
  },
  watch: (item) => {
    body = { type: 'ADDED', object: item };
    return client.watch(ConfigMap).next();
  },
};

const wrong: readonly (readonly [string, object])[] = [
  ['of another kind', { apiVersion: 'v1', kind: 'Secret', metadata }],
  ['of another version', { ...typed, apiVersion: 'v2', metadata }],
  ['without metadata', typed],
  ['with metadata of null', { ...typed, metadata: null }],
  ['with a list as metadata', { ...typed, metadata: [] }],
  ['with a text as metadata', { ...typed, metadata: 'x' }],
];

const everyCall = Object.keys(calls).flatMap((call) =>
  wrong.map(([what, response]) => [call, what, response] as const),
);
const everyList = Object.keys(lists).flatMap((call) =>
  wrong.map(([what, item]) => [call, what, item] as const),
);

describe('the type of a response', () => {
  test.each(everyCall)('%s refuses an object %s', async (call, _what, response) => {
    body = response;
    await expect(calls[call]?.()).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  });

  test.each(everyList)('%s refuses an item %s', async (call, _what, item) => {
    await expect(lists[call]?.(item)).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  });

  test.each(Object.keys(calls))('%s accepts an object that names no type', async (call) => {
    body = { metadata };
    expect(await calls[call]?.()).toEqual(body);
  });

  test.each([undefined, null, 'x'])(
    'a list with the metadata %p has empty metadata',
    async (sent) => {
      body = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: sent, items: [{ metadata }] };
      expect((await client.list(ConfigMap)).metadata).toEqual({});
    },
  );

  test('an object that was sent without a name may come back without metadata', async () => {
    const review = builtin.SubjectAccessReview;
    body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: {} };
    expect(await client.create(review, { spec: {} } as KubernetesObject as never)).toEqual(body);
  });

  test('a write observer receives no object of another kind', async () => {
    const seen: unknown[] = [];
    const observed = client.withWriteObserver({
      written: (...call) => void seen.push(call),
      deleted: (...call) => void seen.push(call),
    });
    body = { apiVersion: 'v1', kind: 'Secret', metadata };
    await expect(observed.update(ConfigMap, object)).rejects.toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
    });
    expect(seen).toEqual([]);
  });
});
