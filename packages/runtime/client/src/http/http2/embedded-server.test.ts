import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { endOf, opened } from '../../testing/watch-reader.test-support.ts';
import { createClient } from '../../verbs/create-client.ts';

afterEach(() => {
  jest.useRealTimers();
});

/** Advances the timers, and lets sockets deliver data in between. */
async function pass(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left--) {
    await jest.advanceTimersByTimeAsync(1_000);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('watches of the embedded server', () => {
  test.each([
    [
      'share one connection over HTTP/2 with the request of the version',
      { tls: true, http2: true },
      1,
    ],
    [
      'have a connection each over HTTP/1.1, as the request of the version has',
      { tls: true, http2: false },
      6,
    ],
    ['have a connection each without TLS', { tls: false, http2: true }, 6],
  ])('%s', async (_how, { tls, http2 }, connections) => {
    await using server = await createApiServer({ tls });
    await using client = createClient({ cluster: server.cluster, http2 });
    await opened(client, 5);
    expect(server.faults.silenceConnections().hits).toBe(connections);
  });

  test('over a half-open connection end within 20 s, and a new watch opens another connection', async () => {
    await using server = await createApiServer({ tls: true });
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'],
    });
    await using client = createClient({ cluster: server.cluster });
    const watches = await opened(client, 3);
    const ends = Promise.all(watches.map(endOf));
    using _ = server.faults.silenceConnections();
    await pass(20);
    const lost = { code: 'CONNECTION_LOST', facts: { reason: 'ETIMEDOUT' } };
    expect(await ends).toMatchObject([lost, lost, lost]);
    expect(await opened(client, 1)).toHaveLength(1);
  });

  test.each([
    ['their streams', (server: ApiServer) => server.faults.cutWatches({ how: 'reset' })],
    ['their connection', (server: ApiServer) => server.faults.breakConnections()],
  ])('throw CONNECTION_LOST if the server breaks %s', async (_what, fail) => {
    await using server = await createApiServer({ tls: true });
    await using client = createClient({ cluster: server.cluster });
    const watches = await opened(client, 2);
    fail(server);
    const lost = { code: 'CONNECTION_LOST' };
    expect(await Promise.all(watches.map(endOf))).toMatchObject([lost, lost]);
  });
});
