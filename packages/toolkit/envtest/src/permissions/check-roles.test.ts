import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { builtin, defineResource, type KubernetesObject } from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import { createTestEnvironment, type TestEnvironment } from '../index.ts';
import { bindRoles } from './bind-roles.ts';
import type { CheckRolesOptions } from './check-roles.ts';
import type { PolicyRule } from './permission.ts';
import { rolesYaml } from './roles-yaml.ts';

const { ConfigMap, Lease, Secret } = builtin;
const apiVersion = 'rbac.authorization.k8s.io/v1';
const robot = 'system:serviceaccount:default:robot';

/** Runs requests as a service account with all permissions, then a test with the environment. */
async function observed(
  run: (client: Client) => Promise<unknown>,
  check: (environment: TestEnvironment) => Promise<unknown>,
): Promise<void> {
  await using environment = await createTestEnvironment({ use: 'memory' });
  const user = await environment.addUser({ name: robot, groups: ['system:masters'] });
  await using client = createClient({ cluster: user.cluster });
  await run(client);
  await check(environment);
}

function clusterRole(...rules: PolicyRule[]): KubernetesObject {
  return { apiVersion, kind: 'ClusterRole', metadata: { name: 'own' }, rules } as KubernetesObject;
}

function role(namespace: string, ...rules: PolicyRule[]): KubernetesObject {
  return { ...clusterRole(...rules), kind: 'Role', metadata: { name: 'own', namespace } };
}

function rule(group: string, resource: string, ...verbs: string[]): PolicyRule {
  return { apiGroups: [group], resources: [resource], verbs };
}

/** The missing and the excess rules of roles, or `same`. */
async function difference(
  environment: TestEnvironment,
  roles: readonly KubernetesObject[],
  options: CheckRolesOptions = {},
): Promise<unknown> {
  try {
    await environment.checkRoles(robot, roles, options);
    return 'same';
  } catch (error) {
    const { code, facts } = error as { code: string; facts: { missing: string; excess: string } };
    const lines = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);
    return { code, missing: lines(facts.missing), excess: lines(facts.excess) };
  }
}

const inDefault = { namespace: 'default' };
const one = { ...inDefault, name: 'one' };

/** Reads ConfigMaps everywhere, creates one and updates a Lease. */
async function operate(client: Client): Promise<void> {
  await client.list(ConfigMap, {});
  await client.create(ConfigMap, { metadata: one });
  const lease = await client.create(Lease, { metadata: one });
  await client.update(Lease, lease);
}

const maps = rule('', 'configmaps', 'list', 'create');
const leases = rule('coordination.k8s.io', 'leases', 'create', 'update');

