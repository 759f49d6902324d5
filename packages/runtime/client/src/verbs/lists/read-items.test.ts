import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { Client } from '../client.ts';
import { openClient } from '../../testing/open-client.test-support.ts';
import {
  json,
  rejection,
  status,
  type Responder,
} from '../../testing/recording-server.test-support.ts';

const object = { metadata: { namespace: 'a', name: 'b' } };

function page(response: ServerResponse, names: readonly string[], token?: string): void {
  const items = names.map((name) => ({ metadata: { namespace: 'a', name } }));
  json(response, { kind: 'ConfigMapList', metadata: { continue: token }, items });
}

function gone(response: ServerResponse, token: string): void {
  const body = { kind: 'Status', reason: 'Expired', code: 410, metadata: { continue: token } };
  json(response, body, 410);
}

function watchFrames(client: Client): AsyncIterator<unknown> {
  const lister = client.listerWatcher({ resource: builtin.ConfigMap });
  const batches = lister.watch(new AbortController());
  return batches[Symbol.asyncIterator]();
}

async function readNames(client: Client): Promise<string[]> {
  const read: string[] = [];
  for await (const { metadata } of client.items(builtin.ConfigMap)) read.push(metadata.name);
  return read;
}

describe('items', () => {
  /** Keeps lists open after their first object, like lists that are larger than the buffers of a socket. */
  const listsAndGets: Responder = ({ url }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    if (!url.pathname.endsWith('/configmaps')) response.end(JSON.stringify(object));
    else response.write(`{"kind":"ConfigMapList","items":[${JSON.stringify(object)},`);
  };

  test('200 concurrent loops can call the client inside the loop', async () => {
    await using setup = await openClient(listsAndGets);
    const { client } = setup;
    let opened = 0;
    const all = Promise.withResolvers<void>();
    const loop = async (): Promise<void> => {
      for await (const { metadata } of client.items(builtin.ConfigMap)) {
        if (++opened === 200) all.resolve();
        await all.promise;
        await client.get(builtin.ConfigMap, { namespace: 'a', name: metadata.name });
        break;
      }
    };
    await Promise.all(Array.from({ length: 200 }, loop));
    expect(opened).toBe(200);
  });

  test('200 nested loops can call the client inside the innermost loop', async () => {
    await using setup = await openClient(listsAndGets);
    const { client } = setup;
    const nested = async (depth: number): Promise<string | undefined> => {
      if (depth === 0)
        return (await client.get(builtin.ConfigMap, { namespace: 'a', name: 'b' })).metadata.name;
      for await (const _ of client.items(builtin.ConfigMap)) return await nested(depth - 1);
      return undefined;
    };
    expect(await nested(200)).toBe('b');
  });

  test('a paused list of an informer holds no socket of requests', async () => {
    await using setup = await openClient(listsAndGets);
    const { client } = setup;
    const { signal } = new AbortController();
    const lister = client.listerWatcher({ resource: builtin.ConfigMap });
    const paused = Array.from({ length: 80 }, () =>
      lister.list({ signal })[Symbol.asyncIterator](),
    );
    await Promise.all(paused.map((list) => list.next()));
    await expect(
      client.get(builtin.ConfigMap, { namespace: 'a', name: 'b' }),
    ).resolves.toBeDefined();
    for (const list of paused) await list.return?.();
  });

  test('a server that refuses its own fresh continue tokens ends the loop with 410, after pauses', async () => {
    const waits: number[] = [];
    const timer = jest.spyOn(globalThis, 'setTimeout');
    await using setup = await openClient(
      ({ url }, response, index) => {
        if (url.searchParams.has('continue')) gone(response, `fresh-${index}`);
        else page(response, ['b'], 'first');
      },
      { retry: { base: 7, max: 1000 } },
    );
    expect(await rejection(readNames(setup.client))).toMatchObject({ statusCode: 410 });
    expect(setup.server.requests).toHaveLength(6);
    for (const [, delay = 0] of timer.mock.calls) waits.push(delay);
    timer.mockRestore();
    for (const whole of [7, 14, 28, 56]) {
      expect(waits.some((wait) => wait >= whole / 2 && wait <= whole)).toBe(true);
    }
  });

  test('a continue token that expires occasionally does not end the loop', async () => {
    await using setup = await openClient(({ url }, response) => {
      const token = Number(url.searchParams.get('continue') ?? 0);
      if (token % 2 === 1) gone(response, String(token + 1));
      else page(response, [`b-${token}`], token < 40 ? String(token + 1) : undefined);
    });
    expect(await readNames(setup.client)).toHaveLength(21);
  });

  test.each([1, 2, 3, 7])(
    'continue tokens that repeat after %i pages throw UNEXPECTED_RESPONSE',
    async (length) => {
      await using setup = await openClient((_request, response, index) =>
        page(response, [`b-${index}`], `token-${index % length}`),
      );
      expect(await rejection(readNames(setup.client))).toMatchObject({
        code: 'UNEXPECTED_RESPONSE',
        facts: { reason: 'the server repeats a continue token' },
      });
      expect(setup.server.requests.length).toBeLessThan(5 * length);
    },
  );

  test.each([1, 3])(
    '%i pages that repeat under new continue tokens are requested after pauses, then throw UNEXPECTED_RESPONSE',
    async (length) => {
      const timer = jest.spyOn(globalThis, 'setTimeout');
      await using setup = await openClient(
        (_request, response, index) =>
          page(response, [`a-${index % length}`, 'b'], `token-${index}`),
        { retry: { base: 7, max: 1000 } },
      );
      const error = await rejection(readNames(setup.client));
      const waits = timer.mock.calls.map(([, delay = 0]) => delay);
      timer.mockRestore();
      expect(error).toMatchObject({
        code: 'UNEXPECTED_RESPONSE',
        facts: { reason: 'the server repeats its pages' },
      });
      expect(setup.server.requests.length).toBeLessThan(8 * length);
      expect(waits.some((wait) => wait >= 3.5 && wait <= 7)).toBe(true);
    },
  );

  test('pauses longer and longer after empty pages, and continues', async () => {
    const timer = jest.spyOn(globalThis, 'setTimeout');
    await using setup = await openClient(
      (_request, response, index) =>
        page(response, index < 4 ? [] : ['b'], index < 4 ? `token-${index}` : undefined),
      { retry: { base: 7, max: 1000 } },
    );
    expect(await readNames(setup.client)).toEqual(['b']);
    const waits = timer.mock.calls.map(([, delay = 0]) => delay);
    timer.mockRestore();
    for (const whole of [7, 14, 28, 56]) {
      expect(waits.some((wait) => wait >= whole / 2 && wait <= whole)).toBe(true);
    }
  });

  test('an abort ends the pause', async () => {
    const stop = new AbortController();
    await using setup = await openClient(
      (_request, response, index) => {
        page(response, [], `token-${index}`);
        setImmediate(() => stop.abort(new Error('enough')));
      },
      { retry: { base: 1_000_000, max: 1_000_000 } },
    );
    const items = setup.client.items(builtin.ConfigMap, stop);
    await expect(items.next()).rejects.toThrow('enough');
  });

  test('a page that is cut off before its first object is retried', async () => {
    await using setup = await openClient(({ socket }, response, index) => {
      if (index > 0) return page(response, ['b']);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"kind":"ConfigMapList","items":[{"metadata":', () => socket.destroy());
    });
    expect(await readNames(setup.client)).toEqual(['b']);
    expect(setup.server.requests).toHaveLength(2);
  });

  test('a page that is cut off after an object is not retried, because it would yield objects twice', async () => {
    await using setup = await openClient(({ socket }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const text = JSON.stringify(object);
      response.write(`{"kind":"ConfigMapList","items":[${text},`, () => socket.destroy());
    });
    expect(await rejection(readNames(setup.client))).toMatchObject({ code: 'CONNECTION_LOST' });
    expect(setup.server.requests).toHaveLength(1);
  });

  test('invalid options throw at the call', async () => {
    await using setup = await openClient(() => undefined);
    const { client } = setup;
    expect(() => client.items(builtin.Node, { namespace: 'a' })).toThrow(
      expect.objectContaining({ code: 'NAMESPACE_NOT_ALLOWED' }),
    );
    expect(() => client.items(builtin.Node, { labelSelector: 'a in' })).toThrow(
      expect.objectContaining({ code: 'INVALID_LABEL_SELECTOR' }),
    );
    expect(() => client.watch(builtin.Node, { fieldSelector: 'a' })).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD_SELECTOR' }),
    );
  });
});

describe('return()', () => {
  const silent: Responder = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  };

  test.each([
    ['watch', (client: Client) => client.watch(builtin.ConfigMap)],
    ['items', (client: Client) => client.items(builtin.ConfigMap)],
    ['listerWatcher.watch', watchFrames],
  ] as const)(
    'return() of a quiet %s ends the pending next() and the request at once',
    async (_call, open) => {
      const arrived = Promise.withResolvers<Socket>();
      await using setup = await openClient((request, response, index) => {
        arrived.resolve(request.socket);
        return silent(request, response, index);
      });
      const items: AsyncIterator<unknown> = open(setup.client);
      let waiting = items.next();
      const socket = await arrived.promise;
      const closed = new Promise((resolve) => socket.once('close', resolve));
      // The first batch of a lister-watcher is empty and arrives with the headers.
      if (_call === 'listerWatcher.watch') {
        await waiting;
        waiting = items.next();
      }
      await expect(items.return?.()).resolves.toEqual({ done: true, value: undefined });
      await expect(waiting).resolves.toEqual({ done: true, value: undefined });
      await closed;
      await expect(items.next()).resolves.toMatchObject({ done: true });
    },
  );

  test('return() before the first item sends nothing, and an iterator removes its listener from the signal', async () => {
    await using setup = await openClient((_request, response) => page(response, ['b', 'c']));
    const { signal } = new AbortController();
    const added = jest.spyOn(signal, 'addEventListener');
    const removed = jest.spyOn(signal, 'removeEventListener');
    const { client } = setup;
    await client.watch(builtin.ConfigMap, { signal }).return?.();
    await client.items(builtin.ConfigMap, { signal }).return?.();
    expect(setup.server.requests).toHaveLength(0);
    expect(added).toHaveBeenCalledTimes(0);
    for await (const _ of client.items(builtin.ConfigMap, { signal })) break;
    for await (const _ of client.items(builtin.ConfigMap, { signal }));
    await using broken = await openClient((_request, response) =>
      status(response, 403, 'Forbidden'),
    );
    await rejection(broken.client.watch(builtin.ConfigMap, { signal }).next());
    expect(added.mock.calls.length).toBe(3);
    expect(removed.mock.calls.length).toBeGreaterThanOrEqual(3);
  });
});
