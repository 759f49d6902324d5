import { describe, expect, test } from '@jest/globals';
import { accessesOf, nameOf } from './role-accesses.ts';

const rbac = 'rbac.authorization.k8s.io/v1';

describe('the accesses of roles', () => {
  test('are each access once, in all namespaces for ClusterRoles', () => {
    const rules = [
      { apiGroups: ['', 'apps'], resources: ['pods', 'pods/status'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ];
    const role = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'a' }, rules } as const;
    const accesses = accessesOf({ clusterRoles: [role], roles: [] });
    expect(accesses.map((access) => `${access.verb} ${nameOf(access)}`)).toEqual([
      'get pods',
      'list pods',
      'get pods/status',
      'list pods/status',
      'get pods.apps',
      'list pods.apps',
      'get pods.apps/status',
      'list pods.apps/status',
      'get /metrics',
    ]);
  });

  test('have the namespace of a Role, and the names', () => {
    const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
    const rules = [{ ...leases, resourceNames: ['a', 'b'], verbs: ['update'] }];
    const metadata = { name: 'a', namespace: 'ops' };
    const role = { apiVersion: rbac, kind: 'Role', metadata, rules } as const;
    const accesses = accessesOf({ clusterRoles: [], roles: [role] });
    expect(accesses.map((access) => nameOf(access))).toEqual([
      'leases.coordination.k8s.io/"a" in ops',
      'leases.coordination.k8s.io/"b" in ops',
    ]);
  });
});
