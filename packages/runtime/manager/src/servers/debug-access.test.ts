import { once } from 'node:events';
import { Socket } from 'node:net';
import { IncomingMessage, request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { createManager } from '../manager/controller-manager.ts';
import { managersOfTest, running } from '../testing/fixtures.test-support.ts';
import type { Manager } from '../manager/manager.ts';
import { sameOriginPosts } from './access/local-access.ts';
import type { ServersOptions } from './server-options.ts';

const managers = managersOfTest();
const path = '/debug/event-loop-delay?seconds=x';
/** The response to that path of a request that may make profiles. */
const ALLOWED = 400;
/** A request that the check of its origin leaves to the next one. */
const ALLOWED_POST = 200;

async function serving(debug: NonNullable<ServersOptions['debug']>): Promise<Manager> {
  const { manager } = managers.make({ servers: { debug } });
  await running(manager);
  return manager;
}

async function statusOf(
  { ports }: Manager,
  headers: Record<string, string>,
  { path: at = path, method = 'GET' } = {},
): Promise<number | undefined> {
  const port = ports.debug ?? 0;
  const options = { port, host: '127.0.0.1', path: at, method, headers, agent: false };
  const sent = request(options).end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

describe('the access to the debug server', () => {
  test('needs a token, which each manager creates', async () => {
    const [manager, other] = [await serving(0), await serving(0)];
    const authorization = `Bearer ${manager.debugToken}`;
    expect(manager.debugToken).toMatch(/^[\w-]{32,}$/);
    expect(await statusOf(manager, { authorization })).toBe(ALLOWED);
    expect(await statusOf(other, { authorization })).toBe(401);
    for (const wrong of ['', 'Bearer ', 'Bearer wrong', `Basic ${manager.debugToken}`]) {
      expect(await statusOf(manager, { authorization: wrong })).toBe(401);
    }
    expect(await statusOf(manager, {})).toBe(401);
  });

  test('needs the token of the option', async () => {
    const token = 'sixteen-letters1';
    const manager = await serving({ port: 0, token });
    expect(manager.debugToken).toBe(token);
    expect(await statusOf(manager, { authorization: `Bearer ${token}` })).toBe(ALLOWED);
    expect(await statusOf(manager, {})).toBe(401);
  });

  test('needs it in X-Keelson-Token behind a proxy that keeps Authorization for itself', async () => {
    const manager = await serving(0);
    const token = manager.debugToken ?? '';
    expect(await statusOf(manager, { 'x-keelson-token': token })).toBe(ALLOWED);
    // The own header decides, because Authorization may be that of the proxy.
    const authorization = 'Bearer of-the-proxy';
    expect(await statusOf(manager, { 'x-keelson-token': token, authorization })).toBe(ALLOWED);
    for (const wrong of ['', 'wrong', `Bearer ${token}`, `${token}, ${token}`]) {
      const headers = { 'x-keelson-token': wrong, authorization: `Bearer ${token}` };
      expect(await statusOf(manager, headers)).toBe(401);
    }
    const foreign = { 'x-keelson-token': token, host: 'evil.example' };
    expect(await statusOf(manager, foreign)).toBe(403);
  });

  test.each([
    { host: 'evil.example' },
    { host: 'evil.example:6060' },
    { host: '127.0.0.1.evil.example' },
    { host: '10.0.0.1' },
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:3000' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ])('is refused to a web page that sends %j, with and without the token', async (headers) => {
    const manager = await serving(0);
    const authorization = `Bearer ${manager.debugToken}`;
    expect(await statusOf(manager, { ...headers, authorization })).toBe(403);
    expect(await statusOf(manager, headers)).toBe(403);
  });

  test.each(['localhost', 'localhost:6060', '127.0.0.1:1', '[::1]'])(
    'has the Host %s, as behind kubectl port-forward',
    async (host) => {
      const manager = await serving(0);
      const authorization = `Bearer ${manager.debugToken}`;
      expect(await statusOf(manager, { host, authorization })).toBe(ALLOWED);
    },
  );

  test('needs no token for the page of the inspector, which has no data', async () => {
    const manager = await serving(0);
    expect(await statusOf(manager, {}, { path: '/' })).toBe(302);
    const others = ['/debug/inspector/snapshot', '/debug/inspector/stream', '/debug/explain'];
    for (const other of others) expect(await statusOf(manager, {}, { path: other })).toBe(401);
    const foreign = { host: 'evil.example' };
    expect(await statusOf(manager, foreign, { path: '/' })).toBe(403);
  });

  test('is open to the page that the server itself sent, with the token', async () => {
    const manager = await serving(0);
    const host = `localhost:${manager.ports.debug}`;
    const own = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    const authorization = `Bearer ${manager.debugToken}`;
    expect(await statusOf(manager, own)).toBe(401);
    expect(await statusOf(manager, { ...own, authorization })).toBe(ALLOWED);
    expect(await statusOf(manager, { ...own, origin: `http://${host}0`, authorization })).toBe(403);
  });

  test('has POST requests for actions only', async () => {
    const manager = await serving({ port: 0, actions: true });
    const authorization = `Bearer ${manager.debugToken}`;
    const action = { path: '/debug/inspector/action?do=none', method: 'POST' };
    expect(await statusOf(manager, {}, action)).toBe(401);
    expect(await statusOf(manager, { authorization }, action)).toBe(400);
    const foreign = { authorization, origin: 'https://evil.example' };
    expect(await statusOf(manager, foreign, action)).toBe(403);
    for (const other of ['/', '/debug/inspector', path]) {
      const post = { path: other, method: 'POST' };
      expect(await statusOf(manager, { authorization }, post)).toBe(404);
    }
    const put = { ...action, method: 'PUT' };
    expect(await statusOf(manager, { authorization }, put)).toBe(405);
  });

  test.each([
    [{}, ALLOWED_POST],
    [{ origin: 'https://10.0.0.1:8082' }, ALLOWED_POST],
    [{ origin: 'http://127.0.0.1:8001' }, 403],
    // Only a page of the proxy itself can send this header.
    [{ origin: 'http://127.0.0.1:8001', 'x-keelson-token': 'a' }, ALLOWED_POST],
    [
      { origin: 'https://evil.example', 'x-keelson-token': 'a', 'sec-fetch-site': 'cross-site' },
      403,
    ],
    [{ 'sec-fetch-site': 'same-site' }, 403],
  ])(
    'on another address treats an action with %j as its own or that of another site',
    async (headers, expected) => {
      const allow = sameOriginPosts(async () => undefined);
      const sent = new IncomingMessage(new Socket());
      sent.method = 'POST';
      sent.headers = { host: '10.0.0.1:8082', ...headers };
      const refusal = await allow(sent, '/');
      expect(refusal?.status ?? ALLOWED_POST).toBe(expected);
    },
  );

  test('by authentication on a loopback address checks the Host too', async () => {
    const manager = await serving({ port: 0, host: '127.0.0.1', authentication: true });
    expect(manager.debugToken).toBeUndefined();
    expect(await statusOf(manager, {})).toBe(401);
    expect(await statusOf(manager, { host: 'evil.example' })).toBe(403);
  });

  test('has no token without a debug server', async () => {
    const { manager } = managers.make({ servers: {} });
    expect(manager.debugToken).toBeUndefined();
  });

  test('by authentication has no token of its own', () => {
    const debug = {
      port: 0,
      tls: 'self-signed',
      authentication: true,
      token: 'x'.repeat(16),
    } as const;
    expect(() => createManager({ servers: { debug } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: 'createManager.servers.debug.token' }),
      }),
    );
  });
});
