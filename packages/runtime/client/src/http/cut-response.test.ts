import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { builtin, CodedError, isConflict, StatusError } from '@keelson/apimachinery';
import type { Client } from '../verbs/client.ts';
import { createClient } from '../verbs/create-client.ts';
import { loadClientNode } from '../cluster/kubeconfig/client-node.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import { json, rejection, type Responder } from '../testing/recording-server.test-support.ts';

const { CoreV1Api } = await loadClientNode();

const name = { namespace: 'a', name: 'b' };
const object = { metadata: name };

/** Sends the first part of a body, then closes the connection. */
function cut(code: number, text: string | Buffer, headers: Record<string, string> = {}): Responder {
  return ({ socket }, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.write(text, () => socket.destroy());
  };
}

/** Sends the first part of a body and ends the response as if it were complete. */
function truncated(code: number, text: string): Responder {
  return (_request, response) => {
    response.writeHead(code, { 'content-type': 'application/json' }).end(text);
  };
}

const zipped = gzipSync(JSON.stringify({ kind: 'ConfigMapList', items: [object] }));
const half = '{"kind":"Status","reason":"AlreadyEx';

const reads: [string, (client: Client) => Promise<unknown>][] = [
  ['get', (client) => client.get(builtin.ConfigMap, name)],
  ['list', (client) => client.list(builtin.ConfigMap)],
  ['raw GET', (client) => client.request({ path: '/version' })],
  [
    'typed get',
    async (client) => (await client.apiClient(CoreV1Api)).readNamespacedConfigMap(name),
  ],
  ['discovery', (client) => client.discovery.version()],
];

describe('a response whose body is cut off', () => {
  test.each(reads)('%s is retried', async (_verb, run) => {
    await using setup = await openClient((request, response, index) => {
      if (index === 0) return cut(200, '{"metadata":')(request, response, index);
      const isList = request.url.pathname.endsWith('/configmaps');
      return json(response, isList ? { kind: 'ConfigMapList', items: [] } : object);
    });
    await expect(run(setup.client)).resolves.toBeDefined();
    expect(setup.server.requests).toHaveLength(2);
  });

  test('a list whose gzip stream is cut off is retried', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    await using setup = await openClient(
      (request, response, index) => {
        if (index === 0) return cut(200, zipped.subarray(0, 30), headers)(request, response, index);
        if (index === 1) response.writeHead(200, { ...headers }).end(zipped.subarray(0, 30));
        else response.writeHead(200, headers).end(zipped);
        return undefined;
      },
      { compression: true },
    );
    expect((await setup.client.list(builtin.ConfigMap)).items).toHaveLength(1);
  });

  test('a request fails with CONNECTION_LOST if every attempt is cut off', async () => {
    await using setup = await openClient(cut(200, '{"metadata":'));
    expect(await rejection(setup.client.get(builtin.ConfigMap, name))).toMatchObject({
      code: 'CONNECTION_LOST',
    });
    expect(setup.server.requests).toHaveLength(4);
  });
});

