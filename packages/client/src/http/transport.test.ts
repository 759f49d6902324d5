import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin, StatusError } from '@keelson/apimachinery';
import { createClient } from '../verbs/create-client.ts';
import type { ClientObserver } from './observer.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import {
  json,
  rejection,
  startServer,
  status,
  type Answer,
} from '../testing/recording-server.test-support.ts';

const name = { namespace: 'a', name: 'b' };
const object = { metadata: name };
const retry = { base: 0, max: 0 };

/** Answers `refusal` first and a ConfigMap from then on. */
function once503(code: number, headers: Record<string, string> = {}): Answer {
  return (_request, response, index) => {
    if (index === 0) status(response, code, 'Busy', headers);
    else json(response, object);
  };
}

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

afterEach(() => {
  jest.useRealTimers();
});

describe('retries', () => {
  test.each([429, 503, 504])('a read is sent again after %i', async (code) => {
    await using setup = await openClient(once503(code));
    await expect(setup.client.get(builtin.ConfigMap, name)).resolves.toEqual(object);
    expect(setup.server.requests).toHaveLength(2);
  });

  test('Retry-After is waited for', async () => {
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'],
    });
    const waits: number[] = [];
    const observer: ClientObserver = {
      requestRetried: (_request, { delay }) => void waits.push(delay),
    };
    await using setup = await openClient(once503(429, { 'retry-after': '3' }), { observer });
    const got = setup.client.get(builtin.ConfigMap, name);
    while (waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await jest.advanceTimersByTimeAsync(2999);
    expect(setup.server.requests).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(600);
    jest.useRealTimers();
    await expect(got).resolves.toEqual(object);
    expect(waits[0]).toBeGreaterThanOrEqual(3000);
  });

  test('a create is sent again after 429, which says that nothing was done', async () => {
    await using setup = await openClient(once503(429));
    await setup.client.create(builtin.ConfigMap, object);
    expect(setup.server.requests.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  test.each([503, 504])('a create is never sent again after %i', async (code) => {
    await using setup = await openClient(once503(code));
    const error = await rejection(setup.client.create(builtin.ConfigMap, object));
    expect(error).toMatchObject({ statusCode: code });
    expect(setup.server.requests).toHaveLength(1);
  });

  test('a create whose connection broke is never sent again', async () => {
    await using setup = await openClient(({ socket }) => void socket.destroy());
    const error = await rejection(setup.client.create(builtin.ConfigMap, object));
    expect(error).toMatchObject({
      code: 'CONNECTION_LOST',
      facts: { method: 'POST', path: '/api/v1/namespaces/a/configmaps' },
    });
    expect(setup.server.requests).toHaveLength(1);
  });

  test('a get whose connection broke is sent again', async () => {
    await using setup = await openClient(({ socket }, response, index) => {
      if (index === 0) socket.destroy();
      else json(response, object);
    });
    await expect(setup.client.get(builtin.ConfigMap, name)).resolves.toEqual(object);
    expect(setup.server.requests).toHaveLength(2);
  });

  test('attempts are bounded, and none is made with retry: false', async () => {
    await using setup = await openClient((_request, response) => status(response, 503, 'Busy'));
    await rejection(setup.client.get(builtin.ConfigMap, name));
    expect(setup.server.requests).toHaveLength(4);
    await using single = await openClient((_request, response) => status(response, 503, 'Busy'), {
      retry: false,
    });
    await rejection(single.client.get(builtin.ConfigMap, name));
    expect(single.server.requests).toHaveLength(1);
  });

  test('an abort ends the wait between two attempts', async () => {
    const stop = new AbortController();
    const observer: ClientObserver = { requestRetried: () => stop.abort(new Error('enough')) };
    const options = { observer, retry: { base: 1_000_000, max: 1_000_000 } };
    await using setup = await openClient(
      (_request, response) => status(response, 503, 'Busy'),
      options,
    );
    const got = setup.client.get(builtin.ConfigMap, name, { signal: stop.signal });
    await expect(got).rejects.toThrow('enough');
  });
});

describe('failures', () => {
  test('a server that is not there: SERVER_UNREACHABLE names it and the step', async () => {
    const server = `http://127.0.0.1:${await freePort()}`;
    await using client = createClient({ cluster: { server }, retry });
    const error = await rejection(client.create(builtin.ConfigMap, object));
    expect(error).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      facts: { server, step: 'connect', reason: 'ECONNREFUSED' },
    });
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('a host that does not exist: the step is resolve', async () => {
    await using client = createClient({
      cluster: { server: 'http://keelson.invalid' },
      retry: false,
    });
    const error = await rejection(client.get(builtin.ConfigMap, name));
    expect(error).toMatchObject({ code: 'SERVER_UNREACHABLE', facts: { step: 'resolve' } });
  });

  test('what is no HTTP: CONNECTION_LOST', async () => {
    // A socket that nobody reads from never hears that the other side has gone.
    const server = createServer((socket: Socket) => socket.resume().end('SSH-2.0-OpenSSH_9.9\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const cluster = { server: `http://127.0.0.1:${port}` };
    const client = createClient({ cluster, retry: false });
    const error = await rejection(client.get(builtin.ConfigMap, name));
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', facts: { method: 'GET' } });
    await client.close();
    server.close();
  });

  test('an answer that is cut off: CONNECTION_LOST, also where the body says how long it is', async () => {
    await using setup = await openClient(
      ({ socket }, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"metadata":', () => socket.destroy());
      },
      { retry: false },
    );
    const error = await rejection(setup.client.get(builtin.ConfigMap, name));
    expect(error).toMatchObject({ code: 'CONNECTION_LOST' });
  });

  test('a success that is no JSON: UNEXPECTED_RESPONSE, without quoting it', async () => {
    await using html = await openClient((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>');
    });
    expect(await rejection(html.client.get(builtin.Secret, name))).toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      facts: { contentType: 'text/html', path: '/api/v1/namespaces/a/secrets/b' },
    });
    await using torn = await openClient((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":"c2VjcmV0"');
    });
    const error = await rejection(torn.client.get(builtin.Secret, name));
    expect(error).toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    expect(error.message).not.toContain('c2VjcmV0');
    expect(error.cause).toBeUndefined();
  });

  test('an error that is longer than any Status is not read to its end', async () => {
    await using setup = await openClient(
      (_request, response) => {
        response.writeHead(500, { 'content-type': 'text/plain' });
        const fill = (): void => void response.write('x'.repeat(65_536), () => fill());
        fill();
      },
      { retry: false },
    );
    const error = await rejection(setup.client.get(builtin.ConfigMap, name));
    expect(error).toMatchObject({ statusCode: 500 });
  });

  test('timeout bounds the whole call: REQUEST_TIMEOUT', async () => {
    const arrived = Promise.withResolvers<void>();
    await using setup = await openClient(() => arrived.resolve());
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'],
    });
    const got = rejection(setup.client.get(builtin.ConfigMap, name, { timeout: '5s' }));
    await arrived.promise;
    await jest.advanceTimersByTimeAsync(5000);
    jest.useRealTimers();
    expect(await got).toMatchObject({
      code: 'REQUEST_TIMEOUT',
      facts: { method: 'GET', path: '/api/v1/namespaces/a/configmaps/b', timeout: '5s' },
    });
  });

  test('an abort ends the request and its socket', async () => {
    const stop = new AbortController();
    const closed = Promise.withResolvers<void>();
    await using setup = await openClient(({ socket }) => {
      socket.once('close', () => closed.resolve());
      stop.abort(new Error('enough'));
    });
    const got = setup.client.get(builtin.ConfigMap, name, { signal: stop.signal });
    await expect(got).rejects.toThrow('enough');
    await closed.promise;
    expect(setup.server.sockets.size).toBe(0);
  });

  test('an abort ends waiting for credentials and for the cluster', async () => {
    const never = new Promise<never>(() => undefined);
    const clients = [
      createClient({ cluster: { server: 'http://127.0.0.1:1', credentials: () => never } }),
      createClient({ cluster: () => never }),
    ];
    for (const client of clients) {
      const stop = new AbortController();
      const got = client.get(builtin.ConfigMap, name, { signal: stop.signal });
      stop.abort(new Error('enough'));
      await expect(got).rejects.toThrow('enough');
      await client.close();
    }
  });

  test('an aborted signal sends nothing', async () => {
    await using setup = await openClient((_request, response) => json(response, object));
    const signal = AbortSignal.abort(new Error('before'));
    await expect(setup.client.get(builtin.ConfigMap, name, { signal })).rejects.toThrow('before');
    await expect(
      setup.client.get(builtin.ConfigMap, name, { signal, timeout: 1000 }),
    ).rejects.toThrow('before');
    expect(setup.server.requests).toHaveLength(0);
  });
});

