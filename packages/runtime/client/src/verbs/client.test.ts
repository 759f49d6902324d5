import { describe, expect, test } from '@jest/globals';
import { builtin, defineResource, type KubernetesObject } from '@keelson/apimachinery';
import { createClient, type ClientOptions } from './create-client.ts';
import { openClient, type Setup } from '../testing/open-client.test-support.ts';
import {
  json,
  rejection,
  status,
  type Responder,
  type RecordedRequest,
} from '../testing/recording-server.test-support.ts';

/** A setup whose server returns the request body, and the only request that was sent. */
interface EchoSetup extends Setup {
  only(): { line: string; query: Record<string, string>; type: string | undefined; body: unknown };
}

const echo: Responder = ({ body }, response) =>
  json(response, body === '' ? { metadata: { name: 'b' } } : JSON.parse(body));

async function open(
  respond: Responder = echo,
  options: Partial<ClientOptions> = {},
): Promise<EchoSetup> {
  const setup = await openClient(respond, options);
  return {
    ...setup,
    only() {
      expect(setup.server.requests).toHaveLength(1);
      const { method, url, headers, body } = setup.server.requests[0] as RecordedRequest;
      return {
        line: `${method} ${url.pathname}`,
        query: Object.fromEntries(url.searchParams),
        type: headers['content-type'],
        body: body === '' ? undefined : (JSON.parse(body) as unknown),
      };
    },
  };
}

const name = { namespace: 'a', name: 'b' };
const path = '/api/v1/namespaces/a/configmaps';
const typed = { apiVersion: 'v1', kind: 'ConfigMap' };

describe('get', () => {
  test('reads one object', async () => {
    await using setup = await open();
    const got = await setup.client.get(builtin.ConfigMap, name, { resourceVersion: '0' });
    expect(got.metadata.name).toBe('b');
    expect(setup.only()).toMatchObject({ line: `GET ${path}/b`, query: { resourceVersion: '0' } });
    expect(setup.server.requests[0]?.headers).toMatchObject({
      accept: 'application/json',
      'user-agent': 'keelson',
    });
  });
});

describe('list', () => {
  test('sets apiVersion and kind of items, which built-in kinds omit', async () => {
    await using setup = await open((_request, response) =>
      json(response, {
        metadata: { resourceVersion: '1' },
        items: [{ metadata: name }, { ...typed, metadata: name }],
      }),
    );
    const list = await setup.client.list(builtin.ConfigMap, {
      namespace: 'a',
      labelSelector: { matchLabels: { b: '2', a: '1' } },
      fieldSelector: 'metadata.name=b',
      limit: 2,
      continue: 'c',
      resourceVersion: '9',
      resourceVersionMatch: 'Exact',
    });
    expect(list.items).toEqual([
      { ...typed, metadata: name },
      { ...typed, metadata: name },
    ]);
    expect(setup.only()).toMatchObject({
      line: `GET ${path}`,
      query: {
        labelSelector: 'a=1,b=2',
        fieldSelector: 'metadata.name=b',
        limit: '2',
        continue: 'c',
        resourceVersion: '9',
        resourceVersionMatch: 'Exact',
      },
    });
  });

  test('covers all namespaces by default, and reads null as an empty list', async () => {
    await using setup = await open((_request, response) => json(response, { items: null }));
    await expect(setup.client.list(builtin.ConfigMap)).resolves.toEqual({
      items: [],
      metadata: {},
    });
    expect(setup.only().line).toBe('GET /api/v1/configmaps');
  });
});

