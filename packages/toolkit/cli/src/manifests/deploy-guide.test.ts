import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import { createTestEnvironment, type TestEnvironment } from '@keelson/envtest';
import { createLogger, defineResource } from '@keelson/manager';
import { generateManifests } from './generate-manifests.ts';
import {
  applyAll,
  definitionOf,
  kustomizeObjects,
  projectWith,
  sourcesWith,
} from './manifests.test-support.ts';

interface Website extends KubernetesObject {
  spec?: object;
}

const Website = defineResource<Website>({
  group: 'web.example.com',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
});
const rbac = 'rbac.authorization.k8s.io';
const rules = [
  { apiGroups: ['web.example.com'], resources: ['websites'], verbs: ['get', 'list', 'watch'] },
];
const metadata = { name: 'website-operator' };
const role = { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules };
const host = '127.0.0.1';
const namespace = 'websites';
const leases = { group: 'coordination.k8s.io', resource: 'leases', namespace };
const tokenReviews = { group: 'authentication.k8s.io', resource: 'tokenreviews' };

/** Number of reviews after which a permission should have reached the authorizer of kube-apiserver. */
const MAX_REVIEWS = 2000;

// In memory, or with KUBEBUILDER_ASSETS on kube-apiserver.
describe('the operator of the guide, as the ServiceAccount of the manifests and without other permissions', () => {
  let environment: TestEnvironment;
  let admin: Client;
  let manager: Manager;
  let running: Promise<void>;

  beforeAll(async () => {
    environment = await createTestEnvironment();
    admin = createClient({ cluster: environment.admin.cluster, fieldManager: 'test' });
    await environment.installCrds([definitionOf('websites', 'web.example.com', 'Website')]);
    const files = generateManifests(projectWith(), sourcesWith({ clusterRoles: [role] }));
    await applyAll(admin, kustomizeObjects(files, 'overlays/production'));
    for (const access of [leases, tokenReviews]) {
      await untilAllowed('website-operator', { resourceAttributes: { ...access, verb: 'create' } });
    }
    const token = await tokenOf('website-operator');
    const { server, tls } = environment.admin.cluster;
    manager = createOperator({
      cluster: { server, token, namespace, ...(tls?.ca !== undefined && { tls: { ca: tls.ca } }) },
      servers: { host, metrics: { port: 0, authentication: true }, health: 0 },
      logger: createLogger({ level: 'silent' }),
      stopSignals: [],
    });
    manager.addController({ name: 'websites', for: Website, async reconcile() {} });
    running = manager.start();
    await Promise.race([manager.started, running]);
  });

  afterAll(async () => {
    await manager?.stop(); // undefined if beforeAll failed
    await running;
    await admin?.close();
    await environment?.stop();
  });

  async function untilAllowed(account: string, access: object): Promise<void> {
    const spec = { user: `system:serviceaccount:${namespace}:${account}`, ...access };
    for (let reviews = 0; reviews < MAX_REVIEWS; reviews += 1) {
      const { status } = await admin.create(builtin.SubjectAccessReview, { spec });
      if (status?.allowed === true) return;
    }
    throw new Error(`the server does not allow ${account} its access`);
  }

  async function tokenOf(name: string): Promise<string> {
    const accounts = admin.subresource<TokenRequest>(builtin.ServiceAccount, 'token');
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { status } = await accounts.create({ name, namespace }, request);
    return status?.token ?? '';
  }

  test('becomes the leader with a Lease in its namespace', async () => {
    expect(manager.isLeader).toBe(true);
    const lease = await admin.get(builtin.Lease, { name: 'website-operator', namespace });
    expect(lease.spec?.holderIdentity).toEqual(expect.any(String));
  });

  test('responds to the probes of the Deployment', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const { status } = await fetch(`http://${host}:${manager.ports.health}${path}`);
      expect(status).toBe(200);
    }
  });

  test('sends its metrics to an account with the ClusterRole for scrapers only', async () => {
    const url = `http://${host}:${manager.ports.metrics}/metrics`;
    expect((await fetch(url)).status).toBe(401);
    await admin.create(builtin.ServiceAccount, { metadata: { name: 'prometheus', namespace } });
    await admin.create(builtin.ClusterRoleBinding, {
      metadata: { name: 'prometheus' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'website-operator-metrics-reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'prometheus', namespace }],
    });
    const nonResourceAttributes = { path: '/metrics', verb: 'get' };
    await untilAllowed('prometheus', { nonResourceAttributes });
    const headers = { authorization: `Bearer ${await tokenOf('prometheus')}` };
    const page = await fetch(url, { headers });
    expect({ status: page.status, text: await page.text() }).toEqual({
      status: 200,
      text: expect.stringContaining('leader_election_master_status'),
    });
  });
});

interface TokenRequest extends KubernetesObject {
  spec: object;
  status?: { token: string };
}

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
