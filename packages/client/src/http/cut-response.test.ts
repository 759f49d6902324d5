import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { builtin, CodedError, isConflict, StatusError } from '@keelson/apimachinery';
import type { Client } from '../verbs/client.ts';
import { createClient } from '../verbs/create-client.ts';
import { loadClientNode } from '../cluster/kubeconfig/kubeconfig.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import { json, rejection, type Answer } from '../testing/recording-server.test-support.ts';

const { CoreV1Api } = await loadClientNode();

const name = { namespace: 'a', name: 'b' };
const object = { metadata: name };

/** The first part of a body, then the end of the connection. */
function cut(code: number, text: string | Buffer, headers: Record<string, string> = {}): Answer {
  return ({ socket }, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.write(text, () => socket.destroy());
  };
}

/** The first part of a body, and an end as if it were whole. */
function torn(code: number, text: string): Answer {
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
  test.each(reads)('%s is sent again', async (_verb, run) => {
    await using setup = await openClient((request, response, index) => {
      if (index === 0) return cut(200, '{"metadata":')(request, response, index);
      return json(response, { kind: 'ConfigMapList', items: [], metadata: name });
    });
    await expect(run(setup.client)).resolves.toBeDefined();
    expect(setup.server.requests).toHaveLength(2);
  });

  test('a list whose gzip is cut off is sent again', async () => {
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

  test('CONNECTION_LOST when every attempt is cut off', async () => {
    await using setup = await openClient(cut(200, '{"metadata":'));
    expect(await rejection(setup.client.get(builtin.ConfigMap, name))).toMatchObject({
      code: 'CONNECTION_LOST',
    });
    expect(setup.server.requests).toHaveLength(4);
  });
});

describe('an error whose body is cut off', () => {
  test.each([
    ['cut', cut(409, half)],
    ['cut behind nothing', cut(409, ' ')],
    ['cut, but framed as whole', torn(409, half)],
  ])(
    '409, %s: neither a conflict nor an object that exists, but CONNECTION_LOST',
    async (_how, answer) => {
      await using setup = await openClient(answer);
      const error = await rejection(setup.client.create(builtin.ConfigMap, object));
      expect(error).toMatchObject({ code: 'CONNECTION_LOST', facts: { method: 'POST' } });
      expect(isConflict(error)).toBe(false);
      expect(setup.server.requests).toHaveLength(1);
    },
  );

  test('404 to a read is asked for again', async () => {
    await using setup = await openClient((request, response, index) =>
      index === 0 ? cut(404, half)(request, response, index) : json(response, object),
    );
    await expect(setup.client.get(builtin.ConfigMap, name)).resolves.toEqual(object);
  });

  test.each([
    [429, 'a create is sent again'],
    [401, 'the credentials are renewed'],
  ])('%i says enough by its status: %s', async (code) => {
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

  test('an abort while it is read throws the reason of the abort', async () => {
    for (const code of [200, 401, 409, 429, 500]) {
      const stop = new AbortController();
      // The head of the response has arrived, and the body is waited for.
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

  test('close() while it is read: CLIENT_CLOSED', async () => {
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

  test('a zipped error is read', async () => {
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
  test('never overrides the HTTP status', async () => {
    await using setup = await openClient((_request, response) => {
      json(response, { kind: 'Status', code: 429, reason: 'Odd' }, 500);
    });
    const error = await rejection(setup.client.create(builtin.ConfigMap, object));
    expect(error).toMatchObject({ statusCode: 500, status: { code: 500, reason: 'Odd' } });
    expect(setup.server.requests).toHaveLength(1);
  });

  test('of another type is ignored, and so are a reason and details of other types', async () => {
    await using setup = await openClient((_request, response) => {
      json(response, { kind: 'Status', code: 'x', reason: 5, message: {}, details: [1] }, 404);
    });
    const error = await rejection(setup.client.get(builtin.ConfigMap, name));
    expect(error).toMatchObject({ statusCode: 404, reason: 'NotFound' });
  });

  test('the typed APIs of client-node see the HTTP status too', async () => {
    await using setup = await openClient((_request, response) => {
      json(response, { kind: 'Status', code: 404, reason: 'Odd' }, 500);
    });
    const api = await setup.client.apiClient(CoreV1Api);
    expect(await rejection(api.readNamespacedConfigMap(name))).toMatchObject({ code: 500 });
  });

  test('an ERROR event without an object is an error all the same', async () => {
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