describe('items', () => {
  /** Serves the objects 1 to `total` in pages, as the API server does. */
  function pages(total: number, expire?: { at: number; fresh: string | undefined }): Responder {
    let expired = false;
    return ({ url }, response) => {
      const from = Number(url.searchParams.get('continue') ?? '0');
      if (expire !== undefined && from === expire.at && !expired) {
        expired = true;
        const metadata = expire.fresh === undefined ? {} : { continue: expire.fresh };
        json(response, { kind: 'Status', code: 410, reason: 'Expired', metadata }, 410);
        return;
      }
      const to = Math.min(from + Number(url.searchParams.get('limit')), total);
      const items = Array.from({ length: to - from }, (_, index) => ({
        metadata: { name: String(from + index) },
      }));
      // A list of custom resources ends with an empty token.
      json(response, { metadata: { continue: to < total ? String(to) : '' }, items });
    };
  }

  async function names(items: AsyncIterable<KubernetesObject>): Promise<string[]> {
    const all: string[] = [];
    for await (const item of items) all.push(item.metadata?.name ?? '');
    return all;
  }

  test('reads all pages, item by item, each with apiVersion and kind', async () => {
    await using setup = await open(pages(7));
    const items = setup.client.items(builtin.ConfigMap, { limit: 3, labelSelector: 'a=1' });
    const first = await items.next();
    expect(first.value).toEqual({ ...typed, metadata: { name: '0' } });
    expect(setup.server.requests).toHaveLength(1);
    expect(await names(items)).toEqual(['1', '2', '3', '4', '5', '6']);
    const queries = setup.server.requests.map(({ url }) => url.search);
    expect(queries).toEqual([
      '?labelSelector=a%3D1&limit=3',
      '?labelSelector=a%3D1&limit=3&continue=3',
      '?labelSelector=a%3D1&limit=3&continue=6',
    ]);
  });

  test('requests pages of 500 by default', async () => {
    await using setup = await open(pages(2));
    expect(await names(setup.client.items(builtin.ConfigMap))).toHaveLength(2);
    expect(setup.only().query).toEqual({ limit: '500' });
  });

  test('continues with the fresh token after a continue token has expired', async () => {
    await using setup = await open(pages(7, { at: 3, fresh: '3' }));
    const all = await names(setup.client.items(builtin.ConfigMap, { limit: 3 }));
    expect(all).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });

  test('throws if the continue token has expired and the server sends no fresh one', async () => {
    await using setup = await open(pages(7, { at: 3, fresh: undefined }));
    const error = await rejection(names(setup.client.items(builtin.ConfigMap, { limit: 3 })));
    expect(error).toMatchObject({ statusCode: 410 });
  });
});

describe('writes', () => {
  test('create sends the object with its type, and all options', async () => {
    await using setup = await open(echo, { fieldManager: 'mine' });
    const object = { metadata: { namespace: 'a', generateName: 'b-' }, data: { x: 'ü' } };
    const created = await setup.client.create(builtin.ConfigMap, object, {
      dryRun: true,
      fieldValidation: 'Strict',
    });
    expect(created).toEqual({ ...typed, ...object });
    expect(setup.only()).toEqual({
      line: `POST ${path}`,
      query: { dryRun: 'All', fieldManager: 'mine', fieldValidation: 'Strict' },
      type: 'application/json',
      body: { ...typed, ...object },
    });
  });

  test('update sends the object to the path of its name', async () => {
    await using setup = await open();
    await setup.client.update(builtin.ConfigMap, { metadata: name }, { fieldManager: 'x' });
    expect(setup.only()).toMatchObject({ line: `PUT ${path}/b`, query: { fieldManager: 'x' } });
  });

  test.each([
    ['json', [{ op: 'remove', path: '/data' }], 'application/json-patch+json'],
    ['merge', { data: { a: null } }, 'application/merge-patch+json'],
    ['strategic', { data: { $patch: 'delete' } }, 'application/strategic-merge-patch+json'],
  ] as const)('patch of type %s', async (type, body, mediaType) => {
    await using setup = await open((_request, response) => json(response, { metadata: name }));
    await setup.client.patch(builtin.ConfigMap, name, { type, body } as never, { dryRun: true });
    expect(setup.only()).toEqual({
      line: `PATCH ${path}/b`,
      query: { dryRun: 'All' },
      type: mediaType,
      body,
    });
  });

  test('apply forces by default and sends a field manager', async () => {
    await using setup = await open();
    const { client, server } = setup;
    await client.apply(builtin.ConfigMap, { metadata: name, data: { a: '1' } });
    expect(setup.only()).toEqual({
      line: `PATCH ${path}/b`,
      query: { fieldManager: 'keelson', force: 'true' },
      type: 'application/apply-patch+yaml',
      body: { ...typed, metadata: name, data: { a: '1' } },
    });
    const own = client.withFieldManager('web-app');
    await own.apply(builtin.ConfigMap, { metadata: name }, { force: false });
    expect(server.requests[1]?.url.search).toBe('?fieldManager=web-app&force=false');
  });

  test('delete sends its options and returns the object if the server does', async () => {
    await using setup = await open((_request, response, index) =>
      json(response, index === 0 ? { kind: 'Status', status: 'Success' } : { metadata: name }),
    );
    const preconditions = { uid: 'u', resourceVersion: '1' };
    const options = {
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
      preconditions,
    } as const;
    const gone = await setup.client.delete(builtin.ConfigMap, name, { ...options, dryRun: true });
    expect(gone).toBeUndefined();
    expect(setup.only()).toMatchObject({
      line: `DELETE ${path}/b`,
      body: { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'], ...options },
    });
    expect(await setup.client.delete(builtin.ConfigMap, name)).toEqual({ metadata: name });
    expect(setup.server.requests[1]?.body).toBe('');
  });

  test('deleteCollection deletes the selected objects', async () => {
    await using setup = await open();
    const selection = { namespace: 'a', labelSelector: 'x', fieldSelector: 'metadata.name!=k' };
    await setup.client.deleteCollection(builtin.ConfigMap, { ...selection, gracePeriodSeconds: 1 });
    expect(setup.only()).toMatchObject({
      line: `DELETE ${path}`,
      query: { labelSelector: 'x', fieldSelector: 'metadata.name!=k' },
      body: { kind: 'DeleteOptions', gracePeriodSeconds: 1 },
    });
  });

  test('an object of another type, or without name or namespace, is refused before a request is sent', async () => {
    await using setup = await open();
    const { client } = setup;
    const wrong = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: name };
    expect(await rejection(client.create(builtin.ConfigMap, wrong))).toMatchObject({
      code: 'WRONG_OBJECT',
      facts: { expected: 'v1 ConfigMap', object: 'apps/v1 Deployment' },
    });
    const nameless = { metadata: { namespace: 'a' } };
    for (const verb of ['update', 'apply'] as const) {
      expect(await rejection(client[verb](builtin.ConfigMap, nameless))).toMatchObject({
        code: 'NAME_REQUIRED',
      });
    }
    const homeless = { metadata: { name: 'b' } };
    for (const verb of ['create', 'update', 'apply'] as const) {
      expect(await rejection(client[verb](builtin.ConfigMap, homeless))).toMatchObject({
        code: 'NAMESPACE_REQUIRED',
        facts: { kind: 'ConfigMap', name: 'b' },
      });
    }
    expect(setup.server.requests).toHaveLength(0);
  });
});

