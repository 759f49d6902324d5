import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient, type ClientOptions } from '../index.ts';
import {
  json,
  startServer,
  type RecordingServer,
} from '../testing/recording-server.test-support.ts';
import { writeObserverMethods } from '../verbs/calls/write-observer.ts';
import { guardedObserver } from '../values/guarded-observer.ts';
import { observerMethods } from './observer.ts';

const { ConfigMap } = builtin;
const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'a', name: 'b', uid: 'u', resourceVersion: '1' },
};

const boom = new Error('boom');

const THEN = ['th', 'en'].join('');

/** A thenable that rejects. */
function rejecting(): object {
  const value = (_: unknown, reject: (error: unknown) => void): void => reject(boom);
  return Object.defineProperty({}, THEN, { value });
}

/** A thenable whose `then` throws. */
function throwing(): object {
  const get = (): never => {
    throw boom;
  };
  return Object.defineProperty({}, THEN, { get });
}

/** How a function of the user goes wrong. */
const faults: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw boom;
  },
  rejects: () => Promise.reject(boom),
  'returns a thenable that rejects': () => rejecting(),
  'returns a thenable whose then throws': () => throwing(),
};

/** Results with a promise that rejects as a member. */
const members: Readonly<Record<string, () => unknown>> = {
  'returns a promise as a member': () => ({
    server: 'http://127.0.0.1:1',
    token: Promise.reject(boom),
    headers: Promise.reject(boom),
  }),
  'returns a promise as a member of a member': () => ({
    headers: { authorization: Promise.reject(boom) },
    tls: { ca: Promise.reject(boom) },
  }),
};

let server: RecordingServer;
let refuses: number;
const unhandled: unknown[] = [];
const listener = (error: unknown): number => unhandled.push(error);
let warned: jest.Spied<typeof process.emitWarning>;

beforeEach(async () => {
  refuses = 0;
  server = await startServer(({ method }, response) => {
    if (refuses-- > 0) return json(response, { kind: 'Status', code: 401 }, 401);
    if (method === 'GET' && server.requests.length === 1) return json(response, {}, 503);
    return json(response, object, 200, { warning: '299 - "old"' });
  });
  unhandled.length = 0;
  process.on('unhandledRejection', listener);
  warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});

afterEach(async () => {
  warned.mockRestore();
  process.off('unhandledRejection', listener);
  await server[Symbol.asyncDispose]();
});

const warnings = (): unknown[] =>
  warned.mock.calls.filter(
    ([, options]) => (options as { code?: string })?.code === 'OBSERVER_FAILED',
  );

/** Retries, warnings, refreshed credentials, refused protobuf: each method that a response leads to. */
async function walk(options: Pick<ClientOptions, 'observer'>): Promise<unknown> {
  let given = 0;
  const cluster = {
    server: server.url,
    credentials: async () => {
      given += 1;
      if (given === 3) throw new Error('no credentials');
      return { headers: { authorization: `Bearer ${given}` } };
    },
  };
  await using client = createClient({
    ...options,
    cluster,
    protobuf: false,
    retry: { base: 1, max: 1 },
  });
  const first = await client.get(ConfigMap, { namespace: 'a', name: 'b' });
  refuses = 1;
  await client.get(ConfigMap, { namespace: 'a', name: 'b' });
  refuses = 1;
  await client.get(ConfigMap, { namespace: 'a', name: 'b' }).catch(() => undefined);
  await setImmediate();
  return first;
}

describe('the guard of user functions', () => {
  test.each(Object.entries({ ...faults, ...members }))(
    'a userAgent that %s leads to the default header',
    async (_, fault) => {
      const userAgent = fault as () => string;
      const cluster = { server: server.url };
      await using client = createClient({ cluster, userAgent, retry: { base: 1, max: 1 } });
      await client.get(ConfigMap, { namespace: 'a', name: 'b' });
      await setImmediate();
      expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual([
        'keelson',
        'keelson',
      ]);
      expect(unhandled).toEqual([]);
    },
  );

  describe.each(observerMethods.filter((name) => name !== 'protobufRefused'))(
    'a method %s of an observer',
    (name) => {
      test.each(Object.entries(faults))(
        'that %s affects no request, and is reported once',
        async (_, fault) => {
          let calls = 0;
          const method = (): unknown => {
            calls += 1;
            return fault();
          };
          expect(await walk({ observer: { [name]: method } })).toMatchObject(object);
          expect(calls).toBeGreaterThan(0);
          expect(warnings()).toHaveLength(1);
          expect(unhandled).toEqual([]);
        },
      );
    },
  );

  test.each(observerMethods)('every method is guarded: %s', async (name) => {
    for (const fault of Object.values(faults)) {
      const { [name]: method } = guardedObserver({ [name]: fault }, observerMethods as never);
      expect(() => (method as () => void)()).not.toThrow();
    }
    await setImmediate();
    expect(unhandled).toEqual([]);
  });

  describe.each(writeObserverMethods)('a method %s of an observer of writes', (name) => {
    test.each(Object.entries(faults))(
      'that %s affects no write, and is reported once',
      async (_, fault) => {
        const observer = { written: () => undefined, deleted: () => undefined, [name]: fault };
        await using client = createClient({ cluster: { server: server.url } });
        const own = client.withWriteObserver(observer);
        await own.create(ConfigMap, object);
        await own.delete(ConfigMap, object.metadata);
        await own.create(ConfigMap, object);
        await own.delete(ConfigMap, object.metadata);
        await setImmediate();
        expect(warnings()).toHaveLength(1);
        expect(unhandled).toEqual([]);
      },
    );
  });

  test.each(Object.entries({ ...faults, ...members }))(
    'a getter `headers` of a trace that %s affects no request',
    async (_, fault) => {
      const nothing = (): void => undefined;
      const trace = Object.defineProperty({ ended: nothing, wrote: nothing }, 'headers', {
        get: fault,
      });
      const tracing = { begin: () => trace as never };
      await using client = createClient({ cluster: { server: server.url }, tracing });
      await client.create(ConfigMap, object);
      await setImmediate();
      expect(unhandled).toEqual([]);
    },
  );

  test.each(Object.entries({ ...faults, ...members }))(
    'a loader of the cluster that %s rejects the request',
    async (_, fault) => {
      await using client = createClient({ cluster: fault as never });
      const request = client.get(ConfigMap, { namespace: 'a', name: 'b' });
      await expect(request).rejects.toBeInstanceOf(Error);
      await setImmediate();
      expect(unhandled).toEqual([]);
    },
  );

  test.each(Object.entries({ ...faults, ...members }))(
    'a function `credentials` that %s rejects the request',
    async (_, fault) => {
      const cluster = { server: server.url, credentials: fault as never };
      await using client = createClient({ cluster });
      const request = client.get(ConfigMap, { namespace: 'a', name: 'b' });
      await expect(request).rejects.toBeInstanceOf(Error);
      await setImmediate();
      expect(unhandled).toEqual([]);
    },
  );

  test.each(Object.entries(faults))(
    'a write guard whose check %s refuses the write',
    async (_, fault) => {
      await using client = createClient({ cluster: { server: server.url } });
      const guard = { signal: new AbortController().signal, check: fault as never };
      const write = client.withWriteGuard(guard).create(ConfigMap, object);
      await expect(write).rejects.toBeInstanceOf(Error);
      await setImmediate();
      expect([unhandled, server.requests]).toEqual([[], []]);
    },
  );
});
