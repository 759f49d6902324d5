import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { defineResource } from '@keelson/manager';
import { generateManifests } from './generate-manifests.ts';
import { applyAll, kustomizeObjects, projectWith, sourcesWith } from './manifests.test-support.ts';

interface Website extends KubernetesObject {
  spec: object;
}

const Website = defineResource<Website>({
  group: 'web.example.com',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
});
const rules = [
  { apiGroups: ['web.example.com'], resources: ['websites'], verbs: ['get', 'list', 'watch'] },
];
const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'website-operator' },
  rules,
};
const host = '127.0.0.1';

describe('the operator of the guide, as the ServiceAccount of the manifests and without other permissions', () => {
  let server: ApiServer;
  let manager: Manager;
  let running: Promise<void>;

  beforeAll(async () => {
    server = await createApiServer({ authorizationMode: 'RBAC' });
    const files = generateManifests(projectWith(), sourcesWith({ clusterRoles: [role] }));
    await applyAll(server, kustomizeObjects(files, 'overlays/production'));
    const account = { namespace: 'websites', name: 'website-operator', expiresIn: '1h' } as const;
    const servers = { host, metrics: { port: 0, authentication: true }, health: 0 };
    const cluster = { ...server.cluster, token: server.issueToken(account), namespace: 'websites' };
    manager = createOperator({ cluster, servers, stopSignals: [] });
    manager.addController({ name: 'websites', for: Website, async reconcile() {} });
    running = manager.start();
  });

  afterAll(async () => {
    await manager.stop();
    await running;
    await server.close();
  });

  test('becomes the leader with a Lease in its namespace', async () => {
    await manager.started;
    expect(manager.isLeader).toBe(true);
    await using admin = createClient({ cluster: server.cluster });
    const lease = { name: 'website-operator', namespace: 'websites' };
    expect(await admin.get(builtin.Lease, lease)).toMatchObject({ spec: { leaseTransitions: 0 } });
  });

  test('responds to the probes of the Deployment', async () => {
    await manager.started;
    for (const path of ['/healthz', '/readyz']) {
      const { status } = await fetch(`http://${host}:${manager.ports.health}${path}`);
      expect(status).toBe(200);
    }
  });

  test('sends its metrics to a user with the ClusterRole for scrapers only', async () => {
    await manager.started;
    const prometheus = { name: 'prometheus', groups: ['system:authenticated'] };
    const { token } = server.addUser(prometheus);
    const authorization = `Bearer ${token}`;
    const url = `http://${host}:${manager.ports.metrics}/metrics`;
    expect((await fetch(url)).status).toBe(401);
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'prometheus' },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'website-operator-metrics-reader',
      },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'prometheus' }],
    };
    await applyAll(server, [binding]);
    const page = await fetch(url, { headers: { authorization } });
    expect({ status: page.status, text: await page.text() }).toEqual({
      status: 200,
      text: expect.stringContaining('leader_election_master_status'),
    });
  });
});

// #region operator
import { createManager, type Manager, type ManagerOptions } from '@keelson/manager';

function createOperator(options: ManagerOptions = {}): Manager {
  return createManager({
    // Two replicas without it would both reconcile.
    leaderElection: { lease: 'website-operator' },
    servers: {
      metrics: { port: 8443, tls: 'self-signed', authentication: true },
      health: 8081,
    },
    ...options,
  });
}
// #endregion
