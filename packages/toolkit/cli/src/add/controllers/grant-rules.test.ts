import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import type { ClusterRole, PolicyRule } from '@keelson/envtest';
import { rolesWithKind } from './grant-rules.ts';

const group = 'shop.example';

const rulesOf = (plural: string): readonly PolicyRule[] => [
  { apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [group], resources: [`${plural}/status`], verbs: ['patch'] },
];

function role(kind: string, name: string, ...rules: readonly PolicyRule[]): KubernetesObject {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  return { apiVersion, kind, metadata: { name }, rules } as KubernetesObject;
}

/** The roles that have the rules of invoices. */
function grantedIn(roles: readonly KubernetesObject[], scope: 'Namespaced' | 'Cluster'): string[] {
  const found = rolesWithKind(roles, { group, plural: 'invoices', scope });
  return found
    .filter((one) => (one as ClusterRole).rules?.some((rule) => rule.resources?.[0] === 'invoices'))
    .map(({ metadata }) => metadata?.name ?? '');
}

describe('rolesWithKind', () => {
  const reviews: PolicyRule = {
    apiGroups: ['authentication.k8s.io'],
    resources: ['tokenreviews'],
    verbs: ['create'],
  };
  const leases: PolicyRule = {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['create'],
  };
  const namespaced = [
    role('ClusterRole', 'wide', reviews),
    role('Role', 'election', leases),
    role('Role', 'one', ...rulesOf('orders')),
    role('Role', 'two', ...rulesOf('orders')),
  ];

  test('adds the rules to each Role with those of another kind, and not to the ClusterRole', () => {
    expect(grantedIn(namespaced, 'Namespaced')).toEqual(['one', 'two']);
  });

  test('adds the rules only to roles that lack them', () => {
    const [wide, , one] = namespaced as [KubernetesObject, KubernetesObject, KubernetesObject];
    const full = role('Role', 'full', ...rulesOf('invoices'));
    const roles = [wide, full, one];
    const found = rolesWithKind(roles, { group, plural: 'invoices', scope: 'Namespaced' });
    expect(found.map((after, at) => after === roles[at])).toEqual([true, true, false]);
    expect((found[2] as ClusterRole).rules).toEqual([...rulesOf('invoices'), ...rulesOf('orders')]);
  });

  test('adds the rules of a kind without namespaces to a ClusterRole only', () => {
    expect(grantedIn(namespaced, 'Cluster')).toEqual(['wide']);
    expect(grantedIn(namespaced.slice(1), 'Cluster')).toEqual([]);
  });

  test('prefers the first ClusterRole for the first kind', () => {
    const empty = [role('Role', 'one'), role('ClusterRole', 'wide'), role('ClusterRole', 'more')];
    expect(grantedIn(empty, 'Namespaced')).toEqual(['wide']);
    expect(grantedIn(empty.slice(0, 1), 'Namespaced')).toEqual(['one']);
  });

  test('does not widen a role that only reads a kind', () => {
    const viewer = role('ClusterRole', 'viewer', ...rulesOf('orders').slice(0, 1));
    const operator = role('ClusterRole', 'operator', ...rulesOf('orders'));
    expect(grantedIn([viewer, operator], 'Namespaced')).toEqual(['operator']);
  });
});