describe('401', () => {
  test('RF45 the credentials expire: one forced refresh, then on, for any number of requests', async () => {
    const forced: boolean[] = [];
    const cluster = {
      async credentials({ force }: { force: boolean }) {
        forced.push(force);
        return { headers: { authorization: force ? 'Bearer new' : 'Bearer old' } };
      },
    };
    await using server = await startServer(({ headers }, response) => {
      if (headers.authorization === 'Bearer new') json(response, object);
      else status(response, 401, 'Unauthorized');
    });
    await using client = createClient({ cluster: { server: server.url, ...cluster } });
    const gets = Array.from({ length: 20 }, () => client.get(builtin.ConfigMap, name));
    await expect(Promise.all(gets)).resolves.toHaveLength(20);
    expect(forced).toEqual([false, true]);
  });

  test('UNAUTHORIZED when there are no better credentials; the token is nowhere in it', async () => {
    await using setup = await openClient((_request, response) =>
      status(response, 401, 'Unauthorized'),
    );
    const cluster = { server: setup.server.url, token: 'hunter2-token' };
    await using client = createClient({ cluster });
    const error = await rejection(client.get(builtin.ConfigMap, name));
    expect(error).toMatchObject({ code: 'UNAUTHORIZED', facts: { server: setup.server.url } });
    expect(error.cause).toBeInstanceOf(StatusError);
    expect(setup.server.requests).toHaveLength(1);
    expect(setup.server.requests[0]?.headers.authorization).toBe('Bearer hunter2-token');
    expect(JSON.stringify(error) + error.message + error.stack).not.toContain('hunter2');
  });

  test('UNAUTHORIZED after one repetition when the new credentials are refused too', async () => {
    let fetches = 0;
    const credentials = async () => ({ headers: { authorization: `Bearer ${fetches++}` } });
    await using setup = await openClient((_request, response) =>
      status(response, 401, 'Unauthorized'),
    );
    await using client = createClient({ cluster: { server: setup.server.url, credentials } });
    for (let round = 0; round < 3; round++) {
      expect(await rejection(client.get(builtin.ConfigMap, name))).toMatchObject({
        code: 'UNAUTHORIZED',
      });
    }
    expect(setup.server.requests).toHaveLength(4);
    expect(fetches).toBe(2);
  });
});