describe('the check of roles', () => {
  test('accepts the generated roles, and others that need no more and no less', async () => {
    await observed(operate, async (environment) => {
      const { clusterRoles, roles } = await environment.observedRules(robot);
      expect(await difference(environment, [...clusterRoles, ...roles])).toBe('same');
      expect(await difference(environment, [clusterRole(maps), role('default', leases)])).toBe(
        'same',
      );
    });
  });

  test('names the rules that are missing, and those that no request needed', async () => {
    await observed(operate, async (environment) => {
      const wrong = [
        clusterRole(rule('', 'configmaps', 'list', 'delete'), rule('', 'secrets', 'get')),
        role('other', leases),
      ];
      expect(await difference(environment, wrong)).toEqual({
        code: 'ROLES_DIFFER',
        missing: [
          "ClusterRole: { apiGroups: [''], resources: [configmaps], verbs: [create] }",
          'Role in default: { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create, update] }',
        ],
        excess: [
          "ClusterRole own: { apiGroups: [''], resources: [configmaps], verbs: [delete] }",
          "ClusterRole own: { apiGroups: [''], resources: [secrets], verbs: [get] }",
          'Role other/own: { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create, update] }',
        ],
      });
    });
  });

  test('a ClusterRole exceeds what a Role would grant, unless the namespaces are exact', async () => {
    await observed(operate, async (environment) => {
      const wide = [clusterRole(maps, leases)];
      expect(await difference(environment, wide)).toMatchObject({
        missing: ['none'],
        excess: [expect.stringContaining('leases')],
      });
      expect(await difference(environment, wide, { namespaces: 'exact' })).toBe('same');
      expect(await difference(environment, wide, { ownNamespaces: [] })).toBe('same');
    });
  });

  test('wildcards grant what they match, and exceed it unless mayExceed tolerates them', async () => {
    await observed(operate, async (environment) => {
      const wildcards = [
        clusterRole(rule('*', 'configmaps', '*')),
        role('default', rule('coordination.k8s.io', '*', '*')),
      ];
      expect(await difference(environment, wildcards)).toMatchObject({
        missing: ['none'],
        excess: [
          expect.stringContaining("apiGroups: ['*'], resources: [configmaps], verbs: ['*']"),
          expect.stringContaining("resources: ['*'], verbs: ['*']"),
        ],
      });
      const mayExceed = [rule('*', '*', '*')];
      expect(await difference(environment, wildcards, { mayExceed })).toBe('same');
      const narrow = { mayExceed: [rule('*', 'configmaps', '*')] };
      expect(await difference(environment, wildcards, narrow)).toMatchObject({
        excess: [expect.stringContaining('Role default/own')],
      });
    });
  });

  test('a wildcard covers subresources, and */status those of all resources', async () => {
    const scale = (client: Client): Promise<unknown> =>
      client
        .subresource(builtin.Deployment, 'scale')
        .get(one)
        .catch(() => undefined);
    const tolerant = { mayExceed: [rule('*', '*', '*')] };
    await observed(scale, async (environment) => {
      for (const resource of ['*', 'deployments/*', '*/scale', 'deployments/scale']) {
        const found = await difference(
          environment,
          [clusterRole(rule('apps', resource, 'get'))],
          tolerant,
        );
        const isMissing = resource === 'deployments/*';
        expect([resource, found !== 'same']).toEqual([resource, isMissing]);
      }
    });
  });

  test('names in a role suffice for the names that were used, and not for lists and creates', async () => {
    const read = async (client: Client): Promise<void> => {
      await client.create(Secret, { metadata: one });
      await client.get(Secret, one);
    };
    const named = (...names: string[]): KubernetesObject =>
      role('default', rule('', 'secrets', 'create'), {
        ...rule('', 'secrets', 'get'),
        resourceNames: names,
      });
    await observed(read, async (environment) => {
      expect(await difference(environment, [named('one')])).toBe('same');
      expect(await difference(environment, [named('two')])).toMatchObject({
        missing: [expect.stringContaining('verbs: [get]')],
        excess: [expect.stringContaining('resourceNames: [two]')],
      });
      const limited = { ...rule('', 'secrets', 'get', 'create'), resourceNames: ['one'] };
      expect(await difference(environment, [role('default', limited)])).toMatchObject({
        missing: [expect.stringContaining('verbs: [create]')],
        excess: [expect.stringContaining('verbs: [create]')],
      });
      const fixedNames = [{ resource: Secret, names: ['one'] }];
      const unlimited = [role('default', rule('', 'secrets', 'get', 'create'))];
      expect(await difference(environment, unlimited, { fixedNames })).toMatchObject({
        missing: ['none'],
        excess: [expect.stringContaining('verbs: [get]')],
      });
    });
  });

  test('a role may have what every user has anyway, and paths', async () => {
    const request = async (client: Client): Promise<void> => {
      await client.request({ path: '/version' });
      await client.request({ path: '/metrics' }).catch(() => undefined);
    };
    await observed(request, async (environment) => {
      const paths = (...nonResourceURLs: string[]): KubernetesObject[] => [
        clusterRole({ nonResourceURLs, verbs: ['get'] }),
      ];
      expect(await difference(environment, paths('/metrics', '/version'))).toBe('same');
      const reviews = rule('authorization.k8s.io', 'selfsubjectaccessreviews', 'create');
      const unused = paths('/metrics', '/version', '/healthz', '/openapi/v3').concat(
        clusterRole(reviews),
      );
      expect(await difference(environment, unused)).toBe('same');
      expect(await difference(environment, paths('/metr*'))).toMatchObject({ missing: ['none'] });
      expect(await difference(environment, paths('/version'))).toMatchObject({
        missing: ['ClusterRole: { nonResourceURLs: [/metrics], verbs: [get] }'],
      });
    });
  });

  test('reads YAML files and folders, and a Role without namespace is in the given one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-roles-'));
    try {
      await observed(operate, async (environment) => {
        const rules = await environment.observedRules(robot);
        const bindings = bindRoles(rules, { namespace: 'default', name: 'robot' });
        const file = join(folder, 'role.yaml');
        await writeFile(file, await rolesYaml({ ...rules, ...bindings }));
        await environment.checkRoles(robot, file);
        const text = await rolesYaml(rules);
        await writeFile(file, text.replaceAll('  namespace: default\n', ''));
        await environment.checkRoles(robot, file);
        await environment.checkRoles(robot, [folder]);
        await expect(
          environment.checkRoles(robot, file, { namespace: 'ops' }),
        ).rejects.toMatchObject({ code: 'ROLES_DIFFER' });
        await writeFile(file, 'kind: ConfigMap\n');
        for (const roles of [file, join(folder, 'none.yaml'), []]) {
          await expect(environment.checkRoles(robot, roles)).rejects.toMatchObject({
            code: 'ROLES_NOT_FOUND',
          });
        }
        await writeFile(file, 'kind: ClusterRole\n rules: [');
        await expect(environment.checkRoles(robot, file)).rejects.toMatchObject({
          code: 'ROLES_NOT_FOUND',
          facts: { paths: file, reason: expect.stringContaining('mapping') as unknown },
        });
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('reads the roles of a List', async () => {
    await observed(operate, async (environment) => {
      const { clusterRoles, roles } = await environment.observedRules(robot);
      const items = [...clusterRoles, ...roles];
      for (const kind of ['List', 'ClusterRoleList']) {
        const list = { apiVersion: 'v1', kind, items } as KubernetesObject;
        expect(await difference(environment, [list])).toBe('same');
      }
    });
  });

  const good = rule('', 'secrets', 'get');

  test.each<[string, unknown, string]>([
    ['rules that are no list', {}, 'rules'],
    ['a rule that is null', [good, null], 'rules[1]'],
    ['a rule that is a text', ['get'], 'rules[0]'],
    ['a rule without verbs', [{ apiGroups: [''], resources: ['secrets'] }], 'rules[0].verbs'],
    ['verbs that are no list', [{ ...good, verbs: 'get' }], 'rules[0].verbs'],
    ['a verb that is a number', [{ ...good, verbs: [5] }], 'rules[0].verbs'],
    ['names that are no list', [{ ...good, resourceNames: 'a' }], 'rules[0].resourceNames'],
    ['a misspelt member', [{ ...good, resourcesNames: ['a'] }], 'rules[0].resourcesNames'],
  ])('refuses a role with %s', async (_what, rules, path) => {
    await observed(operate, async (environment) => {
      const wrong = { ...clusterRole(), rules } as KubernetesObject;
      const refused = environment.checkRoles(robot, wrong);
      const facts = { role: 'ClusterRole own', path };
      await expect(refused).rejects.toMatchObject({ code: 'ROLE_INVALID', facts });
      if (!Array.isArray(rules)) return;
      const mayExceed = rules as PolicyRule[];
      await expect(
        environment.checkRoles(robot, clusterRole(), { mayExceed }),
      ).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        facts: { option: `checkRoles.${path.replace('rules', 'mayExceed')}` },
      });
    });
  });

  test('the message of the error is readable in every test runner', async () => {
    await observed(operate, async (environment) => {
      const wrong = [clusterRole(rule('', 'secrets', 'get'), maps), role('default', leases)];
      await expect(environment.checkRoles(robot, wrong)).rejects.toThrow(
        `the roles differ from the permissions that the user needed (user=${robot}, missing=none, excess=\n` +
          "  ClusterRole own: { apiGroups: [''], resources: [secrets], verbs: [get] }\n)",
      );
    });
  });
});

