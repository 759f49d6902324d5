import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import {
  managersOfTest,
  recordingLogger,
  running,
  unusedClient,
  useFakeTime,
} from '../testing/fixtures.test-support.ts';
import { Routes } from './routes.ts';

const managers = managersOfTest();
const host = '127.0.0.1';

afterEach(() => {
  jest.useRealTimers();
});

function routesOf(): { routes: Routes; lines: Record<string, unknown>[] } {
  const { logger, lines } = recordingLogger();
  return { routes: new Routes('health', logger), lines };
}

const urlOf = (path: string): URL => new URL(path, 'http://server');
const ok = (): { body: string } => ({ body: 'ok' });

describe('routes', () => {
  test('respond with the result of their handler until they are removed', async () => {
    const { routes } = routesOf();
    const remove = routes.add('/state', async ({ url }) => ({
      status: 202,
      type: 'application/json',
      body: JSON.stringify(url.searchParams.get('q')),
    }));
    expect(await routes.respond(urlOf('/state?q=1'))).toEqual({
      status: 202,
      type: 'application/json',
      body: '"1"',
    });
    expect(routes.respond(urlOf('/state/more'))).toBeUndefined();
    remove();
    expect(routes.respond(urlOf('/state'))).toBeUndefined();
  });

  test.each<[string, () => unknown]>([
    ['throws', () => fail()],
    ['rejects', async () => fail()],
    ['returns nothing', () => undefined],
    ['returns no body', () => ({})],
    ['returns an invalid status', () => ({ status: 99, body: '' })],
    ['returns an invalid type', () => ({ type: 'a\r\nset-cookie: b', body: '' })],
  ])('respond with 500 and no reason if the handler %s', async (_name, handler) => {
    const { routes, lines } = routesOf();
    routes.add('/state', handler as never);
    expect(await routes.respond(urlOf('/state'))).toEqual({
      status: 500,
      body: 'internal error\n',
    });
    expect(lines).toMatchObject([
      { level: 'error', server: 'health', path: '/state', message: 'route failed' },
    ]);
  });

  test('abort the signal of a handler after 30 s and respond with 500', async () => {
    useFakeTime();
    const { routes } = routesOf();
    let given: AbortSignal | undefined;
    routes.add('/state', ({ signal }) => {
      given = signal;
      return new Promise(() => undefined);
    });
    const response = routes.respond(urlOf('/state'));
    await jest.advanceTimersByTimeAsync(30_000);
    expect(await response).toMatchObject({ status: 500 });
    expect(given?.aborted).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('leave no timer after a response', async () => {
    useFakeTime();
    const { routes } = routesOf();
    routes.add('/state', ok);
    await routes.respond(urlOf('/state'));
    expect(jest.getTimerCount()).toBe(0);
  });

  test('run in the async context in which they were added', async () => {
    const { routes } = routesOf();
    const storage = new AsyncLocalStorage<string>();
    storage.run('added', () =>
      routes.add('/state', () => ({ body: storage.getStore() ?? 'lost' })),
    );
    expect(await routes.respond(urlOf('/state'))).toMatchObject({ body: 'added' });
  });

  test('refuse paths that are invalid, reserved or in use, and handlers that are no function', () => {
    const { routes } = routesOf();
    routes.add('/state', ok);
    const paths = ['state', '', '/', '//a', '/a/../b', '/a?b', '/a b', 5, undefined];
    for (const path of [...paths, '/metrics', '/healthz/a', '/livez', '/readyz', '/state']) {
      expect(() => routes.add(path as never, ok)).toThrow(
        expect.objectContaining({
          code: 'INVALID_OPTION',
          facts: expect.objectContaining({ option: 'addRoute.path' }) as object,
        }),
      );
    }
    expect(() => routes.add('/other', 'ok' as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });

  test('of a manager are served by the named server, with its authentication', async () => {
    const { manager } = managers.make({
      client: unusedClient(),
      servers: { host, metrics: { port: 0, authentication: true }, health: 0 },
    });
    manager.addRoute('metrics', '/inside', ok);
    const remove = manager.addRoute('health', '/outside', ok);
    await running(manager);
    const { metrics, health } = manager.ports;
    const statusOf = async (port: number | undefined, path: string): Promise<number> =>
      (await fetch(`http://${host}:${port}${path}`)).status;
    expect(await statusOf(metrics, '/inside')).toBe(401);
    expect(await statusOf(health, '/outside')).toBe(200);
    expect(await statusOf(health, '/inside')).toBe(404);
    remove();
    expect(await statusOf(health, '/outside')).toBe(404);
    expect(() => manager.addRoute('debug' as never, '/a', ok)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});

function fail(): never {
  throw new Error('a secret');
}
