import { describe, expect, test } from '@jest/globals';
import { builtin, type ObjectOf } from '@keelson/apimachinery';
import { createLogger, createManager, type Manager } from '@keelson/manager';
import { ServiceAccount } from './service-account.ts';
import { openSuite } from './suite.ts';
import { untilAllowed, userOf } from './until-allowed.ts';

const suite = openSuite();
const group = 'rbac.authorization.k8s.io';
const host = '127.0.0.1';

type Rules = NonNullable<ObjectOf<typeof builtin.ClusterRole>['rules']>;

/** The rules of the ClusterRoles that kubebuilder creates, under their names. */
const kubebuilder = {
  'metrics-reader': [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  'metrics-auth-role': [
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ],
} satisfies Record<string, Rules>;

/** Creates a ClusterRole of kubebuilder, with a prefix as kustomize adds it. Returns its name. */
async function createRole(name: keyof typeof kubebuilder, prefix: string): Promise<string> {
  const metadata = { name: `${prefix}-${name}` };
  await suite.client.create(builtin.ClusterRole, { metadata, rules: kubebuilder[name] });
  suite.defer(() => suite.client.delete(builtin.ClusterRole, metadata));
  return metadata.name;
}

/** Binds a ClusterRole to the service account. */
async function bind(role: string, { key }: ServiceAccount): Promise<void> {
  const metadata = { name: `${key.namespace}-${key.name}` };
  await suite.client.create(builtin.ClusterRoleBinding, {
    metadata,
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', ...key }],
  });
  suite.defer(() => suite.client.delete(builtin.ClusterRoleBinding, metadata));
}

async function scrape(manager: Manager, token?: string): Promise<{ status: number; page: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`http://${host}:${manager.ports.metrics}/metrics`, { headers });
  return { status: response.status, page: await response.text() };
}

/** The number of POST requests that the client of the manager sent. Only reviews are, because it has no controller. */
async function reviewsOf(manager: Manager): Promise<number> {
  const metric = await manager.registry.getSingleMetric('rest_client_requests_total')?.get();
  const posts = metric?.values.filter(({ labels }) => labels['method'] === 'POST') ?? [];
  return posts.reduce((sum, { value }) => sum + value, 0);
}

describe('metrics with authentication', () => {
  test.each([
    ['system:auth-delegator', async () => 'system:auth-delegator'],
    ['metrics-auth-role', (prefix: string) => createRole('metrics-auth-role', prefix)],
  ])(
    'of an operator with the role %s are sent to the account with metrics-reader only, and 1000 scrapes cause two reviews',
    async (_name, delegatorRole) => {
      const namespace = await suite.namespace();
      const account = (name: string): Promise<ServiceAccount> =>
        ServiceAccount.create(suite, namespace, name);
      const [operator, prometheus, stranger] = await Promise.all([
        account('operator'),
        account('prometheus'),
        account('stranger'),
      ]);
      await bind(await delegatorRole(namespace), operator);
      await bind(await createRole('metrics-reader', namespace), prometheus);
      for (const [review, plural] of [
        [builtin.TokenReview, 'tokenreviews'],
        [builtin.SubjectAccessReview, 'subjectaccessreviews'],
      ] as const) {
        const resourceAttributes = { group: review.group, resource: plural, verb: 'create' };
        await untilAllowed(suite.client, userOf(operator.key), { resourceAttributes });
      }
      const metrics = { path: '/metrics', verb: 'get' };
      await untilAllowed(suite.client, userOf(prometheus.key), { nonResourceAttributes: metrics });

      await using manager = createManager({
        cluster: operator.as({ token: await operator.token() }),
        servers: { host, metrics: { port: 0, authentication: true } },
        logger: createLogger({ level: 'silent' }),
        stopSignals: [],
      });
      const ended = manager.start();
      await Promise.race([manager.started, ended]);
      expect(await scrape(manager)).toEqual({ status: 401, page: 'unauthorized\n' });
      expect(await scrape(manager, 'no-token')).toEqual({ status: 401, page: 'unauthorized\n' });
      expect(await scrape(manager, await stranger.token())).toEqual({
        status: 403,
        page: 'forbidden\n',
      });
      const token = await prometheus.token();
      const before = await reviewsOf(manager);
      const statuses = new Set<number>();
      for (let round = 0; round < 20; round += 1) {
        const scrapes = Array.from({ length: 50 }, () => scrape(manager, token));
        for (const { status } of await Promise.all(scrapes)) statuses.add(status);
      }
      expect([...statuses]).toEqual([200]);
      // The results are valid for a minute, so a slow run repeats both reviews.
      expect([2, 4]).toContain((await reviewsOf(manager)) - before);
      expect((await scrape(manager, token)).page).toContain('keelson_watches');
      await manager.stop();
      await ended;
    },
  );
});