describe('observedRules', () => {
  test('keeps users apart, and needs a user that sent requests', async () => {
    await observed(operate, async (environment) => {
      await using admin = createClient({ cluster: environment.admin.cluster });
      await admin.list(Secret, inDefault);
      const { clusterRoles } = await environment.observedRules(robot);
      expect(clusterRoles[0]?.rules?.flatMap(({ resources }) => resources)).toEqual(['configmaps']);
      const missing = environment.observedRules('robot');
      await expect(missing).rejects.toMatchObject({
        code: 'USER_NOT_OBSERVED',
        facts: { user: 'robot', users: expect.stringContaining(robot) },
      });
    });
  });

  test('counts impersonated requests for the impersonated user', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    const { cluster } = environment.admin;
    const headers = {
      'Impersonate-User': robot,
      authorization: `Bearer ${cluster.token}`,
    };
    await using client = createClient({
      cluster: { ...cluster, credentials: async () => ({ headers }) },
    });
    const Gizmo = defineResource({
      group: 'x.example.com',
      version: 'v1',
      kind: 'Gizmo',
      plural: 'gizmos',
    });
    await client.get(Gizmo, one).catch(() => undefined);
    const { roles } = await environment.observedRules(robot);
    expect(roles).toEqual([
      {
        apiVersion,
        kind: 'Role',
        metadata: { name: 'robot', namespace: 'default' },
        rules: [rule('x.example.com', 'gizmos', 'get')],
      },
    ]);
  });

  test('is not supported by servers that record no requests', async () => {
    const { Observer } = await import('./observer.ts');
    const observer = new Observer('binaries', undefined);
    expect(() => observer.rules('vera', {})).toThrow(
      expect.objectContaining({ code: 'OBSERVATION_NOT_SUPPORTED' }),
    );
    const full = new Observer('memory', {
      observedUsers: ['vera'],
      observedAccesses: () => ({ accesses: [], isComplete: false }),
    });
    expect(() => full.rules('vera', {})).toThrow(
      expect.objectContaining({ code: 'OBSERVATION_INCOMPLETE' }),
    );
  });

  test.each([
    ['namespaces', 'all'],
    ['refused', 'never'],
    ['ownNamespaces', 'ops'],
    ['fixedNames', {}],
    ['sources', {}],
    ['fixedNames', [{}]],
    ['fixedNames', [{ resource: ConfigMap }]],
    ['sources', [5]],
    ['sources', [null]],
    ['nmae', 'x'],
  ])('refuses a wrong option %s', async (option, value) => {
    await observed(operate, async (environment) => {
      for (const made of [
        environment.observedRules(robot, { [option]: value }),
        environment.checkRoles(robot, [], { [option]: value }),
      ]) {
        await expect(made).rejects.toMatchObject({ code: 'INVALID_OPTION' });
      }
      const wrong = { mayExceed: 'all' } as unknown as CheckRolesOptions;
      await expect(environment.checkRoles(robot, [], wrong)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
      });
    });
  });
});

describe('the YAML of roles', () => {
  test('is the same for the same roles, with their bindings', async () => {
    await observed(operate, async (environment) => {
      const rules = await environment.observedRules(robot);
      const bindings = bindRoles(rules, { namespace: 'ops', name: 'robot' });
      const text = await rolesYaml({ ...rules, ...bindings });
      expect(text).toBe(yaml);
      expect(await rolesYaml(rules)).toBe(text.split('---\n').slice(0, 2).join('---\n'));
    });
  });
});

const yaml = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: robot
rules:
  - apiGroups:
      - ''
    resources:
      - configmaps
    verbs:
      - get
      - list
      - watch
      - create
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: robot
  namespace: default
rules:
  - apiGroups:
      - coordination.k8s.io
    resources:
      - leases
    verbs:
      - get
      - watch
      - create
      - update
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: robot
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: robot
subjects:
  - kind: ServiceAccount
    namespace: ops
    name: robot
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: robot
  namespace: default
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: robot
subjects:
  - kind: ServiceAccount
    namespace: ops
    name: robot
`;