describe('an error response whose body is cut off', () => {
  test.each([
    ['cut off', cut(409, half)],
    ['cut off after one blank', cut(409, ' ')],
    ['cut off, but framed as complete', truncated(409, half)],
  ])('409, %s, fails with CONNECTION_LOST and not as a conflict', async (_how, respond) => {
    await using setup = await openClient(respond);
    const error = await rejection(setup.client.create(builtin.ConfigMap, object));
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', facts: { method: 'POST' } });
    expect(isConflict(error)).toBe(false);
    expect(setup.server.requests).toHaveLength(1);
  });

  test('a 404 to a read is retried', async () => {
    await using setup = await openClient((request, response, index) =>
      index === 0 ? cut(404, half)(request, response, index) : json(response, object),
    );
    await expect(setup.client.get(builtin.ConfigMap, name)).resolves.toEqual(object);
  });

  test.each([
    [429, 'the create is retried'],
    [401, 'the credentials are refreshed'],
  ])('%i does not need its body: %s', async (code) => {
    let token = 0;
    await using setup = await openClient((request, response, index) =>
      index === 0 ? cut(code, half)(request, response, index) : json(response, object),
    );
    await using client = createClient({
      cluster: {
        server: setup.server.url,
        credentials: async () => ({ headers: { authorization: `Bearer ${token++}` } }),
      },
      retry: { base: 0, max: 0 },
    });
    await expect(client.create(builtin.ConfigMap, object)).resolves.toEqual(object);
    expect(setup.server.requests).toHaveLength(2);
  });

  test('an abort while the body is read throws the reason of the abort', async () => {
    for (const code of [200, 401, 409, 429, 500]) {
      const stop = new AbortController();
      // The headers have arrived, and the client waits for the body.
      const abort = (): void => void setImmediate(() => stop.abort(new Error('enough')));
      await using setup = await openClient(
        (_request, response) => {
          response.writeHead(code, { 'content-type': 'application/json' }).write('{"kind":');
        },
        { observer: { requestEnded: abort } },
      );
      const got = setup.client.get(builtin.ConfigMap, name, { signal: stop.signal });
      await expect(got).rejects.toThrow('enough');
      expect(setup.server.requests).toHaveLength(1);
    }
  });

  test('close() while the body is read throws CLIENT_CLOSED', async () => {
    for (const code of [200, 500]) {
      const { promise, resolve } = Promise.withResolvers<void>();
      await using setup = await openClient((_request, response) => {
        response.writeHead(code, { 'content-type': 'application/json' });
        response.write('{"kind":', () => setImmediate(resolve));
      });
      const got = rejection(setup.client.get(builtin.ConfigMap, name));
      await promise;
      await setup.client.close();
      expect(await got).toMatchObject({ code: 'CLIENT_CLOSED' });
    }
  });

  test('a compressed error body is decompressed', async () => {
    const body = gzipSync(JSON.stringify({ kind: 'Status', reason: 'Forbidden', message: 'no' }));
    await using setup = await openClient((_request, response) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      response.writeHead(403, headers).end(body);
    });
    const error = await rejection(setup.client.list(builtin.ConfigMap));
    expect(error).toBeInstanceOf(StatusError);
    expect(error.message).toContain('no');
  });
});

describe('Status.code', () => {
  test('does not override the HTTP status', async () => {
    await using setup = await openClient((_request, response) => {
      json(response, { kind: 'Status', code: 429, reason: 'Odd' }, 500);
    });
    const error = await rejection(setup.client.create(builtin.ConfigMap, object));
    expect(error).toMatchObject({ statusCode: 500, status: { code: 500, reason: 'Odd' } });
    expect(setup.server.requests).toHaveLength(1);
  });

  test('is ignored if it is not a number, like a reason and details of a wrong type', async () => {
    await using setup = await openClient((_request, response) => {
      json(response, { kind: 'Status', code: 'x', reason: 5, message: {}, details: [1] }, 404);
    });
    const error = await rejection(setup.client.get(builtin.ConfigMap, name));
    expect(error).toMatchObject({ statusCode: 404, reason: 'NotFound' });
  });

  test('does not override the HTTP status in the typed APIs of client-node', async () => {
    await using setup = await openClient((_request, response) => {
      json(response, { kind: 'Status', code: 404, reason: 'Odd' }, 500);
    });
    const api = await setup.client.apiClient(CoreV1Api);
    expect(await rejection(api.readNamespacedConfigMap(name))).toMatchObject({ code: 500 });
  });

  test('may be missing or invalid in an ERROR event, which throws in any case', async () => {
    for (const text of ['null', '[]', '{}', '{"code":"x","details":null}']) {
      await using setup = await openClient((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"type":"ERROR","object":${text}}\n`);
      });
      const error = await rejection(setup.client.watch(builtin.ConfigMap).next());
      expect(error).toBeInstanceOf(CodedError);
    }
  });
});
