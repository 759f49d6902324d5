import { describe, expect, test } from '@jest/globals';
import { builtin, StatusError } from '@keelson/apimachinery';
import { ClientError } from '../errors.ts';
import { createClient } from '../verbs/create-client.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import { startServer, type Responder } from '../testing/recording-server.test-support.ts';

const node = { name: 'a' };
const unreachable = new ClientError('SERVER_UNREACHABLE');

const ready: Responder = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
};

/** Responds to the requests with these status codes in turn; the last one stays. */
function responding(...codes: readonly number[]): Responder {
  return (_request, response, index) => {
    response.writeHead(codes[Math.min(index, codes.length - 1)] ?? 200).end();
  };
}

function pathsOf({ requests }: { requests: readonly { readonly url: URL }[] }): string[] {
  return requests.map(({ url }) => url.pathname);
}

describe('the recovery of an API server', () => {
  test('a wait ends after a GET of /readyz, which is sent once for all watches', async () => {
    await using setup = await openClient(ready);
    const stop = new AbortController();
    const waits = Array.from({ length: 50 }, async () =>
      setup.client.listerWatcher({ resource: builtin.Node }).recovered(unreachable, stop.signal),
    );
    await Promise.all(waits);
    expect(pathsOf(setup.server)).toEqual(['/readyz']);
  });

  test.each([401, 403, 404])('a server that responds with %d is not away', async (code) => {
    await using setup = await openClient(responding(code));
    const source = setup.client.listerWatcher({ resource: builtin.Node });
    await source.recovered(unreachable, new AbortController().signal);
    expect(pathsOf(setup.server)).toEqual(['/readyz']);
  });

  test.each([429, 500, 503])('a server that responds with %d is probed again', async (code) => {
    await using setup = await openClient(responding(code, 200));
    const source = setup.client.listerWatcher({ resource: builtin.Node });
    await source.recovered(unreachable, new AbortController().signal);
    expect(pathsOf(setup.server)).toEqual(['/readyz', '/readyz']);
  });

  test('a server that responded is not probed', async () => {
    await using setup = await openClient(ready);
    const source = setup.client.listerWatcher({ resource: builtin.Node });
    const { signal } = new AbortController();
    for (const code of [403, 410, 429, 500, 503]) {
      expect(source.recovered(new StatusError({ code }), signal)).toBeUndefined();
    }
    expect(source.recovered(new Error('a bug'), signal)).toBeUndefined();
    expect(setup.server.requests).toEqual([]);
  });

  test('a starting server that refuses a request is still probed, unless it says when to retry', async () => {
    await using setup = await openClient(responding(500, 200));
    const source = setup.client.listerWatcher({ resource: builtin.Node });
    const { signal } = new AbortController();
    const first = source.recovered(unreachable, signal);
    const throttled = new StatusError({ code: 503, details: { retryAfterSeconds: 1 } });
    expect(source.recovered(new StatusError({ code: 429 }), signal)).toBeUndefined();
    expect(source.recovered(throttled, signal)).toBeUndefined();
    await Promise.all([first, source.recovered(new StatusError({ code: 503 }), signal)]);
    expect(source.recovered(new StatusError({ code: 503 }), signal)).toBeUndefined();
  });

  test('a server that starts on its former port ends the wait', async () => {
    const former = await startServer(ready);
    await using client = createClient({ cluster: { server: former.url }, protobuf: false });
    await former[Symbol.asyncDispose]();
    const source = client.listerWatcher({ resource: builtin.Node });
    const back = source.recovered(unreachable, new AbortController().signal);
    await using server = await startServer(ready, undefined, former.port);
    await back;
    expect(pathsOf(server)).toEqual(['/readyz']);
  });

  test('a long wait between two attempts of a request ends when the server is back', async () => {
    const former = await startServer(ready);
    const retry = { attempts: 2, base: 3_600_000, max: 3_600_000 };
    const cluster = { server: former.url };
    let again: (delay: number) => Promise<void> = async () => undefined;
    const observer = { requestRetried: (_: unknown, { delay }: { delay: number }) => again(delay) };
    await using client = createClient({ cluster, retry, observer, protobuf: false });
    await former[Symbol.asyncDispose]();
    const restarted = Promise.withResolvers<Awaited<ReturnType<typeof startServer>>>();
    again = async () => {
      const respond: Responder = (request, response) => {
        const body = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'a' } };
        const isProbe = request.url.pathname === '/readyz';
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(isProbe ? 'ok' : JSON.stringify(body));
      };
      restarted.resolve(await startServer(respond, undefined, former.port));
    };
    const got = await client.get(builtin.Node, node);
    await using server = await restarted.promise;
    expect(got.metadata.name).toBe('a');
    expect(pathsOf(server)).toEqual(['/readyz', '/api/v1/nodes/a']);
  });

  test('`close` ends the probe', async () => {
    await using setup = await openClient(responding(500));
    const source = setup.client.listerWatcher({ resource: builtin.Node });
    const { signal } = new AbortController();
    expect(source.recovered(unreachable, signal)).toBeInstanceOf(Promise);
    await setup.client.close();
    expect(source.recovered(unreachable, signal)).toBeUndefined();
  });
});
