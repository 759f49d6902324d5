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
  type Responder,
} from '../testing/recording-server.test-support.ts';

const name = { namespace: 'a', name: 'b' };
const object = { metadata: name };
const retry = { base: 0, max: 0 };

/** Responds with `code` first and with a ConfigMap from then on. */
function failOnce(code: number, headers: Record<string, string> = {}): Responder {
  return (_request, response, index) => {
    if (index === 0) status(response, code, 'Busy', headers);
    else json(response, object);
  };
}

/** A port without a listener. */
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
  test.each([429, 503, 504])('a read is retried after %i', async (code) => {
    await using setup = await openClient(failOnce(code));
    await expect(setup.client.get(builtin.ConfigMap, name)).resolves.toEqual(object);
    expect(setup.server.requests).toHaveLength(2);
  });

  test('wait as long as Retry-After says', async () => {
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'],
    });
    const waits: number[] = [];
    const observer: ClientObserver = {
      requestRetried: (_request, { delay }) => void waits.push(delay),
    };
    await using setup = await openClient(failOnce(429, { 'retry-after': '3' }), { observer });
    const got = setup.client.get(builtin.ConfigMap, name);
    while (waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await jest.advanceTimersByTimeAsync(2999);
    expect(setup.server.requests).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(600);
    jest.useRealTimers();
    await expect(got).resolves.toEqual(object);
    expect(waits[0]).toBeGreaterThanOrEqual(3000);
  });

  test('a create is retried after 429, because the server did nothing', async () => {
    await using setup = await openClient(failOnce(429));
    await setup.client.create(builtin.ConfigMap, object);
    expect(setup.server.requests.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  test.each([503, 504])('a create is not retried after %i', async (code) => {
    await using setup = await openClient(failOnce(code));
    const error = await rejection(setup.client.create(builtin.ConfigMap, object));
    expect(error).toMatchObject({ statusCode: code });
    expect(setup.server.requests).toHaveLength(1);
  });

  test('a create is not retried after its connection broke', async () => {
    await using setup = await openClient(({ socket }) => void socket.destroy());
    const error = await rejection(setup.client.create(builtin.ConfigMap, object));
    expect(error).toMatchObject({
      code: 'CONNECTION_LOST',
      facts: { method: 'POST', path: '/api/v1/namespaces/a/configmaps' },
    });
    expect(setup.server.requests).toHaveLength(1);
  });

  test('a get is retried after its connection broke', async () => {
    await using setup = await openClient(({ socket }, response, index) => {
      if (index === 0) socket.destroy();
      else json(response, object);
    });
    await expect(setup.client.get(builtin.ConfigMap, name)).resolves.toEqual(object);
    expect(setup.server.requests).toHaveLength(2);
  });

  test('are bounded by the number of attempts, and disabled by retry: false', async () => {
    await using setup = await openClient((_request, response) => status(response, 503, 'Busy'));
    await rejection(setup.client.get(builtin.ConfigMap, name));
    expect(setup.server.requests).toHaveLength(4);
    await using single = await openClient((_request, response) => status(response, 503, 'Busy'), {
      retry: false,
    });
    await rejection(single.client.get(builtin.ConfigMap, name));
    expect(single.server.requests).toHaveLength(1);
  });

  test('end when an abort interrupts the wait between two attempts', async () => {
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
  test('a port without a listener throws SERVER_UNREACHABLE with the server and the step', async () => {
    const server = `http://127.0.0.1:${await freePort()}`;
    await using client = createClient({ cluster: { server }, retry });
    const error = await rejection(client.create(builtin.ConfigMap, object));
    expect(error).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      facts: { server, step: 'connect', reason: 'ECONNREFUSED' },
    });
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('an unknown host throws SERVER_UNREACHABLE with the step resolve', async () => {
    await using client = createClient({
      cluster: { server: 'http://keelson.invalid' },
      retry: false,
    });
    const error = await rejection(client.get(builtin.ConfigMap, name));
    expect(error).toMatchObject({ code: 'SERVER_UNREACHABLE', facts: { step: 'resolve' } });
  });

  test('a response that is not HTTP throws CONNECTION_LOST', async () => {
    // A socket that is not read never notices that the other side has closed.
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

  test('a response that is cut off throws CONNECTION_LOST, with and without its length', async () => {
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

  test('a success that is not JSON throws UNEXPECTED_RESPONSE without quoting the body', async () => {
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

  test('a timeout bounds the whole call and throws REQUEST_TIMEOUT', async () => {
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

  test('an abort ends the request and closes its socket', async () => {
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

  test('an abort ends the wait for credentials and for the cluster, and a closed client leaves no timer', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    const before = timers();
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
    expect(timers()).toBe(before);
  });

  test('an aborted signal prevents the request', async () => {
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
  test('RF45 leads to one forced refresh of expired credentials for any number of requests', async () => {
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

  test('throws UNAUTHORIZED without the token if a refresh returns the same credentials', async () => {
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

  test('throws UNAUTHORIZED after one retry if the new credentials are refused too', async () => {
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
  test('keeps the path in the URL of the server', async () => {
    await using setup = await openClient((_request, response) => json(response, object));
    await using client = createClient({ cluster: { server: `${setup.server.url}/k8s/c-1/` } });
    await client.get(builtin.ConfigMap, name);
    expect(setup.server.requests[0]?.url.pathname).toBe(
      '/k8s/c-1/api/v1/namespaces/a/configmaps/b',
    );
  });

  test('is loaded by the first request, and again by the next one if that failed', async () => {
    await using setup = await openClient((_request, response) => json(response, object));
    let loads = 0;
    await using client = createClient({
      async cluster() {
        if (loads++ === 0) throw new Error('not yet');
        return { server: setup.server.url };
      },
    });
    expect(loads).toBe(0);
    await expect(client.get(builtin.ConfigMap, name)).rejects.toMatchObject({
      code: 'INVALID_CLUSTER',
      cause: new Error('not yet'),
    });
    await Promise.all([client.get(builtin.ConfigMap, name), client.get(builtin.ConfigMap, name)]);
    expect(loads).toBe(2);
  });

  test.each([null, undefined, 'http://x', [], { server: 'http://x', tls: { ca: 5 } }])(
    'throws INVALID_CLUSTER if the function returns %j',
    async (loaded) => {
      await using client = createClient({ cluster: async () => loaded as never });
      await expect(client.get(builtin.ConfigMap, name)).rejects.toMatchObject({
        code: 'INVALID_CLUSTER',
      });
    },
  );

  test.each([
    ['ftp://x', 'server'],
    ['x', 'server'],
    ['http://user:hunter2@x', 'server'],
    ['http://x?a=1', 'server'],
  ])('throws INVALID_CLUSTER for the server %s', (server, option) => {
    expect(() => createClient({ cluster: { server } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_CLUSTER',
        facts: expect.objectContaining({ option }),
      }),
    );
    expect(() => createClient({ cluster: { server } })).not.toThrow(/hunter2/);
  });

  test.each([['two\nlines'], ['ключ'], ['ends with a line\n'], [''], [{ value: 'x' }], [null]])(
    'throws INVALID_CLUSTER for the token %j',
    (given) => {
      const token = given as string;
      expect(() => createClient({ cluster: { server: 'http://x', token } })).toThrow(
        expect.objectContaining({
          code: 'INVALID_CLUSTER',
          facts: { option: 'token', expected: 'a string of one line that a header can hold' },
        }),
      );
    },
  );

  test.each([
    ['tokn', { tokn: 'hunter2' }],
    ['tls.insecure', { tls: { insecure: true } }],
    ['tls', { tls: 'hunter2' }],
  ])('throws INVALID_CLUSTER for the unknown member %s', (option, given) => {
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
    'throws INVALID_CLUSTER for the proxy %s',
    (proxy) => {
      expect(() => createClient({ cluster: { server: 'http://x', proxy } })).toThrow(
        expect.objectContaining({ code: 'INVALID_CLUSTER' }),
      );
    },
  );
});

describe('close', () => {
  test('ends running requests, settles when the sockets are closed, and refuses later requests', async () => {
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

  test('ends the wait for another attempt, for credentials and for the cluster', async () => {
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

  test('does nothing on a derived client', async () => {
    await using setup = await openClient((_request, response) => json(response, object));
    await setup.client.withFieldManager('x').close();
    await expect(setup.client.get(builtin.ConfigMap, name)).resolves.toEqual(object);
  });
});

describe('the observer', () => {
  test('receives no value of a Secret in a warning that quotes it', async () => {
    const warnings: string[] = [];
    const observer: ClientObserver = { warning: ({ text }) => void warnings.push(text) };
    await using setup = await openClient(
      (_request, response) => {
        json(response, object, 200, { warning: '299 - "password opensesame is weak"' });
      },
      { observer },
    );
    await setup.client.create(builtin.Secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: name,
      stringData: { password: 'opensesame' },
    });
    expect(warnings).toEqual(['password … is weak']);
  });

  test('receives every attempt, every retry and every warning', async () => {
    const observed: unknown[] = [];
    const observer: ClientObserver = {
      requestStarted: ({ verb }) => void observed.push(['start', verb]),
      requestEnded: ({ verb, method, host }, { code, duration }) => {
        expect(host).toBe(`127.0.0.1:${setup.server.port}`);
        expect(duration).toBeGreaterThan(0);
        observed.push(['end', verb, method, code]);
      },
      requestRetried: (_request, { code, attempt }) => void observed.push(['retry', code, attempt]),
      warning: ({ text, path }) => void observed.push(['warning', text, path]),
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
    expect(observed).toEqual([
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