describe('subresources', () => {
  test('status is read, updated, patched and applied separately', async () => {
    await using setup = await open();
    const widgets = defineResource({
      group: 'x.example',
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
    });
    const writer = setup.client.status(widgets);
    await writer.get(name);
    await writer.update({ metadata: name });
    await writer.patch(name, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    await writer.apply({ metadata: name });
    const lines = setup.server.requests.map(
      ({ method, url }) => `${method} ${url.pathname}${url.search}`,
    );
    const at = '/apis/x.example/v1/namespaces/a/widgets/b/status';
    expect(lines).toEqual([
      `GET ${at}`,
      `PUT ${at}`,
      `PATCH ${at}`,
      `PATCH ${at}?fieldManager=keelson&force=true`,
    ]);
    expect(setup.server.requests[1]?.body).toContain('"kind":"Widget"');
  });

  test('scale, eviction, binding and token are called by name', async () => {
    await using setup = await open();
    const { client, server } = setup;
    const scale = client.subresource(builtin.Deployment, 'scale');
    await scale.get(name);
    await scale.update(name, { metadata: name, spec: { replicas: 3 } });
    await scale.patch(name, { type: 'merge', body: { spec: { replicas: 2 } } });
    await scale.apply(name, { spec: { replicas: 2 } }, { force: false });
    await client.subresource(builtin.Pod, 'eviction').create(name, { metadata: name });
    const token = client.subresource<{ spec: { expirationSeconds: number } }>(
      builtin.ServiceAccount,
      'token',
    );
    await token.create(name, { spec: { expirationSeconds: 600 } });
    const lines = server.requests.map(({ method, url }) => `${method} ${url.pathname}`);
    const deployment = '/apis/apps/v1/namespaces/a/deployments/b/scale';
    expect(lines).toEqual([
      `GET ${deployment}`,
      `PUT ${deployment}`,
      `PATCH ${deployment}`,
      `PATCH ${deployment}`,
      'POST /api/v1/namespaces/a/pods/b/eviction',
      'POST /api/v1/namespaces/a/serviceaccounts/b/token',
    ]);
  });

  test('a subresource that cannot be in a URL is refused', () => {
    const client = createClient({ cluster: { server: 'http://127.0.0.1:1' } });
    expect(() => client.subresource(builtin.Pod, '../x')).toThrow(
      expect.objectContaining({ code: 'INVALID_NAME' }),
    );
  });
});

describe('watch', () => {
  const lines =
    (...events: unknown[]): Responder =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    };

  test('yields events and bookmarks until the server ends it', async () => {
    const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '5' } } };
    const added = { type: 'ADDED', object: { metadata: { name: 'a' } } };
    await using setup = await open(lines(added, bookmark));
    const events: unknown[] = [];
    const options = { namespace: 'a', resourceVersion: '1', allowWatchBookmarks: true } as const;
    for await (const event of setup.client.watch(builtin.ConfigMap, options)) events.push(event);
    expect(events).toEqual([added, bookmark]);
    expect(setup.only()).toMatchObject({
      line: `GET ${path}`,
      query: { watch: '1', resourceVersion: '1', allowWatchBookmarks: 'true' },
    });
  });

  test('sendInitialEvents sets the resourceVersionMatch that the server requires', async () => {
    await using setup = await open(lines());
    await setup.client.watch(builtin.ConfigMap, { sendInitialEvents: true }).next();
    expect(setup.only().query).toEqual({
      watch: '1',
      resourceVersionMatch: 'NotOlderThan',
      sendInitialEvents: 'true',
    });
  });

  test('throws an ERROR event as StatusError, first or later', async () => {
    const gone = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } };
    const added = { type: 'ADDED', object: { metadata: { name: 'a' } } };
    await using setup = await open(lines(added, gone));
    const events = setup.client.watch(builtin.ConfigMap);
    expect((await events.next()).value).toEqual(added);
    expect(await rejection(events.next())).toMatchObject({ statusCode: 410, reason: 'Expired' });
  });
});

