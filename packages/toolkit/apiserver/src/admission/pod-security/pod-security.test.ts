import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';
import { type RawResponse, RawClient } from '../../server/raw-client.test-support.ts';

const prefix = 'pod-security.kubernetes.io/';

const restricted = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'a',
      image: 'i',
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  ],
};
const plain = { containers: [{ name: 'a', image: 'i' }] };

describe('PodSecurity', () => {
  let server: ApiServer;
  let client: RawClient;

  beforeEach(async () => {
    server = await createApiServer();
    client = new RawClient(server);
  });

  afterEach(() => server.close());

  function label(labels: Record<string, string>): Promise<RawResponse> {
    const entries = Object.entries(labels).map(([mode, value]) => [`${prefix}${mode}`, value]);
    const metadata = { labels: Object.fromEntries(entries) };
    return client.patch('/api/v1/namespaces/default', 'merge', { metadata });
  }

  const pod = (spec: object, name = 'p'): Promise<RawResponse> =>
    client.post('/api/v1/namespaces/default/pods', { metadata: { name }, spec });

  test('accepts every pod in a namespace without labels', async () => {
    expect((await pod({ ...plain, hostNetwork: true })).code).toBe(201);
  });

  test.each<[string, object, string]>([
    ['host namespaces', { ...plain, hostPID: true }, 'host namespaces (hostPID=true)'],
    [
      'privileged containers',
      { containers: [{ name: 'a', image: 'i', securityContext: { privileged: true } }] },
      'privileged (container "a" must not set securityContext.privileged=true)',
    ],
    [
      'paths of the host',
      { ...plain, volumes: [{ name: 'v', hostPath: { path: '/' } }] },
      'hostPath volumes (volume "v")',
    ],
  ])('baseline rejects %s', async (_title, spec, why) => {
    await label({ enforce: 'baseline' });
    const { code, body } = await pod(spec);
    const message = `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${why}`;
    expect([code, body.message]).toEqual([403, message]);
    expect((await pod(plain)).code).toBe(201);
  });

  test('restricted accepts only a pod that drops its privileges', async () => {
    await label({ enforce: 'restricted' });
    const { body } = await pod(plain);
    expect(body.message).toBe(
      'pods "p" is forbidden: violates PodSecurity "restricted:latest": ' +
        'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    );
    expect((await pod(restricted)).code).toBe(201);
  });

  test('a version of the policy applies the controls of that version', async () => {
    await label({ enforce: 'restricted', 'enforce-version': 'v1.18' });
    const { body } = await pod(plain);
    expect(body.message).not.toContain('unrestricted capabilities');
    expect(body.message).toContain('runAsNonRoot != true');
  });

  test('warns about pods and templates without rejecting them', async () => {
    await label({ warn: 'baseline' });
    const spec = { ...plain, hostIPC: true };
    const warning =
      '299 - "would violate PodSecurity \\"baseline:latest\\": host namespaces (hostIPC=true)"';
    const made = await pod(spec);
    expect([made.code, made.headers.get('warning')]).toEqual([201, warning]);
    const labels = { a: 'b' };
    const deployment = await client.post('/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    expect([deployment.code, deployment.headers.get('warning')]).toEqual([201, warning]);
  });

  test('warns about existing pods that violate a newly enforced level', async () => {
    await pod({ ...plain, hostIPC: true }, 'one');
    await pod({ ...plain, hostIPC: true }, 'two');
    const { code, headers } = await label({ enforce: 'baseline' });
    expect(code).toBe(200);
    expect(headers.get('warning')).toContain('one (and 1 other pod): host namespaces');
  });

  test('rejects invalid labels', async () => {
    const { code, body } = await label({ enforce: 'strict', 'warn-version': '1.2' });
    expect(code).toBe(422);
    expect(body.message).toContain('must be one of privileged, baseline, restricted');
    expect(body.message).toContain('must be \\"latest\\" or \\"v1.x\\"'.replaceAll('\\', ''));
  });

  test('checks an update of a pod only if it changes an image', async () => {
    await pod(plain);
    await label({ enforce: 'restricted' });
    const path = '/api/v1/namespaces/default/pods/p';
    const labelled = await client.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(labelled.code).toBe(200);
    const spec = { containers: [{ name: 'a', image: 'other' }] };
    expect((await client.patch(path, 'strategic', { spec })).code).toBe(403);
  });
});
