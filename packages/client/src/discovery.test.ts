import { describe, expect, test } from '@jest/globals';
import { builtin, defineResource } from '@keelson/apimachinery';
import { openClient } from './open-client.test-support.ts';
import { json, rejection, status, type Answer } from './recording-server.test-support.ts';

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

const aggregated: Answer = ({ url, headers }, response) => {
  expect(headers['accept']).toContain('g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
  const items =
    url.pathname === '/api'
      ? [aggregatedGroup('', ['v1'], pods)]
      : [aggregatedGroup('x.example', ['v2', 'v1'], widgets)];
  json(response, { kind: 'APIGroupDiscoveryList', items });
};

const legacy: Answer = ({ url }, response) => {
  const listings: Record<string, unknown> = {
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
] as const)('%s discovery', (_form, answer, requests) => {
  test('lists every resource, preferred versions first, subresources with their parents', async () => {
    await using setup = await openClient(answer, { retry: false });
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

  test('finds a token by kind or plural, in the preferred version or the one asked for', async () => {
    await using setup = await openClient(answer, { retry: false });
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

describe('Discovery', () => {
  test('those who ask together share one answer, and later ones remember it', async () => {
    await using setup = await openClient(aggregated);
    const { discovery } = setup.client;
    await Promise.all([discovery.resources(), discovery.resources(), discovery.resources()]);
    await discovery.resources();
    expect(setup.server.requests).toHaveLength(2);
    discovery.invalidate();
    await discovery.resources();
    expect(setup.server.requests).toHaveLength(4);
  });

  test('a failed answer is not remembered', async () => {
    let down = true;
    await using setup = await openClient((request, response, index) => {
      if (down) status(response, 500, 'InternalError');
      else void aggregated(request, response, index);
    });
    expect(await rejection(setup.client.discovery.resources())).toMatchObject({ statusCode: 500 });
    down = false;
    await expect(setup.client.discovery.resources()).resolves.toHaveLength(3);
  });

  test('RC17 serves asks about one group version; a no is never remembered', async () => {
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
      namespaced: false,
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

  test('serves throws what is no answer to the question', async () => {
    await using setup = await openClient((_request, response) =>
      status(response, 403, 'Forbidden'),
    );
    expect(await rejection(setup.client.discovery.serves(builtin.Pod))).toMatchObject({
      statusCode: 403,
    });
  });

  test('version is what /version says', async () => {
    await using setup = await openClient((_request, response) =>
      json(response, { major: '1', minor: '36', gitVersion: 'v1.36.3' }),
    );
    await expect(setup.client.discovery.version()).resolves.toMatchObject({
      gitVersion: 'v1.36.3',
    });
  });
});