describe('request', () => {
  test('sends any request and returns the response as text', async () => {
    await using setup = await open((_request, response) => {
      response.writeHead(201, { 'content-type': 'text/plain' }).end('ok');
    });
    const response = await setup.client.request({
      method: 'POST',
      path: '/api/v1/proxy',
      query: { verbose: true },
      headers: { 'x-a': 'b' },
      body: { a: 1 },
    });
    expect(response).toMatchObject({ statusCode: 201, contentType: 'text/plain', body: 'ok' });
    expect(setup.only()).toEqual({
      line: 'POST /api/v1/proxy',
      query: { verbose: 'true' },
      type: 'application/json',
      body: { a: 1 },
    });
    expect(setup.server.requests[0]?.headers['x-a']).toBe('b');
  });

  test('throws for an error code, and refuses an invalid path', async () => {
    await using setup = await open((_request, response) => status(response, 500, 'InternalError'));
    expect(await rejection(setup.client.request({ path: '/healthz' }))).toMatchObject({
      statusCode: 500,
    });
    expect(await rejection(setup.client.request({ path: 'healthz' }))).toMatchObject({
      code: 'UNSAFE_PATH',
    });
  });
});

describe('options', () => {
  test.each([
    ['createClient', () => createClient({ cluster: { server: 'http://x' }, timeout: 1 } as never)],
    [
      'createClient.retry',
      () => createClient({ cluster: { server: 'http://x' }, retry: { base: -1 } }),
    ],
    [
      'createClient.retry',
      () => createClient({ cluster: { server: 'http://x' }, retry: { n: 1 } as never }),
    ],
    ['createClient.cluster', () => createClient({} as never)],
    ['createClient', () => createClient(undefined as never)],
  ])('an invalid option of %s throws at the call', (where, call) => {
    expect(call).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: expect.stringContaining(where) }),
      }),
    );
  });

  test('unknown options of every verb are refused by name', async () => {
    const client = createClient({ cluster: { server: 'http://127.0.0.1:1' } });
    const odd = { foo: 1 } as never;
    const calls = {
      'get.foo': client.get(builtin.ConfigMap, name, odd),
      'list.foo': client.list(builtin.ConfigMap, odd),
      'create.foo': client.create(builtin.ConfigMap, { metadata: name }, odd),
      'update.foo': client.update(builtin.ConfigMap, { metadata: name }, odd),
      'patch.foo': client.patch(builtin.ConfigMap, name, { type: 'merge', body: {} }, odd),
      'apply.foo': client.apply(builtin.ConfigMap, { metadata: name }, odd),
      'delete.foo': client.delete(builtin.ConfigMap, name, odd),
      'deleteCollection.foo': client.deleteCollection(builtin.ConfigMap, odd),
      'request.foo': client.request({ path: '/', foo: 1 } as never),
    };
    for (const [option, call] of Object.entries(calls)) {
      expect(await rejection(call)).toMatchObject({ code: 'INVALID_OPTION', facts: { option } });
    }
    expect(() => client.watch(builtin.ConfigMap, odd)).toThrow('watch.foo');
    expect(() => client.items(builtin.ConfigMap, odd)).toThrow('items.foo');
    const timed = { timeout: 1 } as never;
    expect(() => client.items(builtin.ConfigMap, timed)).toThrow('items.timeout');
  });

  test('an invalid timeout is refused by name', async () => {
    const client = createClient({ cluster: { server: 'http://127.0.0.1:1' } });
    expect(
      await rejection(client.get(builtin.ConfigMap, name, { timeout: 'soon' as never })),
    ).toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: 'get.timeout' },
    });
  });
});