describe('the cluster', () => {
  test('a path in the URL of the server is kept', async () => {
    await using setup = await openClient((_request, response) => json(response, object));
    await using client = createClient({ cluster: { server: `${setup.server.url}/k8s/c-1/` } });
    await client.get(builtin.ConfigMap, name);
    expect(setup.server.requests[0]?.url.pathname).toBe(
      '/k8s/c-1/api/v1/namespaces/a/configmaps/b',
    );
  });

  test('may be loaded by the first request, and again after that failed', async () => {
    await using setup = await openClient((_request, response) => json(response, object));
    let loads = 0;
    await using client = createClient({
      async cluster() {
        if (loads++ === 0) throw new Error('not yet');
        return { server: setup.server.url };
      },
    });
    expect(loads).toBe(0);
    await expect(client.get(builtin.ConfigMap, name)).rejects.toThrow('not yet');
    await Promise.all([client.get(builtin.ConfigMap, name), client.get(builtin.ConfigMap, name)]);
    expect(loads).toBe(2);
  });

  test.each([
    ['ftp://x', 'server'],
    ['x', 'server'],
    ['http://user:hunter2@x', 'server'],
    ['http://x?a=1', 'server'],
  ])('INVALID_CLUSTER for the server %s', (server, option) => {
    expect(() => createClient({ cluster: { server } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_CLUSTER',
        facts: expect.objectContaining({ option }),
      }),
    );
    expect(() => createClient({ cluster: { server } })).not.toThrow(/hunter2/);
  });

  test.each([['two\nlines'], ['ends with a line\n'], [''], [{ value: 'x' }], [null]])(
    'INVALID_CLUSTER for the token %j',
    (given) => {
      const token = given as string;
      expect(() => createClient({ cluster: { server: 'http://x', token } })).toThrow(
        expect.objectContaining({
          code: 'INVALID_CLUSTER',
          facts: { option: 'token', expected: 'a text of one line' },
        }),
      );
    },
  );

  test.each([
    ['tokn', { tokn: 'hunter2' }],
    ['tls.insecure', { tls: { insecure: true } }],
    ['tls', { tls: 'hunter2' }],
  ])('INVALID_CLUSTER for the unknown %s', (option, given) => {
    const call = () => createClient({ cluster: { server: 'http://x', ...(given as object) } });
    expect(call).toThrow(
      expect.objectContaining({
        code: 'INVALID_CLUSTER',
        facts: expect.objectContaining({ option }),
      }),
    );
    expect(call).not.toThrow(/hunter2/);
  });

  test.each(['ftp://proxy', 'socks4://proxy', 'proxy:8080'])(
    'INVALID_CLUSTER for the proxy %s',
    (proxy) => {
      expect(() => createClient({ cluster: { server: 'http://x', proxy } })).toThrow(
        expect.objectContaining({ code: 'INVALID_CLUSTER' }),
      );
    },
  );
});

