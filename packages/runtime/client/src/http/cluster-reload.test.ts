import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient, type ClientOptions } from '../verbs/create-client.ts';
import type { Client } from '../verbs/client.ts';
import {
  json,
  startServer,
  status,
  type RecordingServer,
  type Responder,
} from '../testing/recording-server.test-support.ts';
import type { Cluster } from '../cluster/cluster.ts';

const name = { namespace: 'a', name: 'b' };
const object = { metadata: name };
const unauthorized = { code: 'UNAUTHORIZED' };

/** Accepts one token. */
const accepting =
  (token: string): Responder =>
  ({ headers }, response) => {
    if (headers.authorization === `Bearer ${token}`) json(response, object);
    else status(response, 401, 'Unauthorized');
  };

interface Loaded extends AsyncDisposable {
  readonly client: Client;
  readonly loads: () => number;
}

/** A client whose loader returns these members, one set after the other; the last one repeats. */
function loading(
  sets: readonly (Partial<Cluster> | Error)[],
  { url }: RecordingServer,
  options: Partial<ClientOptions> = {},
): Loaded {
  let loads = 0;
  const client = createClient({
    protobuf: false,
    retry: { base: 0, max: 0 },
    ...options,
    async cluster() {
      const next = sets[Math.min(loads, sets.length - 1)] as Partial<Cluster> | Error;
      loads += 1;
      if (next instanceof Error) throw next;
      return { server: url, ...next };
    },
  });
  return { client, loads: () => loads, [Symbol.asyncDispose]: () => client.close() };
}

describe('a function that loads the cluster', () => {
  test('runs again after a 401, once for any number of requests', async () => {
    await using server = await startServer(accepting('new'));
    await using setup = loading([{ token: 'old' }, { token: 'new' }], server);
    const gets = Array.from({ length: 20 }, () => setup.client.get(builtin.ConfigMap, name));
    await expect(Promise.all(gets)).resolves.toHaveLength(20);
    expect(setup.loads()).toBe(2);
  });

  test('a close aborts the credentials of a cluster that is being loaded again', async () => {
    await using server = await startServer(accepting('new'));
    const asked = Promise.withResolvers<AbortSignal | undefined>();
    const never = new Promise<never>(() => undefined);
    const credentials: Cluster['credentials'] = ({ signal }) => {
      asked.resolve(signal);
      return never;
    };
    await using setup = loading([{ token: 'old' }, { credentials }], server);
    const refused = expect(setup.client.get(builtin.ConfigMap, name)).rejects.toMatchObject({
      code: 'CLIENT_CLOSED',
    });
    const signal = await asked.promise;
    await setup.client.close();
    await refused;
    expect(signal?.aborted).toBe(true);
  });

  test('may return another server, which later requests use', async () => {
    await using old = await startServer((_request, response) => status(response, 401, 'Moved'));
    await using server = await startServer(accepting('token'));
    const sets = [{ token: 'token' }, { token: 'token', server: server.url }];
    await using setup = loading(sets, old);
    await setup.client.get(builtin.ConfigMap, name);
    await setup.client.get(builtin.ConfigMap, name);
    expect([old.requests.length, server.requests.length, setup.loads()]).toEqual([1, 2, 2]);
  });

  test('runs after a `credentials` function that did not help', async () => {
    await using server = await startServer(accepting('new'));
    const credentialsOf = (token: string) => async () => ({
      headers: { authorization: `Bearer ${token}` },
    });
    const sets = [{ credentials: credentialsOf('old') }, { credentials: credentialsOf('new') }];
    await using setup = loading(sets, server);
    await expect(setup.client.get(builtin.ConfigMap, name)).resolves.toEqual(object);
  });

  test.each([
    ['returns the refused credentials', [{ token: 'old' }], 1],
    ['returns others that are refused too', [{ token: 'old' }, { token: 'older' }], 2],
    ['fails', [{ token: 'old' }, new Error('no Secret')], 1],
  ] as const)('is not run again for 5 s if it %s', async (_, sets, sent) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      await using server = await startServer(accepting('new'));
      const failures: unknown[] = [];
      const observer = { credentialsFailed: (error: unknown) => void failures.push(error) };
      await using setup = loading(sets, server, { observer });
      const get = (): Promise<unknown> => setup.client.get(builtin.ConfigMap, name);
      await expect(get()).rejects.toMatchObject(unauthorized);
      await expect(get()).rejects.toMatchObject(unauthorized);
      expect([setup.loads(), server.requests.length]).toEqual([2, sent + 1]);
      const failing = sets.at(-1) instanceof Error;
      expect(failures).toMatchObject(failing ? [{ code: 'INVALID_CLUSTER' }] : []);
      jest.advanceTimersByTime(5000);
      await expect(get()).rejects.toMatchObject(unauthorized);
      expect(setup.loads()).toBe(3);
    } finally {
      jest.useRealTimers();
    }
  });

  test('leaves a response open that began before', async () => {
    let end = (): void => undefined;
    await using server = await startServer((request, response) => {
      if (request.url.searchParams.get('watch') === null)
        return void accepting('new')(request, response, 0);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      const event = { type: 'ADDED', object: { ...builtin.ConfigMap, ...object } };
      end = () => response.end(JSON.stringify({ ...event, object }));
    });
    await using setup = loading([{ token: 'old' }, { token: 'new' }], server);
    const events = setup.client.watch(builtin.ConfigMap);
    const next = events.next();
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await setup.client.get(builtin.ConfigMap, name);
    end();
    await expect(next).resolves.toMatchObject({ value: { type: 'ADDED' } });
  });
});
