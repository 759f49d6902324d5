import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { openClient } from '../testing/open-client.test-support.ts';
import { json } from '../testing/recording-server.test-support.ts';
import type { Client } from './client.ts';

const name = { namespace: 'a', name: 'b' };
const object = { metadata: name };

/** One call of each way to send a request. */
const calls: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  get: (client) => client.get(builtin.ConfigMap, name),
  create: (client) => client.create(builtin.ConfigMap, { metadata: name }),
  items: (client) => client.items(builtin.ConfigMap).next(),
  watch: (client) => client.watch(builtin.ConfigMap).next(),
  status: (client) => client.status(builtin.Deployment).get(name),
  request: (client) => client.request({ path: '/healthz' }),
  'discovery.find': (client) => client.discovery.find(builtin.ConfigMap),
  'discovery.serves': (client) => client.discovery.serves(builtin.ConfigMap),
  'discovery.version': (client) => client.discovery.version(),
};

describe('withSignal', () => {
  test.each(Object.keys(calls))('ends a `%s` in flight with the reason', async (call) => {
    const received = Promise.withResolvers<void>();
    await using setup = await openClient(() => received.resolve());
    const stop = new AbortController();
    const client = setup.client.withSignal(() => stop.signal);
    const result = calls[call]?.(client);
    await received.promise;
    stop.abort(new Error('removed'));
    await expect(result).rejects.toThrow('removed');
  });

  test('is read for each request, and a call of its own signal ends too', async () => {
    await using setup = await openClient((_request, response, index) => {
      if (index === 0) json(response, object);
    });
    let stop = new AbortController();
    stop.abort(new Error('earlier'));
    const client = setup.client.withSignal(() => stop.signal);
    await expect(client.get(builtin.ConfigMap, name)).rejects.toThrow('earlier');
    stop = new AbortController();
    await expect(client.get(builtin.ConfigMap, name)).resolves.toEqual(object);
    const own = AbortSignal.abort(new Error('own'));
    await expect(client.get(builtin.ConfigMap, name, { signal: own })).rejects.toThrow('own');
    await expect(client.items(builtin.ConfigMap, { signal: own }).next()).rejects.toThrow('own');
  });

  test('is kept by clients that derive from it, and refuses another value', async () => {
    await using setup = await openClient(() => undefined);
    const client = setup.client.withSignal(() => AbortSignal.abort(new Error('over')));
    const derived = client.withFieldManager('test');
    await expect(derived.get(builtin.ConfigMap, name)).rejects.toThrow('over');
    expect(() => setup.client.withSignal(AbortSignal.abort() as never)).toThrow('withSignal');
  });
});

describe('objectReturned', () => {
  test('receives each object that the client returns, before the caller', async () => {
    const seen: unknown[] = [];
    const observer = { objectReturned: (returned: object) => void seen.push(returned) };
    await using setup = await openClient(
      ({ url }, response) => {
        const isList = url.pathname.endsWith('/configmaps');
        json(
          response,
          isList ? { kind: 'ConfigMapList', apiVersion: 'v1', items: [object] } : object,
        );
      },
      { observer },
    );
    const { client } = setup;
    const got = await client.get(builtin.ConfigMap, name);
    const { items } = await client.list(builtin.ConfigMap);
    const patched = await client
      .status(builtin.Deployment)
      .patch(name, { type: 'merge', body: {} });
    const { value: item } = await client.items(builtin.ConfigMap).next();
    expect(seen).toHaveLength(4);
    for (const [index, each] of [got, items[0], patched, item].entries()) {
      expect(seen[index]).toBe(each);
    }
  });
});
