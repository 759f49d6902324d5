import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { until } from '../index.ts';

const { ConfigMap } = builtin;
const name = { namespace: 'default', name: 'one' };

describe('until', () => {
  test('returns an object that matches already', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    await client.create(ConfigMap, { metadata: name, data: { a: '1' } });
    const found = await until(client, ConfigMap, name, (map) => map?.data?.['a'] === '1');
    expect(found?.metadata.name).toBe('one');
  });

  test('waits for an object that does not exist yet, and passes each of its states to the predicate', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    const seen: (string | undefined)[] = [];
    const waiting = until(client, ConfigMap, name, (map) => {
      seen.push(map?.data?.['a']);
      return map?.data?.['a'] === '3';
    });
    await server.watchers(ConfigMap, 1);
    await client.create(ConfigMap, { metadata: name, data: { a: '1' } });
    for (const a of ['2', '3']) {
      await client.patch(ConfigMap, name, { type: 'merge', body: { data: { a } } });
    }
    await waiting;
    expect(seen).toEqual([undefined, '1', '2', '3']);
  });

  test('rejects with the error of a predicate, even if only one state leads to it', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    let calls = 0;
    const waiting = until(client, ConfigMap, name, (map) => {
      calls += 1;
      if (map !== undefined && calls === 2) throw new Error('boom');
      return false;
    });
    const ended = expect(waiting).rejects.toThrow('boom');
    await server.watchers(ConfigMap, 1);
    await client.create(ConfigMap, { metadata: name });
    await ended;
  });

  test.each<[string, () => unknown]>([
    ['resolves', () => Promise.resolve(false)],
    ['rejects', () => Promise.reject(new Error('boom'))],
    [
      'is a thenable',
      () => Object.defineProperty({}, ['th', 'en'].join(''), { value: () => undefined }),
    ],
  ])('refuses the promise of an async predicate, which %s', async (_, predicate) => {
    const unhandled: unknown[] = [];
    const listener = (error: unknown): number => unhandled.push(error);
    process.on('unhandledRejection', listener);
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    await expect(until(client, ConfigMap, name, predicate as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });

  test('waits until an object is gone', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    await client.create(ConfigMap, { metadata: name });
    const waiting = until(client, ConfigMap, name, (map) => map === undefined);
    await server.watchers(ConfigMap, 1);
    await client.delete(ConfigMap, name);
    await expect(waiting).resolves.toBeUndefined();
  });

  test('misses no state between the list and the watch, nor after a broken watch', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    await client.create(ConfigMap, { metadata: name });
    using held = server.faults.delay({ resource: ConfigMap, verb: 'watch', by: '50ms' });
    const waiting = until(client, ConfigMap, name, (map) => map === undefined);
    await server.requested({ resource: ConfigMap, verb: 'watch' }, 1);
    await client.delete(ConfigMap, name);
    server.compact();
    await expect(waiting).resolves.toBeUndefined();
    held.end();
  });

  test('throws UNTIL_TIMEOUT with the last state of the object', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    await client.create(ConfigMap, { metadata: name, data: { a: '1' } });
    const limit = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    const waiting = until(client, ConfigMap, name, () => false);
    await server.watchers(ConfigMap, 1);
    limit.abort();
    timeout.mockRestore();
    await expect(waiting).rejects.toMatchObject({
      code: 'UNTIL_TIMEOUT',
      facts: { kind: 'ConfigMap', name: 'one', seen: expect.stringContaining('"a":"1"') },
    });
  });

  test('rejects with the reason of its signal', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    const stop = new AbortController();
    const waiting = until(client, ConfigMap, name, () => false, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