describe('close', () => {
  test('ends what runs, settles when the sockets are closed, and refuses what comes after', async () => {
    const arrived = Promise.withResolvers<void>();
    await using setup = await openClient((_request, _response, index) => {
      if (index === 1) arrived.resolve();
    });
    const { client, server } = setup;
    const running = [
      rejection(client.get(builtin.ConfigMap, name)),
      rejection(client.watch(builtin.ConfigMap).next()),
    ];
    await arrived.promise;
    await client.close();
    const errors = await Promise.all([...running, rejection(client.get(builtin.ConfigMap, name))]);
    expect(errors).toEqual(errors.map(() => expect.objectContaining({ code: 'CLIENT_CLOSED' })));
    await client.close();
    while (server.sockets.size > 0) await once([...server.sockets][0] as Socket, 'close');
  });

  test('ends waiting for another attempt, for credentials and for the cluster', async () => {
    const never = new Promise<never>(() => undefined);
    const waited = Promise.withResolvers<void>();
    const observer: ClientObserver = { requestRetried: () => waited.resolve() };
    const slow = { observer, retry: { base: 1_000_000, max: 1_000_000 } };
    await using busy = await openClient(
      (_request, response) => status(response, 503, 'Busy'),
      slow,
    );
    const { url } = busy.server;
    const clients = [
      busy.client,
      createClient({ cluster: { server: url, credentials: () => never } }),
      createClient({ cluster: () => never }),
    ];
    const gets = clients.map((client) => rejection(client.get(builtin.ConfigMap, name)));
    await waited.promise;
    await Promise.all(clients.map((client) => client.close()));
    const errors = await Promise.all(gets);
    expect(errors).toEqual(errors.map(() => expect.objectContaining({ code: 'CLIENT_CLOSED' })));
  });

  test('of a derived client does nothing', async () => {
    await using setup = await openClient((_request, response) => json(response, object));
    await setup.client.withFieldManager('x').close();
    await expect(setup.client.get(builtin.ConfigMap, name)).resolves.toEqual(object);
  });
});

describe('the observer', () => {
  test('is told of every attempt, of retries and warnings', async () => {
    const told: unknown[] = [];
    const observer: ClientObserver = {
      requestStarted: ({ verb }) => void told.push(['start', verb]),
      requestEnded: ({ verb, method, host }, { code, duration }) => {
        expect(host).toBe(`127.0.0.1:${setup.server.port}`);
        expect(duration).toBeGreaterThan(0);
        told.push(['end', verb, method, code]);
      },
      requestRetried: (_request, { code, attempt }) => void told.push(['retry', code, attempt]),
      warning: ({ text, path }) => void told.push(['warning', text, path]),
    };
    await using setup = await openClient(
      ({ socket }, response, index) => {
        if (index === 0) socket.destroy();
        else if (index === 1) status(response, 503, 'Busy');
        else json(response, object, 200, { warning: ['299 - "old \\"version\\""', '299 - "b"'] });
      },
      { observer },
    );
    await setup.client.get(builtin.ConfigMap, name);
    expect(told).toEqual([
      ['start', 'get'],
      ['end', 'get', 'GET', '<error>'],
      ['retry', '<error>', 1],
      ['start', 'get'],
      ['end', 'get', 'GET', 503],
      ['retry', 503, 2],
      ['start', 'get'],
      ['end', 'get', 'GET', 200],
      ['warning', 'old "version"', '/api/v1/namespaces/a/configmaps/b'],
      ['warning', 'b', '/api/v1/namespaces/a/configmaps/b'],
    ]);
  });
});
