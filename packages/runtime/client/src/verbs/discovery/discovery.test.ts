import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin, defineResource } from '@keelson/apimachinery';
import type { Discovery } from './discovery.ts';
import { openClient } from '../../testing/open-client.test-support.ts';
import {
  json,
  rejection,
  status,
  type Responder,
} from '../../testing/recording-server.test-support.ts';
import type { RequestOptions } from '../calls/request-options.ts';

const verbs = ['get', 'list'];

function aggregatedGroup(group: string, versions: string[], resource: object): object {
  const items = versions.map((version) => ({
    version,
    freshness: 'Current',
    resources: [resource],
  }));
  return { metadata: { name: group }, versions: items };
}

const pods = {
  resource: 'pods',
  responseKind: { group: '', version: 'v1', kind: 'Pod' },
  scope: 'Namespaced',
  singularResource: 'pod',
  verbs,
  shortNames: ['po'],
  categories: ['all'],
  subresources: [{ subresource: 'status', responseKind: { kind: 'Pod' }, verbs: ['get'] }],
};
const widgets = { resource: 'widgets', responseKind: { kind: 'Widget' }, scope: 'Cluster', verbs };

const aggregated: Responder = ({ url, headers }, response) => {
  expect(headers['accept']).toContain('g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
  const items =
    url.pathname === '/api'
      ? [aggregatedGroup('', ['v1'], pods)]
      : [aggregatedGroup('x.example', ['v2', 'v1'], widgets)];
  json(response, { kind: 'APIGroupDiscoveryList', items });
};

const legacy: Responder = ({ url }, response) => {
  const listings: Record<string, unknown> = {
    '/version': { gitVersion: 'v1.36.3' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      groups: [
        {
          name: 'x.example',
          versions: [{ version: 'v1' }, { version: 'v2' }],
          preferredVersion: { version: 'v2' },
        },
        { name: 'broken.example', versions: [{ version: 'v1' }] },
      ],
    },
    '/api/v1': {
      resources: [
        {
          name: 'pods',
          singularName: 'pod',
          kind: 'Pod',
          namespaced: true,
          verbs,
          shortNames: ['po'],
          categories: ['all'],
        },
        { name: 'pods/status', kind: 'Pod', namespaced: true, verbs: ['get'] },
      ],
    },
    '/apis/x.example/v1': {
      resources: [{ name: 'widgets', kind: 'Widget', namespaced: false, verbs }],
    },
    '/apis/x.example/v2': {
      resources: [{ name: 'widgets', kind: 'Widget', namespaced: false, verbs }],
    },
  };
  const listing = listings[url.pathname];
  if (listing === undefined) status(response, 503, 'ServiceUnavailable');
  else json(response, listing);
};

describe.each([
  ['aggregated', aggregated, 2],
  ['legacy', legacy, 6],
] as const)('%s discovery', (_form, respond, requests) => {
  test('lists every resource, preferred versions first, with its subresources', async () => {
    await using setup = await openClient(respond, { retry: false });
    const resources = await setup.client.discovery.resources();
    expect(resources.map(({ group, version, plural }) => [group, version, plural])).toEqual([
      ['', 'v1', 'pods'],
      ['x.example', 'v2', 'widgets'],
      ['x.example', 'v1', 'widgets'],
    ]);
    expect(resources[0]).toEqual({
      group: '',
      version: 'v1',
      kind: 'Pod',
      plural: 'pods',
      singular: 'pod',
      namespaced: true,
      verbs,
      shortNames: ['po'],
      categories: ['all'],
      subresources: [{ name: 'status', kind: 'Pod', verbs: ['get'] }],
    });
    expect(setup.server.requests).toHaveLength(requests);
  });

  test('finds a token by kind or plural, in the preferred or the requested version', async () => {
    await using setup = await openClient(respond, { retry: false });
    const { discovery } = setup.client;
    expect(await discovery.find({ group: 'x.example', kind: 'Widget' })).toMatchObject({
      version: 'v2',
      plural: 'widgets',
      namespaced: false,
    });
    const query = { group: 'x.example', plural: 'widgets', version: 'v1' };
    expect(await discovery.find(query)).toMatchObject({ version: 'v1', kind: 'Widget' });
    expect(await discovery.find({ group: '', kind: 'Widget' })).toBeUndefined();
    expect(setup.server.requests).toHaveLength(requests);
  });
});

describe('a group whose server is down', () => {
  const down = { group: 'broken.example', version: 'v1' };

  /** The responses of each form of discovery while the server of a group is down, and after it is up again. */
  const forms: [string, (isUp: () => boolean) => Responder][] = [
    [
      'aggregated',
      (isUp) =>
        ({ url }, response) => {
          const freshness = isUp() ? 'Current' : 'Stale';
          const version = { version: 'v1', freshness, resources: isUp() ? [widgets] : null };
          const broken = { metadata: { name: down.group }, versions: [version] };
          const items = url.pathname === '/api' ? [aggregatedGroup('', ['v1'], pods)] : [broken];
          json(response, { kind: 'APIGroupDiscoveryList', items });
        },
    ],
    [
      'legacy',
      (isUp) => (request, response, index) => {
        const isAsked = request.url.pathname === '/apis/broken.example/v1';
        if (!isAsked || !isUp()) return legacy(request, response, index);
        return json(response, { resources: [{ name: 'widgets', kind: 'Widget', verbs }] });
      },
    ],
  ];

  afterEach(() => {
    jest.useRealTimers();
  });

  test.each(forms)(
    '%s: is reported as a failure and does not hide other groups',
    async (_form, responderFor) => {
      await using setup = await openClient(
        responderFor(() => false),
        { retry: false },
      );
      const { discovery } = setup.client;
      expect(await discovery.failures()).toEqual([expect.objectContaining(down)]);
      expect(await discovery.find({ group: '', kind: 'Pod' })).toMatchObject({ plural: 'pods' });
      expect(await discovery.find({ group: '', kind: 'Gadget' })).toBeUndefined();
      expect(await discovery.find({ group: 'absent.example', kind: 'Gadget' })).toBeUndefined();
      expect(await discovery.find({ ...down, version: 'v2', kind: 'Widget' })).toBeUndefined();
      for (const query of [
        { ...down, kind: 'Widget' },
        { group: down.group, plural: 'widgets' },
      ]) {
        const error = await rejection(discovery.find(query));
        expect(error).toMatchObject({ code: 'DISCOVERY_FAILED', facts: down });
      }
    },
  );

  test('legacy: its error is the cause of the failure', async () => {
    await using setup = await openClient(legacy, { retry: false });
    const { discovery } = setup.client;
    const [failure] = await discovery.failures();
    expect(failure?.error).toMatchObject({ statusCode: 503 });
    const error = await rejection(discovery.find({ group: down.group, kind: 'Widget' }));
    expect(error.cause).toBe(failure?.error);
  });

  test.each(forms)(
    '%s: is requested again after seconds, not minutes',
    async (_form, responderFor) => {
      let isUp = false;
      await using setup = await openClient(
        responderFor(() => isUp),
        { retry: false },
      );
      const { discovery } = setup.client;
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
      expect(await discovery.failures()).toHaveLength(1);
      const before = setup.server.requests.length;
      jest.advanceTimersByTime(4900);
      expect(await discovery.failures()).toHaveLength(1);
      expect(setup.server.requests).toHaveLength(before);
      isUp = true;
      jest.advanceTimersByTime(200);
      expect(await discovery.failures()).toEqual([]);
      expect(await discovery.find({ ...down, kind: 'Widget' })).toMatchObject({
        plural: 'widgets',
      });
      const complete = setup.server.requests.length;
      jest.advanceTimersByTime(4 * 60_000);
      await discovery.resources();
      expect(setup.server.requests).toHaveLength(complete);
    },
  );

  test('that is removed during discovery is not served, and is not a failure', async () => {
    await using setup = await openClient(({ url }, response) => {
      const groups = [{ name: 'gone.example', versions: [{ version: 'v1' }] }];
      if (url.pathname === '/api') json(response, { versions: null });
      else if (url.pathname === '/apis') json(response, { groups });
      else response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
    });
    const { discovery } = setup.client;
    expect(await discovery.failures()).toEqual([]);
    expect(await discovery.find({ group: 'gone.example', kind: 'Widget' })).toBeUndefined();
  });
});

describe('signals and time limits', () => {
  const runs: [string, (discovery: Discovery, options: RequestOptions) => Promise<unknown>][] = [
    ['resources', (discovery, options) => discovery.resources(options)],
    ['failures', (discovery, options) => discovery.failures(options)],
    ['find', (discovery, options) => discovery.find({ group: '', kind: 'Pod' }, options)],
    ['serves', (discovery, options) => discovery.serves(builtin.Pod, options)],
    ['version', (discovery, options) => discovery.version(options)],
  ];

  afterEach(() => {
    jest.useRealTimers();
  });

  test.each(runs)(
    '%s ends with its signal, but not for callers that share the request',
    async (_call, run) => {
      const go = Promise.withResolvers<void>();
      const arrived = Promise.withResolvers<void>();
      await using setup = await openClient(async (request, response, index) => {
        arrived.resolve();
        await go.promise;
        return legacy(request, response, index);
      });
      const { discovery } = setup.client;
      const stop = new AbortController();
      const ended = rejection(run(discovery, { signal: stop.signal }));
      const shared = run(discovery, {});
      await arrived.promise;
      stop.abort(new Error('enough'));
      expect((await ended).message).toBe('enough');
      await expect(run(discovery, { signal: stop.signal })).rejects.toThrow('enough');
      go.resolve();
      await expect(shared).resolves.toBeDefined();
    },
  );

  test.each(runs)(
    '%s throws REQUEST_TIMEOUT if the server does not respond',
    async (_call, run) => {
      const arrived = Promise.withResolvers<void>();
      await using setup = await openClient(() => arrived.resolve());
      jest.useFakeTimers({
        doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'],
      });
      const { discovery } = setup.client;
      const byDefault = rejection(run(discovery, {}));
      const impatient = rejection(run(discovery, { timeout: '3s' }));
      await arrived.promise;
      await jest.advanceTimersByTimeAsync(3000);
      expect(await impatient).toMatchObject({ code: 'REQUEST_TIMEOUT', facts: { timeout: '3s' } });
      await jest.advanceTimersByTimeAsync(29_000);
      jest.useRealTimers();
      expect(await byDefault).toMatchObject({ code: 'REQUEST_TIMEOUT', facts: { timeout: '32s' } });
    },
  );
});

describe('Discovery', () => {
  test('shares one request between concurrent callers, and caches the response', async () => {
    await using setup = await openClient(aggregated);
    const { discovery } = setup.client;
    await Promise.all([discovery.resources(), discovery.resources(), discovery.resources()]);
    await discovery.resources();
    expect(setup.server.requests).toHaveLength(2);
    discovery.invalidate();
    await discovery.resources();
    expect(setup.server.requests).toHaveLength(4);
  });

  test('does not cache a failed response', async () => {
    let down = true;
    await using setup = await openClient((request, response, index) => {
      if (down) status(response, 500, 'InternalError');
      else void aggregated(request, response, index);
    });
    expect(await rejection(setup.client.discovery.resources())).toMatchObject({ statusCode: 500 });
    down = false;
    await expect(setup.client.discovery.resources()).resolves.toHaveLength(3);
  });

  test('RC17 serves requests one group version and does not cache a negative result', async () => {
    let established = false;
    await using setup = await openClient((request, response, index) => {
      if (established) void legacy(request, response, index);
      else response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
    });
    const { client, server } = setup;
    const widget = defineResource({
      group: 'x.example',
      version: 'v2',
      kind: 'Widget',
      plural: 'widgets',
      scope: 'Cluster',
    });
    expect(await client.discovery.serves(widget)).toBe(false);
    expect(await client.discovery.serves(widget)).toBe(false);
    established = true;
    expect(await client.discovery.serves(widget)).toBe(true);
    expect(await client.discovery.serves(widget)).toBe(true);
    expect(server.requests.map(({ url }) => url.pathname)).toEqual([
      '/apis/x.example/v2',
      '/apis/x.example/v2',
      '/apis/x.example/v2',
    ]);
    expect(await client.discovery.serves({ ...builtin.Pod, plural: 'gadgets' })).toBe(false);
  });

  test('serves throws if the response is not a list of resources', async () => {
    await using setup = await openClient((_request, response) =>
      status(response, 403, 'Forbidden'),
    );
    expect(await rejection(setup.client.discovery.serves(builtin.Pod))).toMatchObject({
      statusCode: 403,
    });
  });

  test('version returns the response of /version', async () => {
    await using setup = await openClient((_request, response) =>
      json(response, { major: '1', minor: '36', gitVersion: 'v1.36.3' }),
    );
    await expect(setup.client.discovery.version()).resolves.toMatchObject({
      gitVersion: 'v1.36.3',
    });
  });
});
