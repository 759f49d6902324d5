import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const groups = [
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
];

describe('discovery', () => {
  test('lists groups, versions and resources', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    expect((await client.get('/api')).body).toMatchObject({
      kind: 'APIVersions',
      versions: ['v1'],
    });
    const listed = (await client.get('/apis')).body.groups.map(({ name }: Json) => name);
    expect(listed).toEqual(expect.arrayContaining(groups));
    expect((await client.get('/apis/autoscaling')).body).toMatchObject({
      kind: 'APIGroup',
      versions: [{ version: 'v2' }, { version: 'v1' }],
      preferredVersion: { groupVersion: 'autoscaling/v2' },
    });
    const { body } = await client.get('/apis/apps/v1');
    const find = (name: string): Json => body.resources.find((found: Json) => found.name === name);
    expect(find('deployments')).toMatchObject({
      kind: 'Deployment',
      namespaced: true,
      shortNames: ['deploy'],
      categories: ['all'],
      verbs: expect.arrayContaining(['deletecollection', 'watch']),
    });
    expect(find('deployments/scale')).toMatchObject({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    });
  });

  test('returns an aggregated document if the client requests it', async () => {
    await using server = await createApiServer();
    const accept =
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const { body, headers } = await new RawClient(server).get('/apis', { accept });
    expect(headers.get('content-type')).toBe(
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    );
    const apps = body.items.find(({ metadata }: Json) => metadata.name === 'apps');
    expect(apps.versions[0].resources).toContainEqual(
      expect.objectContaining({
        resource: 'deployments',
        responseKind: { group: 'apps', version: 'v1', kind: 'Deployment' },
        scope: 'Namespaced',
        singularResource: 'deployment',
      }),
    );
    const core = (await new RawClient(server).get('/api', { accept })).body;
    expect(core.items[0].versions[0].version).toBe('v1');
  });

  test.each([
    ['/apis/nothing.example.com', 404, '404 page not found\n'],
    ['/apis/apps/v9', 404, undefined],
    ['/nothing', 404, '404 page not found\n'],
  ])('%s returns 404', async (path, code, text) => {
    await using server = await createApiServer();
    const response = await new RawClient(server).get(path);
    expect(response.code).toBe(code);
    if (text === undefined) expect(response.body.kind).toBe('Status');
    else expect(response.text).toBe(text);
  });
});

describe('other paths', () => {
  test.each(['/healthz', '/livez', '/readyz', '/livez/ping'])('%s is ok', async (path) => {
    await using server = await createApiServer();
    const { code, text } = await new RawClient(server).get(path);
    expect([code, text]).toEqual([200, 'ok']);
  });

  test('/readyz?verbose lists the checks; an unknown one is 404', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    expect((await client.get('/readyz?verbose')).text).toContain('[+]ping ok\n');
    expect((await client.get('/readyz/nothing')).code).toBe(404);
  });

  test('/version returns the Kubernetes version that the server follows', async () => {
    await using server = await createApiServer();
    expect((await new RawClient(server).get('/version')).body).toMatchObject({
      major: '1',
      minor: '36',
      gitVersion: 'v1.36.3',
    });
  });

  test('/openapi has a document for every group version and one for all', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body } = await client.get('/openapi/v3');
    const { serverRelativeURL } = body.paths['apis/apps/v1'];
    expect((await client.get(serverRelativeURL)).body.openapi).toBe('3.0.0');
    expect((await client.get('/openapi/v2')).body.swagger).toBe('2.0');
    expect((await client.get('/openapi/v2', { accept: 'text/html' })).code).toBe(406);
    expect((await client.get('/openapi/v3/apis/none/v1')).code).toBe(404);
  });

  test('groups of definitions follow the others in order of name', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    for (const group of ['b.example.com', 'a.example.com']) {
      const schema = { openAPIV3Schema: { type: 'object' } };
      await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        metadata: { name: `things.${group}` },
        spec: {
          group,
          scope: 'Cluster',
          names: { plural: 'things', kind: 'Thing' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      });
      await server.idle();
    }
    const { body } = await client.get('/apis');
    const names = body.groups.map(({ name }: Json) => name);
    expect([names[0], ...names.slice(-2)]).toEqual([
      'apiregistration.k8s.io',
      'a.example.com',
      'b.example.com',
    ]);
  });

  test('unsupported methods return 405', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const maps = '/api/v1/namespaces/default/configmaps';
    const responses = await Promise.all([
      client.put(maps, {}),
      client.post(`${maps}/a`, {}),
      client.send('OPTIONS', maps),
      client.post('/version', {}),
    ]);
    expect(responses.map(({ code }) => code)).toEqual([405, 405, 405, 405]);
  });

  test('has a storage version hash for stored resources only', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const hashes = async (path: string): Promise<Map<string, unknown>> => {
      const { body } = await client.get(path);
      return new Map(
        body.resources.map((resource: Json) => [resource.name, resource.storageVersionHash]),
      );
    };
    const core = await hashes('/api/v1');
    expect(core.get('componentstatuses')).toBeUndefined();
    expect(core.get('configmaps')).toBe('qFsyl6wFWjQ=');
    const extensions = await hashes('/apis/apiextensions.k8s.io/v1');
    expect(extensions.get('customresourcedefinitions')).toBe('jfWCUB31mvA=');
  });
});
