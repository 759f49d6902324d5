import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { bindRoles, createTestEnvironment, readRoles, rolesYaml } from '@keelson/envtest';
import type { TestEnvironment } from '@keelson/envtest';
import { builtin, createClient, createLogger } from '@keelson/manager';
import type { Cluster, ManagerOptions } from '@keelson/manager';
import type { DeclaredAccess } from '@keelson/manager/process';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

const fileOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const account = { namespace: 'default', name: 'configmap-generator' };
const user = `system:serviceaccount:${account.namespace}:${account.name}`;

describe('role.yaml', () => {
  let environment: TestEnvironment;

  beforeEach(async () => {
    environment = await createTestEnvironment({
      use: 'memory',
      controllers: ['garbage-collector'],
    });
    await environment.installCrds([fileOf('crd.yaml')]);
  });

  afterEach(() => environment.stop());

  /**
   * Runs the operator with these credentials while an administrator creates, changes and deletes objects. Returns the
   * access that the operator declares.
   */
  async function operate(cluster: Cluster, options: ManagerOptions = {}): Promise<DeclaredAccess> {
    const logger = createLogger({ level: 'silent' });
    const operator = createOperator({ cluster, logger, stopSignals: [], ...options });
    const running = operator.start();
    await Promise.race([operator.started, running]);
    await using admin = createClient({ cluster: environment.admin.cluster });
    await tour(admin, () => {});
    const declared = operator.declaredAccess();
    await operator.stop();
    await running;
    return declared;
  }

  // #region role
  test('grants what the operator needs, and no more', async () => {
    const { cluster } = await environment.addUser({ name: user, groups: ['system:masters'] });
    const declared = await operate(cluster); // of operator.declaredAccess(), before its stop
    await environment.checkRoles(user, fileOf('role.yaml'), declared);
  });
  // #endregion

  test('can be written from the requests, with bindings for the service account', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-role-'));
    const file = join(folder, 'role.yaml');
    try {
      const { cluster } = await environment.addUser({ name: user, groups: ['system:masters'] });
      await operate(cluster);
      // #region write
      const rules = await environment.observedRules(user);
      const bindings = bindRoles(rules, { namespace: 'operators', name: 'configmap-generator' });
      await writeFile(file, await rolesYaml({ ...rules, ...bindings }));
      // #endregion
      await environment.checkRoles(user, folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('with leader election a Role in the namespace of the operator grants its Lease, by name', async () => {
    await using admin = createClient({ cluster: environment.admin.cluster });
    await admin.create(builtin.Namespace, { metadata: { name: 'operators' } });
    const { cluster } = await environment.addUser({ name: user, groups: ['system:masters'] });
    const lease = { lease: 'configmap-generator', namespace: 'operators' };
    const declared = await operate(cluster, { leaderElection: lease });
    // #region own
    const options = { ...declared, ownNamespaces: ['operators'] };
    // #endregion
    expect(declared.sources).toHaveLength(2);
    const { roles } = await environment.observedRules(user, options);
    const [apiGroups, resources] = [['coordination.k8s.io'], ['leases']];
    const metadata = { name: 'configmap-generator', namespace: 'operators' };
    const named = { apiGroups, resources, resourceNames: ['configmap-generator'] };
    const rules = [
      { apiGroups, resources, verbs: ['create'] },
      { ...named, verbs: ['get', 'watch', 'update'] },
    ];
    expect(roles).toMatchObject([{ kind: 'Role', metadata, rules }]);
    const wildcard = { apiGroups, resources, verbs: ['*'] };
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata };
    // #region may-exceed
    const mayExceed = [{ apiGroups: ['coordination.k8s.io'], resources: ['*'], verbs: ['*'] }];
    const present = [fileOf('role.yaml'), { ...role, rules: [wildcard] }];
    await environment.checkRoles(user, present, { ...options, mayExceed });
    // #endregion
    await expect(environment.checkRoles(user, present, options)).rejects.toMatchObject({
      code: 'ROLES_DIFFER',
    });
  });

  test('suffices: with exactly these permissions no request of the operator is refused', async () => {
    await using admin = createClient({ cluster: environment.admin.cluster });
    // #region grant
    const rules = await readRoles(fileOf('role.yaml'));
    const { clusterRoleBindings } = bindRoles(rules, account);
    for (const role of rules.clusterRoles) await admin.create(builtin.ClusterRole, role);
    for (const binding of clusterRoleBindings) {
      await admin.create(builtin.ClusterRoleBinding, binding);
    }
    const { cluster } = await environment.addUser({ name: user }); // without the group system:masters
    // #endregion
    await operate(cluster);
    const refused = await environment.observedRules(user);
    expect(await environment.observedRules(user, { refused: 'omit' })).toEqual(refused);
    await environment.checkRoles(user, rules.clusterRoles);
  });
});
