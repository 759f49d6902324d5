import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, jest, test } from '@jest/globals';
import { createManager } from '../manager/controller-manager.ts';
import { eventually, managersOfTest, running } from '../testing/fixtures.test-support.ts';
import type { Manager } from '../manager/manager.ts';
import { HttpServer, type PlainResponse } from './http-server.ts';
import { Profiles } from './profiles.ts';
import type { ServersOptions } from './server-options.ts';

const managers = managersOfTest();

async function serving(debug: NonNullable<ServersOptions['debug']>): Promise<Manager> {
  const { manager } = managers.make({ servers: { debug } });
  await running(manager);
  return manager;
}

function read({ ports, debugToken }: Manager, path: string, method = 'GET'): Promise<Response> {
  const headers = { authorization: `Bearer ${debugToken}` };
  return fetch(`http://127.0.0.1:${ports.debug}/debug/${path}`, { method, headers });
}

async function asked(profiles: Profiles, path: string): Promise<PlainResponse | undefined> {
  return profiles.respond(new URL(`http://server/debug/${path}`));
}

describe('the debug server', () => {
  test('ends a measurement when it closes, and sends what there is', async () => {
    const manager = await serving({ port: 0 });
    const measuring = read(manager, 'event-loop-delay?seconds=60');
    await eventually(async () => {
      const other = await read(manager, 'cpu-profile', 'HEAD');
      return other.status === 409;
    });
    await manager.stop();
    expect(await (await measuring).json()).toMatchObject({ unit: 'seconds' });
  });

  test('serves nothing else, and does not exist by default', async () => {
    const manager = await serving(0);
    expect((await read(manager, 'other')).status).toBe(404);
    expect((await read(manager, '../metrics')).status).toBe(404);
    const { manager: plain } = managers.make({ servers: {} });
    await running(plain);
    expect(plain.ports).toEqual({ metrics: undefined, health: undefined, debug: undefined });
  });

  test.each<[string, ServersOptions]>([
    ['createManager.servers.debug', { debug: -1 }],
    ['createManager.servers.debug.host', { debug: { port: 0, host: '0.0.0.0' } }],
    ['createManager.servers.debug.host', { debug: { port: 0, tls: 'self-signed', host: '::' } }],
    ['createManager.servers.debug.authentication', { debug: { port: 0, authentication: true } }],
    ['createManager.servers.debug.path', { debug: { port: 0, path: '/' } as never }],
  ])('throws INVALID_OPTION for an unsafe or unknown %s', (option, servers) => {
    expect(() => createManager({ servers })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });

  test('accepts the options of the guide, and the host of all servers only with authentication', async () => {
    // #region options
    const manager = createManager({
      servers: { debug: { port: 6443, tls: 'self-signed', authentication: true } },
    });
    // #endregion options
    expect(manager.ports.debug).toBeUndefined();
    await manager.stop();
    const local = createManager({ servers: { host: '0.0.0.0', debug: 6060 } });
    await local.stop();
  });
});

describe('Profiles', () => {
  test('measures the delay of the event loop for the given seconds', async () => {
    jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick', 'setImmediate'] });
    const response = asked(new Profiles(), 'event-loop-delay?seconds=2');
    await jest.advanceTimersByTimeAsync(2000);
    jest.useRealTimers();
    const { status, body } = (await response) as PlainResponse;
    expect(status).toBe(200);
    expect(JSON.parse(body as string)).toEqual({
      unit: 'seconds',
      samples: expect.any(Number),
      p50: expect.any(Number),
      p90: expect.any(Number),
      p99: expect.any(Number),
      max: expect.any(Number),
    });
  });
});

describe('a response with a stream', () => {
  test('is sent as a whole, and not for HEAD', async () => {
    const made: Readable[] = [];
    const server = new HttpServer({
      name: 'test',
      address: { port: 0, host: '127.0.0.1' },
      responder: () => {
        const body = Readable.from(['a', 'b']);
        made.push(body);
        return { status: 200, body };
      },
    });
    await server.listen();
    const url = `http://127.0.0.1:${server.port}/`;
    const response = await fetch(url);
    expect(await text(response.body as never)).toBe('ab');
    expect(await (await fetch(url, { method: 'HEAD' })).text()).toBe('');
    expect(made.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    await server.close();
  });
});
