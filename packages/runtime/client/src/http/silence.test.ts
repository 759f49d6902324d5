import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '../verbs/create-client.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import { rejection, type Responder } from '../testing/recording-server.test-support.ts';

const node = { name: 'a' };

/** Records how a promise has settled. */
class Outcome {
  value: unknown;

  constructor(promise: Promise<unknown>) {
    void rejection(promise).then((error) => (this.value = error));
  }
}

// Once per file, because undici keeps a timer for as long as its module lives.
beforeAll(() => {
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'],
  });
});

afterAll(() => {
  jest.useRealTimers();
});

/** Advances the timers, and lets sockets emit in between. */
async function pass(seconds: number): Promise<void> {
  for (let left = seconds * 2; left > 0; left--) {
    await jest.advanceTimersByTimeAsync(500);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Sends the response of the test; `arrived` resolves when the request has arrived. */
function respondingWith(respond: Responder): { arrived: Promise<void>; respond: Responder } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    arrived: promise,
    respond: (...exchange) => {
      resolve();
      return respond(...exchange);
    },
  };
}

describe('silence', () => {
  test.each([
    ['before the response', () => undefined, 'UND_ERR_HEADERS_TIMEOUT'],
    [
      'in the middle of the response',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"metadata":');
      },
      'UND_ERR_BODY_TIMEOUT',
    ],
  ] satisfies [string, Responder, string][])(
    '%s throws CONNECTION_LOST after 65 s',
    async (_when, respond, reason) => {
      const server = respondingWith(respond);
      await using setup = await openClient(server.respond, { retry: false });
      const got = new Outcome(setup.client.get(builtin.Node, node));
      await server.arrived;
      await pass(63);
      expect(got.value).toBeUndefined();
      await pass(5);
      expect(got.value).toMatchObject({ code: 'CONNECTION_LOST', facts: { reason } });
    },
  );

  test('the client has no timeout for a silent open watch, because the informer detects the silence', async () => {
    await using setup = await openClient((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    });
    const stop = new AbortController();
    const watching = setup.client.listerWatcher({ resource: builtin.Node }).watch(stop);
    const batches = watching[Symbol.asyncIterator]();
    await batches.next();
    const next = new Outcome(batches.next());
    await pass(700);
    expect(next.value).toBeUndefined();
    stop.abort(new Error('enough'));
    await expect(batches.next()).resolves.toMatchObject({ done: true });
    expect(next.value).toMatchObject({ message: 'enough' });
  });

  test('a silent handshake throws SERVER_UNREACHABLE after 10 s', async () => {
    const sockets = new Set<Socket>();
    const silent = createTcpServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const server = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await using client = createClient({ cluster: { server }, retry: false });
    const accepted = once(silent, 'connection');
    const got = new Outcome(client.get(builtin.Node, node));
    await accepted;
    await pass(8);
    expect(got.value).toBeUndefined();
    await pass(4);
    expect(got.value).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      facts: { server, step: 'connect', reason: 'UND_ERR_CONNECT_TIMEOUT' },
    });
    for (const socket of sockets) socket.destroy();
    silent.close();
    await once(silent, 'close');
  });
});
