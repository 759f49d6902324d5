import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '../verbs/create-client.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import { json, type Responder } from '../testing/recording-server.test-support.ts';
import type { RequestTracing } from './request-tracing.ts';

const { ConfigMap } = builtin;
const name = { namespace: 'a', name: 'b' };
const metadata = { ...name, uid: 'u', resourceVersion: '7' };
const stored: Responder = (_request, response) =>
  json(response, { apiVersion: 'v1', kind: 'ConfigMap', metadata });

/** A tracing that notes its calls. */
function noting(headers: Readonly<Record<string, string>> = {}): {
  tracing: RequestTracing;
  calls: unknown[];
} {
  const calls: unknown[] = [];
  const tracing: RequestTracing = {
    begin(request) {
      calls.push(['begin', request]);
      return {
        headers,
        ended: ({ code, error }) => void calls.push(['ended', code, error]),
        wrote: (version) => void calls.push(['wrote', version]),
      };
    },
  };
  return { tracing, calls };
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the tracing of a client', () => {
  test('adds its headers to a request, and receives the response and the version of a write', async () => {
    const { tracing, calls } = noting({ traceparent: '00-1-2-01', 'user-agent': 'other' });
    await using setup = await openClient(stored, { tracing });
    await setup.client.patch(ConfigMap, name, { type: 'merge', body: { data: { a: '1' } } });
    const [{ headers, url }] = setup.server.requests as [(typeof setup.server.requests)[number]];
    expect(headers).toMatchObject({ traceparent: '00-1-2-01', 'user-agent': 'keelson' });
    const path = url.pathname;
    const server = setup.server.url;
    const host = `127.0.0.1:${setup.server.port}`;
    expect(calls).toEqual([
      ['begin', { verb: 'patch', method: 'PATCH', host, path, server }],
      ['ended', 200, undefined],
      ['wrote', { uid: 'u', resourceVersion: '7' }],
    ]);
  });

  test('receives no version of a read, of a dry run and of a confirmed deletion', async () => {
    const { tracing, calls } = noting();
    await using setup = await openClient(
      (request, response, index) =>
        request.method === 'DELETE'
          ? json(response, { kind: 'Status', apiVersion: 'v1', status: 'Success' })
          : stored(request, response, index),
      { tracing },
    );
    const { client } = setup;
    await client.get(ConfigMap, name);
    await client.patch(ConfigMap, name, { type: 'merge', body: {} }, { dryRun: true });
    await client.delete(ConfigMap, name);
    expect(calls.map((call) => (call as unknown[])[0])).toEqual(
      Array.from({ length: 3 }, () => ['begin', 'ended']).flat(),
    );
  });

  test('receives each attempt, and the error of one without a response', async () => {
    const { tracing, calls } = noting();
    await using setup = await openClient(
      (request, response, index) => {
        if (index === 0) return void request.socket.destroy();
        return stored(request, response, index);
      },
      { tracing },
    );
    await setup.client.get(ConfigMap, name);
    expect(calls.map((call) => (call as unknown[]).slice(0, 2))).toMatchObject([
      ['begin', {}],
      ['ended', '<error>'],
      ['begin', {}],
      ['ended', 200],
    ]);
    expect(calls[1]).toEqual(['ended', '<error>', expect.any(Error)]);
  });

  test('does not affect a request by an error, which becomes one process warning', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const boom = (): never => {
      throw new Error('boom');
    };
    const rejecting = { begin: () => Promise.reject(new Error('boom')) };
    const tracings: RequestTracing[] = [
      { begin: boom },
      { begin: () => ({ headers: {}, ended: boom, wrote: boom }) },
      rejecting as object as RequestTracing,
    ];
    for (const tracing of tracings) {
      await using setup = await openClient(stored, { tracing });
      await setup.client.patch(ConfigMap, name, { type: 'merge', body: {} });
      await setup.client.patch(ConfigMap, name, { type: 'merge', body: {} });
    }
    expect(warned.mock.calls.map(([, facts]) => facts)).toEqual(
      Array.from({ length: 3 }, () => ({ type: 'KeelsonWarning', code: 'OBSERVER_FAILED' })),
    );
  });

  test('is refused without its method', () => {
    const cluster = { server: 'http://127.0.0.1:1' };
    const tracing = { started: () => undefined } as object as RequestTracing;
    expect(() => createClient({ cluster, tracing })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('createClient.tracing'),
      }),
    );
  });
});
