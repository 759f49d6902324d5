import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { otherCertificate } from '../../testing/certificates.test-support.ts';
import {
  Http2Server,
  openWatch,
  type OpenExchange,
} from '../../testing/http2-server.test-support.ts';
import { endOf, event, opened, Watch } from '../../testing/watch-reader.test-support.ts';
import { createClient } from '../../verbs/create-client.ts';

function last({ exchanges }: Http2Server): OpenExchange {
  return exchanges.at(-1) as OpenExchange;
}

afterEach(() => {
  jest.useRealTimers();
});

/** Stops the timers, but no other part of the event loop. */
function stopTimers(): void {
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'],
  });
}

/** Advances the timers, and lets sockets deliver data in between. */
async function pass(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left--) {
    await jest.advanceTimersByTimeAsync(1_000);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the connections of watches', () => {
  test.each([
    ['one carries 100 watches', {}, 250, 3],
    ['a lower limit of the server is respected', { maxConcurrentStreams: 4 }, 9, 3],
  ])('%s', async (_what, settings, watches, connections) => {
    await using server = await Http2Server.open(settings);
    await using client = createClient({ cluster: server.cluster, protobuf: false });
    await opened(client, watches);
    expect(server.exchanges.map(({ request }) => request.httpVersion)).toEqual(
      Array.from({ length: watches }, () => '2.0'),
    );
    expect(server.connections).toBe(connections);
  });

  test('events arrive, and a normal end ends the watch', async () => {
    await using server = await Http2Server.open();
    await using client = createClient({ cluster: server.cluster, protobuf: false });
    const [watch] = await opened(client, 1);
    last(server).response.write(event('a'));
    expect(await watch?.next()).toBe(1);
    last(server).response.end();
    expect(await watch?.next()).toBe('end');
  });

  test.each([
    ['the server resets the stream', (server) => last(server).response.stream.destroy(new Error())],
    ['the connection is closed', (server) => server.hangUp()],
    [
      'the server destroys the session',
      (server) => last(server).response.stream.session?.destroy(),
    ],
  ] satisfies [string, (server: Http2Server) => void][])(
    'a watch throws CONNECTION_LOST if %s',
    async (_how, cut) => {
      await using server = await Http2Server.open();
      await using client = createClient({ cluster: server.cluster, protobuf: false });
      const [watch] = await opened(client, 1);
      last(server).response.write(event('a'));
      expect(await watch?.next()).toBe(1);
      cut(server);
      expect(await endOf(watch)).toMatchObject({ code: 'CONNECTION_LOST' });
      expect(await opened(client, 1)).toHaveLength(1);
    },
  );

  test('a lost peer is noticed within 20 s, on each of its watches', async () => {
    await using server = await Http2Server.open();
    stopTimers();
    await using client = createClient({ cluster: server.cluster, protobuf: false });
    const watches = await opened(client, 3);
    let ended = 0;
    const ends = Promise.all(watches.map((watch) => endOf(watch).finally(() => ended++)));
    await pass(120);
    expect(ended).toBe(0);
    server.loseBytes();
    await pass(20);
    const lost = { code: 'CONNECTION_LOST', facts: { reason: 'ETIMEDOUT' } };
    expect(await ends).toMatchObject([lost, lost, lost]);
  });

  test('a response that does not start throws CONNECTION_LOST after 65 s', async () => {
    await using server = await Http2Server.open();
    const arrived = Promise.withResolvers<void>();
    server.respond = () => arrived.resolve();
    stopTimers();
    await using client = createClient({ cluster: server.cluster, protobuf: false });
    let ended: unknown;
    const ending = endOf(new Watch(client)).then((error) => (ended = error));
    await arrived.promise;
    await pass(63);
    expect(ended).toBeUndefined();
    await pass(3);
    expect(await ending).toMatchObject({ code: 'CONNECTION_LOST' });
  });

  test('after GOAWAY a watch continues, and the next one opens another connection', async () => {
    await using server = await Http2Server.open();
    await using client = createClient({ cluster: server.cluster, protobuf: false });
    const [watch] = await opened(client, 1);
    const [first] = server.exchanges;
    first?.response.stream.session?.goaway();
    first?.response.write(event('a'));
    expect(await watch?.next()).toBe(1);
    await opened(client, 1);
    expect(server.connections).toBe(2);
    first?.response.write(event('b'));
    expect(await watch?.next()).toBe(1);
  });

  test('an aborted watch ends its own stream only', async () => {
    await using server = await Http2Server.open();
    await using client = createClient({ cluster: server.cluster, protobuf: false });
    const [stopped, other] = await opened(client, 2);
    const [first, second] = server.exchanges;
    const closed = new Promise((resolve) => first?.response.once('close', resolve));
    stopped?.stop();
    await closed;
    second?.response.write(event('a'));
    expect(await other?.next()).toBe(1);
    expect(server.connections).toBe(1);
  });

  test('an aborted watch does not wait for a connection', async () => {
    await using server = await Http2Server.open();
    await using client = createClient({ cluster: server.cluster, protobuf: false });
    server.loseBytes();
    const watch = new Watch(client);
    const next = endOf(watch);
    watch.stop();
    expect(await next).toMatchObject({ message: 'stopped' });
  });

  test('a handshake that is never finished throws SERVER_UNREACHABLE after 10 s', async () => {
    await using server = await Http2Server.open();
    server.onConnection = () => server.loseBytes();
    stopTimers();
    await using client = createClient({ cluster: server.cluster, protobuf: false });
    const end = endOf(new Watch(client));
    await pass(11);
    expect(await end).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      facts: { step: 'connect', reason: 'UND_ERR_CONNECT_TIMEOUT' },
    });
  });

  test('closing the client closes every socket, also one that is being opened', async () => {
    await using server = await Http2Server.open();
    const open = createClient({ cluster: server.cluster, protobuf: false });
    const [watch] = await opened(open, 1);
    const ended = endOf(watch);
    await open.close();
    expect(await ended).toMatchObject({ code: 'CLIENT_CLOSED' });
    server.loseBytes();
    const opening = createClient({ cluster: server.cluster, protobuf: false });
    const refused = endOf(new Watch(opening));
    await new Promise((resolve) => setImmediate(resolve));
    await opening.close();
    expect(await refused).toMatchObject({ code: 'CLIENT_CLOSED' });
    while (server.openSockets > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test('a connection without watches is closed after a minute', async () => {
    await using server = await Http2Server.open();
    stopTimers();
    await using client = createClient({ cluster: server.cluster, protobuf: false });
    const [watch] = await opened(client, 1);
    watch?.stop();
    await pass(55);
    expect(server.openSockets).toBe(1);
    await pass(10);
    expect(server.openSockets).toBe(0);
  });

  test('new TLS material opens a new connection, and open watches continue', async () => {
    await using server = await Http2Server.open();
    const { tls, ...cluster } = server.cluster;
    let cert = tls?.ca;
    const credentials = async (): Promise<object> => ({ tls: { ca: cert } });
    await using client = createClient({ cluster: { ...cluster, credentials }, protobuf: false });
    const [watch] = await opened(client, 1);
    cert = [String(tls?.ca), otherCertificate.cert] as never;
    server.respond = (exchange) => {
      server.respond = openWatch;
      exchange.response.writeHead(401).end();
    };
    await opened(client, 1);
    expect(server.connections).toBe(2);
    server.exchanges[0]?.response.write(event('a'));
    expect(await watch?.next()).toBe(1);
  });

  test('a refusal is the Status of the server', async () => {
    await using server = await Http2Server.open();
    await using client = createClient({ cluster: server.cluster, protobuf: false });
    server.respond = ({ response }) => {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden' }));
    };
    expect(await endOf(new Watch(client))).toMatchObject({ reason: 'Forbidden' });
  });
});

describe('watches over HTTP/1.1', () => {
  test.each([
    ['with http2: false', { http2: false }, {}, 2],
    ['if the server allows no stream', {}, { maxConcurrentStreams: 0 }, 3],
  ])('%s', async (_when, options, settings, connections) => {
    await using server = await Http2Server.open(settings);
    await using client = createClient({ cluster: server.cluster, protobuf: false, ...options });
    const [watch] = await opened(client, 2);
    expect(server.exchanges.map(({ request }) => request.httpVersion)).toEqual(['1.1', '1.1']);
    expect(server.connections).toBe(connections);
    watch?.stop();
  });
});
