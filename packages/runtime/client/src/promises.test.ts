import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { interruptedClient } from './apply-set/interrupted-client.test-support.ts';
import {
  applyAll,
  ClientError,
  createClient,
  loadCluster,
  type ClientObserver,
  type Credentials,
} from './index.ts';
import { openClient } from './testing/open-client.test-support.ts';
import {
  json,
  rejection,
  startServer,
  status,
  type Responder,
  type RecordingServer,
} from './testing/recording-server.test-support.ts';

const name = { namespace: 'a', name: 'b' };
const secret = 'hunter2hunter2hunter2';
const { signal } = new AbortController();

async function allClosed(server: RecordingServer): Promise<void> {
  while (server.sockets.size > 0) await once([...server.sockets][0] as Socket, 'close');
}

describe('promises', () => {
  test('A request that changes something is sent again only if the first one certainly changed nothing.', async () => {
    const endings: Responder[] = [
      ({ socket }) => void socket.destroy(),
      (_request, response) => status(response, 503, 'ServiceUnavailable'),
      (_request, response) => status(response, 504, 'Timeout'),
      (_request, response) => status(response, 500, 'InternalError'),
    ];
    for (const ending of endings) {
      await using setup = await openClient(ending);
      const { client, server } = setup;
      await rejection(client.create(builtin.ConfigMap, { metadata: name }));
      const body = [{ op: 'add', path: '/data/a', value: '1' }] as const;
      await rejection(client.patch(builtin.ConfigMap, name, { type: 'json', body }));
      await rejection(client.request({ method: 'POST', path: '/api' }));
      await rejection(client.update(builtin.ConfigMap, { metadata: name }));
      await rejection(client.delete(builtin.ConfigMap, name));
      expect(server.requests.map(({ method }) => method)).toEqual([
        'POST',
        'PATCH',
        'POST',
        'PUT',
        'DELETE',
      ]);
    }
  });

  test('A read is sent again when the server is overloaded or its response is cut off, also in the middle of the body.', async () => {
    const endings: Responder[] = [
      ({ socket }) => void socket.destroy(),
      (_request, response) => status(response, 429, 'TooManyRequests'),
      (_request, response) => status(response, 503, 'ServiceUnavailable'),
      (_request, response) => status(response, 504, 'Timeout'),
      ({ socket }, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"metadata":', () => socket.destroy());
      },
    ];
    for (const ending of endings) {
      await using setup = await openClient((request, response, index) => {
        if (index === 0) return ending(request, response, index);
        return json(response, { metadata: name });
      });
      await expect(setup.client.get(builtin.ConfigMap, name)).resolves.toBeDefined();
      expect(setup.server.requests).toHaveLength(2);
    }
  });

  test('RF45 Expired credentials are refreshed once, however many requests were refused with them.', async () => {
    const forced: boolean[] = [];
    await using server = await startServer(({ headers, url }, response) => {
      if (headers.authorization !== 'Bearer new') status(response, 401, 'Unauthorized');
      else if (url.searchParams.has('watch')) {
        response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      } else json(response, { metadata: {} });
    });
    await using client = createClient({
      cluster: {
        server: server.url,
        async credentials({ force }) {
          forced.push(force);
          return { headers: { authorization: force ? 'Bearer new' : 'Bearer old' } };
        },
      },
    });
    const lister = client.listerWatcher({ resource: builtin.ConfigMap });
    const watches = Array.from({ length: 50 }, () =>
      lister.watch({ signal })[Symbol.asyncIterator](),
    );
    const opened = await Promise.all([
      ...watches.map((watch) => watch.next()),
      ...Array.from({ length: 50 }, () => client.get(builtin.ConfigMap, name)),
    ]);
    expect(opened).toHaveLength(100);
    expect(forced).toEqual([false, true]);
  });

  test('RF45 Credentials stay in use until a refresh succeeds; a failed refresh never leads to a request without credentials.', async () => {
    const failures: unknown[] = [];
    let refused = false;
    await using server = await startServer((_request, response) => {
      if (refused) status(response, 401, 'Unauthorized');
      else json(response, { metadata: {} });
    });
    let fetches = 0;
    const credentials = async (): Promise<Credentials> => {
      if (fetches++ > 0) throw new Error('plugin');
      return { headers: { authorization: 'Bearer valid' } };
    };
    await using client = createClient({
      cluster: { server: server.url, credentials },
      observer: { credentialsFailed: (error) => void failures.push(error) },
      retry: false,
    });
    await client.get(builtin.ConfigMap, name);
    refused = true;
    const failed = { code: 'CREDENTIALS_FAILED', cause: new Error('plugin') };
    expect(await rejection(client.get(builtin.ConfigMap, name))).toMatchObject(failed);
    refused = false;
    await client.get(builtin.ConfigMap, name);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array(3).fill('Bearer valid'),
    );
    expect(failures).toEqual([expect.objectContaining(failed)]);
  });

  test('No error, fact or log line carries a secret.', async () => {
    const said: unknown[] = [];
    const observer: ClientObserver = {
      requestStarted: (...observed) => void said.push(observed),
      requestEnded: (...observed) => void said.push(observed),
      requestRetried: (...observed) => void said.push(observed),
      credentialsRefreshed: (...observed) => void said.push(observed),
    };
    await using server = await startServer((_request, response, index) => {
      if (index < 2) status(response, 401, 'Unauthorized');
      else if (index < 3) status(response, 503, 'Busy');
      else response.writeHead(200, { 'content-type': 'application/json' }).end(`{"a":"${secret}`);
    });
    const users = [{ token: secret }, { username: 'eve', password: secret }];
    const errors: unknown[] = [];
    for (const user of users) {
      const kubeConfig = JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: server.url } }],
        users: [{ name: 'u', user }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      });
      await using client = createClient({
        cluster: () => loadCluster({ kubeConfig }),
        observer,
        retry: { base: 0 },
      });
      errors.push(await rejection(client.get(builtin.Secret, name)));
      errors.push(await rejection(loadCluster({ kubeConfig: `${kubeConfig}${secret}"` })));
    }
    expect(errors.map((error) => (error as { code: string }).code)).toEqual([
      'UNAUTHORIZED',
      'KUBECONFIG_INVALID',
      'UNAUTHORIZED',
      'KUBECONFIG_INVALID',
    ]);
    expect(server.requests[0]?.headers.authorization).toContain(secret);
    expect(said.length).toBeGreaterThan(3);
    const observed = everything([...said, ...errors]);
    expect(observed).not.toContain(secret);
    expect(observed).not.toContain(Buffer.from(`eve:${secret}`).toString('base64'));
  });

  test('A watch whose response is cut off throws; only a watch that the server ends returns.', async () => {
    const line = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a' } } })}\n`;
    const endings: [string, Responder][] = [
      ['ends', (_request, response) => void response.end(line)],
      ['throws', (_request, response) => void response.end(line.slice(0, -5))],
      ['throws', ({ socket }, response) => void response.write(line, () => socket.destroy())],
      ['throws', ({ socket }, response) => void response.write(line, () => socket.end())],
      [
        'throws',
        ({ socket }, response) => void response.write(line, () => socket.resetAndDestroy()),
      ],
    ];
    for (const [ending, respond] of endings) {
      await using setup = await openClient((request, response, index) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        return respond(request, response, index);
      });
      const read = async (): Promise<string> => {
        let events = 0;
        for await (const event of setup.client.watch(builtin.ConfigMap))
          events += event.object ? 1 : 0;
        return events === 1 ? 'ends' : 'lost an event';
      };
      expect(await read().catch(() => 'throws')).toBe(ending);
    }
  });

  test('A slow reader leads to backpressure on the server, not to buffers in the process.', async () => {
    const item = JSON.stringify({ metadata: { name: 'x'.repeat(10_000) } });
    const whole = 200_000_000;
    let written = 0;
    await using setup = await openClient(async ({ url }, response) => {
      if (url.pathname.includes('nodes')) return json(response, { metadata: {} });
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[');
      while (written < whole) {
        written += item.length;
        if (!response.write(`${item},`)) await once(response, 'drain');
      }
    });
    const items = setup.client.items(builtin.ConfigMap);
    await items.next();
    // The connection is full when nothing was written during many turns of the event loop.
    for (let before = -1; before !== written;) {
      before = written;
      for (let turn = 0; turn < 50; turn++) await setup.client.get(builtin.Node, { name: 'a' });
    }
    expect(written).toBeLessThan(whole / 4);
    await items.return?.();
  });

  test('An API server that is away is probed at most once a second, for all watches and requests of a client together, and not at all when it is back.', async () => {
    const times: number[] = [];
    await using setup = await openClient((_request, response, index) => {
      times.push(performance.now());
      response.writeHead(index < 2 ? 500 : 200).end();
    });
    const { client } = setup;
    const away = new ClientError('SERVER_UNREACHABLE');
    const kinds = [builtin.Pod, builtin.Node, builtin.ConfigMap];
    const waits = kinds.flatMap((resource) => {
      const source = client.listerWatcher({ resource });
      return Array.from({ length: 10 }, async () => source.recovered(away, signal));
    });
    await Promise.all(waits);
    const paths = setup.server.requests.map(({ url }) => url.pathname);
    expect(paths).toEqual(['/readyz', '/readyz', '/readyz']);
    const [first = 0, , last = 0] = times;
    // The times are those of the server; the client leaves a second between the starts.
    expect(last - first).toBeGreaterThan(1_900);
    await rejection(client.get(builtin.Node, { name: 'a' }));
    expect(setup.server.requests).toHaveLength(4);
  });

  test('An abort, a break out of a loop, or close ends the request and its socket at once.', async () => {
    const stop = new AbortController();
    await using setup = await openClient((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"type":"ADDED","object":{"metadata":{}}}\n');
    });
    const { client, server } = setup;
    for await (const event of client.watch(builtin.ConfigMap)) if (event.type === 'ADDED') break;
    await allClosed(server);
    const aborted = client.watch(builtin.ConfigMap, { signal: stop.signal });
    await aborted.next();
    stop.abort(new Error('enough'));
    expect((await rejection(aborted.next())).message).toBe('enough');
    await allClosed(server);
    const closed = client.watch(builtin.ConfigMap);
    await closed.next();
    const next = rejection(closed.next());
    await client.close();
    expect(await next).toMatchObject({ code: 'CLIENT_CLOSED' });
    await allClosed(server);
    expect(server.accepted()).toBe(3);
  });

  test('Items of a list have apiVersion and kind, also where the server leaves them out.', async () => {
    await using setup = await openClient((_request, response) =>
      json(response, { items: [{ metadata: name }] }),
    );
    const { items } = await setup.client.list(builtin.Deployment);
    const streamed = await setup.client.items(builtin.Deployment).next();
    const typed = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: name };
    expect([items[0], streamed.value]).toEqual([typed, typed]);
  });

  test('A list that is being iterated never holds a socket that other requests need.', async () => {
    const object = JSON.stringify({ metadata: name });
    await using setup = await openClient(({ url }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      // A list that does not end, like one whose consumer waits for another response.
      if (url.pathname.endsWith('/b')) response.end(object);
      else response.write(`{"kind":"ConfigMapList","items":[${object},`);
    });
    const { client } = setup;
    const lists = Array.from({ length: 200 }, () => client.items(builtin.ConfigMap));
    await Promise.all(lists.map((list) => list.next()));
    await expect(client.get(builtin.ConfigMap, name)).resolves.toBeDefined();
    for (const list of lists) await list.return?.();
  });

  test('A response that is not an object or list of the API is refused, and so is one that is too large after decompression.', async () => {
    const blanks = gzipSync(Buffer.alloc(1_000_000, ' '));
    await using setup = await openClient(({ url }, response) => {
      const isLarge = url.pathname.includes('secrets');
      if (!isLarge) return json(response, { kind: 'Table', rows: [] });
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      response.writeHead(200, headers);
      response.end(Buffer.concat(Array.from({ length: 300 }, () => blanks)));
      return undefined;
    });
    const { client } = setup;
    for (const read of [client.list(builtin.ConfigMap), client.get(builtin.ConfigMap, name)]) {
      expect(await rejection(read)).toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    }
    const large = await rejection(client.list(builtin.Secret));
    expect(large).toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
  });

  test('A write under a guard is sent only if the guard permits it at that moment, also when it waited for a connection.', async () => {
    await using setup = await openClient((_request, response) => json(response, { metadata: {} }));
    const refusal = new Error('not the leader');
    let calls = 0;
    // Permitted when the call begins, and no longer when a connection takes the request.
    const check = (): void => {
      calls += 1;
      if (calls > 1) throw refusal;
    };
    const client = setup.client.withWriteGuard({ check, signal });
    expect(await rejection(client.create(builtin.ConfigMap, { metadata: name }))).toBe(refusal);
    expect([setup.server.requests.length, calls]).toEqual([0, 2]);
  });

  test('A write observer receives the response of every write that succeeded, before its caller, and of no other one.', async () => {
    const configMap = { metadata: name };
    const stored = { kind: 'ConfigMap', metadata: { ...name, uid: 'u', resourceVersion: '5' } };
    await using setup = await openClient(({ method }, response) =>
      method === 'PUT'
        ? json(response, { kind: 'Status', code: 409 }, 409)
        : json(response, stored),
    );
    const steps: string[] = [];
    const client = setup.client.withWriteObserver({
      written: (_resource, { metadata }) => void steps.push(metadata.resourceVersion),
      deleted: () => void steps.push('deleted'),
    });
    await client.create(builtin.ConfigMap, configMap).then(() => steps.push('created'));
    await rejection(client.update(builtin.ConfigMap, configMap));
    await client.get(builtin.ConfigMap, name);
    await client.create(builtin.ConfigMap, configMap, { dryRun: true });
    await client.delete(builtin.ConfigMap, name);
    expect(steps).toEqual(['5', 'created', 'deleted']);
  });

  test('An observer that throws or rejects affects no request, and its first error becomes a warning of the process.', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const fails = (): never => {
      throw new Error('broken');
    };
    const rejects = (): never => Promise.reject(new Error('broken')) as never;
    const stored = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...name, uid: 'u' } };
    await using setup = await openClient((_request, response) => json(response, stored), {
      observer: { requestStarted: fails, requestEnded: rejects },
    });
    for (let calls = 0; calls < 2; calls += 1) {
      expect(await setup.client.get(builtin.ConfigMap, name)).toMatchObject(stored);
    }
    expect(warned).toHaveBeenCalledTimes(2);
    warned.mockRestore();
  });

  test('A kind whose lists or watches work only as JSON is read as JSON after three failures in protobuf.', async () => {
    await using setup = await openClient(
      ({ url, headers }, response) => {
        if (url.pathname === '/version') return json(response, { major: '1', minor: '36' });
        if (headers.accept !== 'application/json') return status(response, 500, 'InternalError');
        return json(response, {
          kind: 'ConfigMapList',
          metadata: { resourceVersion: '7' },
          items: [],
        });
      },
      { protobuf: true },
    );
    const lister = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    const list = async (): Promise<void> => {
      for await (const _ of lister.list({ signal })) continue;
    };
    for (let count = 0; count < 3; count += 1) await rejection(list());
    await list();
    await list();
    const accepted = setup.server.requests.slice(-3).map(({ headers }) => headers.accept);
    expect(accepted).toEqual([
      'application/vnd.kubernetes.protobuf,application/json',
      'application/json',
      'application/json',
    ]);
  });

  test('An invalid name, namespace or option is refused before a request is sent.', async () => {
    await using setup = await openClient((_request, response) => json(response, { metadata: {} }));
    const { client, server } = setup;
    const calls = [
      client.get(builtin.Pod, { namespace: 'a', name: '../secrets/x' }),
      client.get(builtin.Pod, { namespace: 'a/../b', name: 'x' }),
      client.get(builtin.Pod, { name: 'x' }),
      client.delete(builtin.Node, { namespace: 'a', name: 'x' }),
      client.list(builtin.Pod, { labelSelector: 'a in (' }),
      client.create(builtin.Pod, { metadata: name }, { dryrun: true } as never),
    ];
    const codes = await Promise.all(calls.map(rejection));
    expect(codes.map((error) => (error as { code?: string }).code)).toEqual([
      'INVALID_NAME',
      'INVALID_NAME',
      'NAMESPACE_REQUIRED',
      'NAMESPACE_NOT_ALLOWED',
      'INVALID_LABEL_SELECTOR',
      'INVALID_OPTION',
    ]);
    expect(server.requests).toHaveLength(0);
  });

  test('A call of applyAll that ends between any two requests loses no object for the next call, and deletes none of another owner.', async () => {
    await using server = await createApiServer({});
    await using client = createClient({ cluster: server.cluster });
    const named = (one: string) => ({ metadata: { namespace: 'default', name: one } });
    const owner = await client.create(builtin.ConfigMap, named('owner'));
    const rival = await client.create(builtin.ConfigMap, named('rival'));
    const part = (kind: string, one: string) => ({ apiVersion: 'v1', kind, ...named(one) });
    await applyAll([part('Secret', 'kept')], { client, owner: rival });
    for (let request = 1; request <= 12; request += 1) {
      const { client: killed } = interruptedClient(client, { request, isHandled: true });
      const parts = [part('Secret', 'a'), part('ConfigMap', 'b')];
      await applyAll(parts, { client: killed, owner, prune: true }).catch(() => undefined);
      await applyAll([], { client, owner, prune: true });
      const { items: secrets } = await client.list(builtin.Secret, { namespace: 'default' });
      const { items: configMaps } = await client.list(builtin.ConfigMap, { namespace: 'default' });
      const left = [...secrets, ...configMaps].map(({ metadata }) => metadata.name);
      expect(left).toEqual(['kept', 'owner', 'rival']);
    }
  });

  test('client-node is loaded only when a kubeconfig is read or one of its typed APIs is used.', async () => {
    const module = (file: string): string =>
      JSON.stringify(fileURLToPath(new URL(file, import.meta.url)));
    const script = `
      import { registerHooks } from 'node:module';
      let loaded = false;
      const load = (url, context, next) => {
        loaded ||= url.includes('@kubernetes/client-node');
        return next(url, context);
      };
      registerHooks({ load });
      const { createClient, loadCluster } = await import(${module('index.ts')});
      const { serviceAccountCluster } = await import(${module('cluster/credentials/service-account.ts')});
      createClient({ cluster: { server: 'http://127.0.0.1' } });
      await serviceAccountCluster('https://127.0.0.1', {});
      const before = loaded;
      await loadCluster({ kubeConfig: '{}' }).catch(() => undefined);
      console.log(before, loaded);`;
    const flags = ['--conditions=@keelson/source', '--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, flags);
    expect(stdout.trim()).toBe('false true');
  });
});

/** The text of all facts of an error, including causes and members that are not enumerable. */
function everything(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (seen.has(value)) return '';
  seen.add(value);
  return Reflect.ownKeys(value)
    .map((key) => `${String(key)} ${everything(Reflect.get(value, key), seen)}`)
    .join('\n');
}
