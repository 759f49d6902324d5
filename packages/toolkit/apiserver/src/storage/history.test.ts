import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';
import type { ApiObject } from './api-object.ts';
import type { ResourceStore } from './resource-store.ts';
import { Storage } from './storage.ts';

const mostBytes = 8 * 1024 * 1024;

function newStore(): ResourceStore {
  const storage = new Storage({ changes: 10_000, bytes: mostBytes });
  return storage.createStore({ group: '', plural: 'things' }, () => ({}));
}

function thing(name: string, size: number): ApiObject {
  return { metadata: { name, namespace: 'default' }, text: 'x'.repeat(size) };
}

/** Bytes of the objects in a log. */
function bytesIn({ log }: ResourceStore): number {
  let bytes = 0;
  for (let at = log.end - 1; log.holds(at); at--) bytes += log.at(at)?.object.bytes.length ?? 0;
  return bytes;
}

describe('history of a resource', () => {
  test.each([900_000, 40_000, 2000])(
    'stays within its limit in bytes with objects of %d bytes',
    (size) => {
      const store = newStore();
      for (let count = 0; count * size < 3 * mostBytes; count++) {
        store.put(thing(`a${count % 7}`, size));
        if (count % 50 === 0) expect(bytesIn(store)).toBeLessThanOrEqual(mostBytes);
      }
      expect(bytesIn(store)).toBeLessThanOrEqual(mostBytes);
      expect(bytesIn(store)).toBeGreaterThan(mostBytes / 2);
    },
  );

  test('keeps no large block for an object whose changes have been dropped', () => {
    const store = newStore();
    for (let count = 0; count < 20; count++) store.put(thing(`old${count}`, 100));
    for (let count = 0; count < 1000; count++) store.put(thing('new', 40_000));
    for (let count = 0; count < 20; count++) {
      const old = store.get(`default/old${count}`);
      expect(old?.bytes.buffer.byteLength).toBe(old?.bytes.length);
      expect(old?.parse()['text']).toBe('x'.repeat(100));
    }
  });

  test('packs small objects into common blocks', () => {
    const store = newStore();
    const [one, two] = [store.put(thing('a', 2000)), store.put(thing('b', 2000))];
    expect(one.bytes.buffer).toBe(two.bytes.buffer);
    expect(store.remove(one).bytes.buffer).toBe(two.bytes.buffer);
    expect([one.parse()['text'], two.parse()['text']]).toEqual([
      'x'.repeat(2000),
      'x'.repeat(2000),
    ]);
  });

  test.each([
    [{}, 15],
    [{ historyBytes: 3_000_000 }, 6],
  ])(
    'with %j expires a watch from before %d large updates, but not a later one',
    async (options, updates) => {
      await using server = await createApiServer(options);
      const client = new RawClient(server);
      const maps = '/api/v1/namespaces/default/configmaps';
      const map: Json = { metadata: { name: 'a' }, data: { a: 'x'.repeat(900_000) } };
      const { body } = await client.post(maps, map);
      for (let count = 0; count < updates; count++) {
        map.data.b = String(count);
        expect((await client.put(`${maps}/a`, map)).code).toBe(200);
      }
      const from = (version: string): string => `${maps}?watch=1&resourceVersion=${version}`;
      await using early = await client.watch(from(body.metadata.resourceVersion));
      expect((await early.next()).object).toMatchObject({ code: 410, reason: 'Expired' });
      await using late = await client.watch(from(String(Number(server.resourceVersion) - 2)));
      expect(await late.titles(2)).toEqual(Array.from({ length: 2 }, () => 'MODIFIED a'));
    },
  );
});
