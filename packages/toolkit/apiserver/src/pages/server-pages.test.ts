import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

describe('the pages of a server', () => {
  let server: ApiServer;
  let client: RawClient;

  beforeAll(async () => {
    server = await createApiServer({ serviceClusterIpRange: '10.7.0.0/24' });
    client = new RawClient(server);
  });

  afterAll(() => server.close());

  test('/metrics has the seats of the priority levels, the objects and the open watches', async () => {
    await client.post('/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations', {
      metadata: { name: 'mine' },
      spec: {
        type: 'Limited',
        limited: { nominalConcurrencyShares: 245, limitResponse: { type: 'Reject' } },
      },
    });
    await using _ = await client.watch('/apis/apps/v1/deployments?watch=1');
    await server.watchers({ group: 'apps', plural: 'deployments' }, 1);
    const { text, headers } = await client.get('/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4;/);
    const lines = text.split('\n');
    const seats = 'apiserver_flowcontrol_nominal_limit_seats{priority_level=';
    expect(lines).toEqual(
      expect.arrayContaining([
        // A kube-apiserver with this level has the same seats.
        `${seats}"mine"} 300`,
        `${seats}"workload-low"} 123`,
        `${seats}"exempt"} 0`,
        'apiserver_resource_objects{group="",resource="namespaces"} 4',
        'apiserver_longrunning_requests{component="apiserver",group="apps",resource="deployments",verb="WATCH",version="v1"} 1',
      ]),
    );
    expect((await client.get('/metrics/slis')).text).toContain(
      'kubernetes_healthcheck{name="etcd",type="livez"} 1',
    );
    expect((await client.get('/metrics/none')).code).toBe(404);
  });

  test('/statusz and /flagz are texts, or objects of their kind', async () => {
    const status = await client.get('/statusz');
    expect(status.text).toMatch(
      /^\napiserver statusz\nWarning: [^\n]+\n\nStarted: [^\n]+\nUp: 0 hr 00 min /,
    );
    const as = (kind: string): { accept: string } => ({
      accept: `application/json;as=${kind};v=v1beta1;g=config.k8s.io`,
    });
    expect((await client.get('/statusz', as('Statusz'))).body).toMatchObject({
      kind: 'Statusz',
      apiVersion: 'config.k8s.io/v1beta1',
      uptimeSeconds: expect.any(Number),
      binaryVersion: expect.stringMatching(/^1\.36/),
      emulationVersion: '1.36',
    });
    const flags = await client.get('/flagz', { accept: 'text/plain' });
    expect(flags.text).toContain('\nservice-cluster-ip-range=10.7.0.0/24\n');
    const { body, headers } = await client.get('/flagz', as('Flagz'));
    expect([body.flags['authorization-mode'], headers.get('content-type')]).toEqual([
      '[AlwaysAllow]',
      'application/json;g=config.k8s.io;v=v1beta1;as=Flagz',
    ]);
    expect((await client.get('/flagz', { accept: 'application/json' })).code).toBe(406);
    expect((await client.get('/statusz/none')).code).toBe(404);
  });
});
