import { describe, expect, test } from '@jest/globals';
import type { AccessAttributes } from '../authorizer.ts';
import { bootstrapPolicy, type PolicyObject } from './bootstrap-policy.ts';
import { grantedRules, rbacAuthorizer, type RoleBinding } from './rbac-authorizer.ts';
import { rbacSource, type PolicyStore, type RoleObject } from './rbac-source.ts';
import { anonymous, type User } from '../user.ts';

type StoredRole = RoleObject & { metadata: { name: string; namespace?: string } };

interface Stored {
  roles?: StoredRole[];
  clusterRoles?: StoredRole[];
  roleBindings?: RoleBinding[];
  clusterRoleBindings?: RoleBinding[];
}

function storeOf(stored: Stored): PolicyStore {
  return {
    role: (plural, namespace, name) =>
      (plural === 'roles' ? stored.roles : stored.clusterRoles)?.find(
        ({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace,
      ),
    clusterRoles: () => stored.clusterRoles ?? [],
    bindings: (plural, namespace) =>
      plural === 'clusterrolebindings'
        ? (stored.clusterRoleBindings ?? [])
        : (stored.roleBindings ?? []).filter(({ metadata }) => metadata.namespace === namespace),
  };
}

function bootstrapped(extra: Stored = {}): PolicyStore {
  const ofKind = <T>(kind: PolicyObject['kind']): T[] =>
    bootstrapPolicy().filter((object) => object.kind === kind) as T[];
  return storeOf({
    ...extra,
    clusterRoles: [...ofKind<StoredRole>('ClusterRole'), ...(extra.clusterRoles ?? [])],
    clusterRoleBindings: [
      ...ofKind<RoleBinding>('ClusterRoleBinding'),
      ...(extra.clusterRoleBindings ?? []),
    ],
  });
}

const vera: User = { name: 'vera', groups: ['viewers', 'system:authenticated'] };

function wants(user: User, verb: string, resource: string, more: object = {}): AccessAttributes {
  const [name = '', subresource = ''] = resource.split('/');
  return {
    kind: 'resource',
    user,
    verb,
    group: '',
    resource: name,
    subresource,
    namespace: 'shop',
    name: '',
    ...more,
  };
}

function binding(role: string, subject: RoleBinding['subjects'], namespace?: string): RoleBinding {
  return {
    metadata: { name: 'b', ...(namespace !== undefined && { namespace }) },
    roleRef: {
      kind: role.startsWith('cluster:') ? 'ClusterRole' : 'Role',
      name: role.replace('cluster:', ''),
    },
    ...(subject && { subjects: subject }),
  };
}

describe('rbacAuthorizer', () => {
  const viewersView = binding('cluster:view', [{ kind: 'Group', name: 'viewers' }], 'shop');

  test('a RoleBinding to a ClusterRole grants its rules in its namespace only', () => {
    const { authorize } = rbacAuthorizer(rbacSource(bootstrapped({ roleBindings: [viewersView] })));
    expect(authorize(wants(vera, 'list', 'pods'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "b/shop" of ClusterRole "view" to Group "viewers"',
    });
    expect(authorize(wants(vera, 'list', 'pods', { namespace: 'other' })).allowed).toBe(false);
    expect(authorize(wants(vera, 'list', 'pods', { namespace: '' })).allowed).toBe(false);
  });

  test('view cannot read Secrets or write; edit and admin include view', () => {
    const as = (role: string) =>
      rbacAuthorizer(
        rbacSource(
          bootstrapped({
            roleBindings: [binding(`cluster:${role}`, viewersView.subjects, 'shop')],
          }),
        ),
      );
    expect(as('view').authorize(wants(vera, 'get', 'secrets')).allowed).toBe(false);
    expect(as('view').authorize(wants(vera, 'create', 'pods')).allowed).toBe(false);
    expect(as('edit').authorize(wants(vera, 'get', 'secrets')).allowed).toBe(true);
    expect(as('edit').authorize(wants(vera, 'get', 'pods')).allowed).toBe(true);
    const roles = { group: 'rbac.authorization.k8s.io' };
    expect(as('edit').authorize(wants(vera, 'create', 'roles', roles)).allowed).toBe(false);
    expect(as('admin').authorize(wants(vera, 'create', 'roles', roles)).allowed).toBe(true);
    expect(as('admin').authorize(wants(vera, 'get', 'pods')).allowed).toBe(true);
  });

  test('system:masters may do everything, other users only discovery by default', () => {
    const { authorize } = rbacAuthorizer(rbacSource(bootstrapped()));
    const admin = { name: 'admin', groups: ['system:masters'] };
    expect(authorize(wants(admin, 'delete', 'nodes')).allowed).toBe(true);
    expect(authorize(wants(vera, 'get', 'pods')).allowed).toBe(false);
    const path = { kind: 'path', verb: 'get' } as const;
    expect(authorize({ ...path, user: vera, path: '/apis/apps/v1' }).allowed).toBe(true);
    expect(authorize({ ...path, user: anonymous, path: '/apis/apps/v1' }).allowed).toBe(false);
    expect(authorize({ ...path, user: anonymous, path: '/version' }).allowed).toBe(true);
  });

  test('a rule with resourceNames allows only these names, and no lists', () => {
    const role: StoredRole = {
      metadata: { name: 'one', namespace: 'shop' },
      rules: [
        {
          verbs: ['get', 'list'],
          apiGroups: [''],
          resources: ['configmaps'],
          resourceNames: ['a'],
        },
      ],
    };
    const { authorize } = rbacAuthorizer(
      rbacSource(
        storeOf({
          roles: [role],
          roleBindings: [binding('one', [{ kind: 'User', name: 'vera' }], 'shop')],
        }),
      ),
    );
    expect(authorize(wants(vera, 'get', 'configmaps', { name: 'a' })).allowed).toBe(true);
    expect(authorize(wants(vera, 'get', 'configmaps', { name: 'b' })).allowed).toBe(false);
    expect(authorize(wants(vera, 'list', 'configmaps')).allowed).toBe(false);
  });

  test('a rule for a resource does not cover its subresources; resource/sub and */sub do', () => {
    const granted = (resources: string[], wanted: string) => {
      const role: StoredRole = {
        metadata: { name: 'sub' },
        rules: [{ verbs: ['*'], apiGroups: ['*'], resources }],
      };
      const { authorize } = rbacAuthorizer(
        rbacSource(
          storeOf({
            clusterRoles: [role],
            clusterRoleBindings: [binding('cluster:sub', [{ kind: 'User', name: 'vera' }])],
          }),
        ),
      );
      return authorize(wants(vera, 'update', wanted)).allowed;
    };
    expect(granted(['pods'], 'pods/status')).toBe(false);
    expect(granted(['pods/status'], 'pods/status')).toBe(true);
    expect(granted(['*/status'], 'pods/status')).toBe(true);
    expect(granted(['*/status'], 'pods')).toBe(false);
    expect(granted(['*'], 'pods/status')).toBe(true);
  });

  test('a service account subject matches by name and namespace', () => {
    const subject = { kind: 'ServiceAccount', name: 'robot', namespace: 'shop' };
    const { authorize } = rbacAuthorizer(
      rbacSource(bootstrapped({ clusterRoleBindings: [binding('cluster:view', [subject])] })),
    );
    const robot = { name: 'system:serviceaccount:shop:robot', groups: [] };
    const other = { name: 'system:serviceaccount:other:robot', groups: [] };
    expect(authorize(wants(robot, 'get', 'pods')).allowed).toBe(true);
    expect(authorize(wants(other, 'get', 'pods')).allowed).toBe(false);
  });

  test('an aggregated ClusterRole includes the rules of a newly labeled role immediately', () => {
    const extra: StoredRole = {
      metadata: {
        name: 'view-shops',
        labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
      },
      rules: [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['shops'] }],
    };
    const store = bootstrapped({ clusterRoles: [extra], roleBindings: [viewersView] });
    const { authorize } = rbacAuthorizer(rbacSource(store));
    expect(authorize(wants(vera, 'get', 'shops', { group: 'example.com' })).allowed).toBe(true);
  });

  test('roles that aggregate each other do not recurse endlessly', () => {
    const selects = (name: string, other: string): StoredRole => ({
      metadata: { name, labels: { is: name } },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { is: other } }] },
    });
    const source = rbacSource(
      storeOf({
        clusterRoles: [selects('a', 'b'), selects('b', 'a')],
        clusterRoleBindings: [binding('cluster:a', [{ kind: 'User', name: 'vera' }])],
      }),
    );
    expect([...grantedRules(source, vera, '')]).toEqual([]);
  });

  test('a rejection names the missing roles of bindings', () => {
    const source = rbacSource(
      storeOf({ clusterRoleBindings: [binding('cluster:gone', [{ kind: 'User', name: 'vera' }])] }),
    );
    const { authorize } = rbacAuthorizer(source);
    expect(authorize(wants(vera, 'get', 'pods'))).toEqual({
      allowed: false,
      reason: `RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found`,
    });
    const bob = { name: 'bob', groups: [] };
    expect(authorize(wants(bob, 'get', 'pods')).reason).toBe('');
  });
});
