import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import type { NeededPermissions } from '../permissions/check-roles.ts';
import { compareRoles } from '../permissions/compare-roles.ts';
import type { Permission, PolicyRule } from '../permissions/permission.ts';
import { RecordedRoles } from './recorded-roles.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);
const apiVersion = 'rbac.authorization.k8s.io/v1';

function role(name: string, namespace: string, rules: readonly PolicyRule[]): KubernetesObject {
  const isRole = namespace !== '';
  const metadata = { name, ...(isRole && { namespace }) };
  return { apiVersion, kind: isRole ? 'Role' : 'ClusterRole', metadata, rules } as KubernetesObject;
}

function rule(resource: string, ...verbs: string[]): PolicyRule {
  return { apiGroups: [''], resources: [resource], verbs };
}

function needs(resource: string, verb: string, more: Partial<Permission> = {}): Permission {
  const noNames = { names: undefined, usedNames: undefined };
  return {
    need: 'required',
    verb,
    group: '',
    resource,
    path: '',
    namespace: '',
    ...noNames,
    ...more,
  };
}

function recorded(
  permissions: readonly Permission[],
  more: Partial<NeededPermissions> = {},
): RecordedRoles {
  const record = { user: 'robot', namespace: undefined, isEverywhere: true, mayExceed: [] };
  return new RecordedRoles('/role.yaml', [{ ...record, permissions, ...more }]);
}

describe('an update of roles', () => {
  test('makes the roles of a missing file, with the name of the user', () => {
    const permissions = [needs('pods', 'get'), needs('leases', 'update', { namespace: 'ops' })];
    expect(recorded(permissions).update([])).toEqual({
      roles: [
        role('robot', '', [rule('pods', 'get')]),
        role('robot', 'ops', [rule('leases', 'update')]),
      ],
      added: [
        "ClusterRole robot: { apiGroups: [''], resources: [pods], verbs: [get] }",
        "Role ops/robot: { apiGroups: [''], resources: [leases], verbs: [update] }",
      ],
      removed: [],
    });
  });

  test('does not change roles that a check accepts, also if expected permissions are missing', () => {
    const present = [role('own', '', [rule('pods', 'list', 'watch')])];
    const permissions = [
      needs('pods', 'list'),
      needs('pods', 'watch', { need: 'expected' }),
      needs('pods', 'get', { need: 'expected' }),
      needs('selfsubjectaccessreviews', 'create', { need: 'default' }),
    ];
    const { roles, added, removed } = recorded(permissions).update(present);
    expect(roles[0]).toBe(present[0]);
    expect({ added, removed }).toEqual({ added: [], removed: [] });
  });

  test('adds to the first role of the same scope, and changes no other role', () => {
    const present = [
      role('one', '', [rule('pods', 'get')]),
      role('two', '', [rule('secrets', 'get')]),
    ];
    const permissions = [needs('pods', 'get'), needs('secrets', 'get'), needs('nodes', 'get')];
    const { roles } = recorded(permissions).update(present);
    const both = { ...rule('nodes', 'get'), resources: ['nodes', 'pods'] };
    expect(roles).toEqual([role('one', '', [both]), present[1]]);
    expect(roles[1]).toBe(present[1]);
  });

  test('keeps limits to names, labels, and roles that lose all rules', () => {
    const named = { ...rule('secrets', 'get'), resourceNames: ['one'] };
    const present = [
      {
        ...role('own', '', [named, rule('pods', 'get')]),
        metadata: { name: 'own', labels: { a: 'b' } },
      },
      role('unused', 'ops', [rule('pods', 'get')]),
    ];
    const secret = needs('secrets', 'get', { usedNames: ['one'] });
    expect(recorded([secret]).update(present).roles).toEqual([
      { ...present[0], rules: [named] },
      role('unused', 'ops', []),
    ]);
  });

  test('keeps what a check tolerates, wildcards included', () => {
    const wildcard = { apiGroups: ['batch'], resources: ['*'], verbs: ['*'] };
    const present = [role('own', '', [wildcard, rule('pods', 'get')])];
    const { roles, removed } = recorded([], { mayExceed: [wildcard] }).update(present);
    expect(roles).toEqual([role('own', '', [wildcard])]);
    expect(removed).toHaveLength(1);
  });

  test('a Role without namespace is in the one of the check, and stays without', () => {
    const present = [{ ...role('own', 'ops', [rule('leases', 'get')]), metadata: { name: 'own' } }];
    const permissions = ['get', 'update'].map((verb) =>
      needs('leases', verb, { namespace: 'ops' }),
    );
    expect(recorded(permissions, { namespace: 'ops' }).update(present)).toMatchObject({
      roles: [{ metadata: { name: 'own' }, rules: [rule('leases', 'get', 'update')] }],
      removed: [],
    });
    expect(recorded(permissions, { namespace: 'ops' }).update(present).roles).toHaveLength(1);
  });

  test('merges the permissions and tolerances of several records', () => {
    const base = { user: 'robot', namespace: undefined, isEverywhere: false };
    const roles = new RecordedRoles('/role.yaml', [
      { ...base, permissions: [needs('pods', 'get')], mayExceed: [rule('nodes', '*')] },
      { ...base, permissions: [needs('pods', 'list')], mayExceed: [] },
    ]).update([role('own', '', [rule('nodes', 'get'), rule('secrets', 'get')])]).roles;
    expect(roles).toEqual([role('own', '', [rule('nodes', 'get'), rule('pods', 'get', 'list')])]);
  });

  const names = fc.constantFrom(undefined, ['a'], ['a', 'b']);
  const permission: fc.Arbitrary<Permission> = fc
    .oneof(
      fc.record({
        need: fc.constantFrom('required', 'expected', 'default'),
        verb: fc.constantFrom('get', 'list', 'create'),
        group: fc.constantFrom('', 'apps'),
        resource: fc.constantFrom('pods', 'pods/status', 'jobs'),
        path: fc.constant(''),
        namespace: fc.constantFrom('', 'one', 'two'),
        names,
        usedNames: names,
      }),
      fc.record({
        need: fc.constantFrom('required', 'default'),
        verb: fc.constant('get'),
        group: fc.constant(''),
        resource: fc.constant(''),
        path: fc.constantFrom('/metrics', '/logs'),
        namespace: fc.constant(''),
        names: fc.constant(undefined),
        usedNames: fc.constant(undefined),
      }),
    )
    .map((each) => {
      // As in observations: a limit has the names that were used.
      return { ...each, names: each.usedNames && each.names ? each.usedNames : undefined };
    });
  const anyRule: fc.Arbitrary<PolicyRule> = fc.oneof(
    fc
      .record({
        apiGroups: fc.subarray(['', 'apps', '*'], { minLength: 1 }),
        resources: fc.subarray(['pods', 'pods/status', 'jobs', '*', '*/status'], { minLength: 1 }),
        verbs: fc.subarray(['get', 'list', 'create', '*'], { minLength: 1 }),
        resourceNames: fc.constantFrom<string[] | undefined>(undefined, ['a'], ['b', 'c']),
      })
      .map(({ resourceNames, ...rest }) => (resourceNames ? { ...rest, resourceNames } : rest)),
    fc.record({
      nonResourceURLs: fc.subarray(['/metrics', '/met*', '/other'], { minLength: 1 }),
      verbs: fc.constant<string[]>(['get']),
    }),
  );
  const anyRole = fc
    .record({
      namespace: fc.constantFrom('', 'one', 'two'),
      rules: fc.array(anyRule, { maxLength: 3 }),
    })
    .map(({ namespace, rules }) => role('own', namespace, rules));

  test('gives roles that a check accepts, and that a second update does not change', () => {
    fc.assert(
      fc.property(
        fc.array(permission, { maxLength: 8 }),
        fc.array(anyRole, { maxLength: 3 }),
        fc.array(anyRule, { maxLength: 1 }),
        fc.boolean(),
        (permissions, present, mayExceed, isEverywhere) => {
          const roles = recorded(permissions, { mayExceed, isEverywhere });
          const updated = roles.update(present);
          expect(compareRoles(updated.roles, { permissions, mayExceed, isEverywhere })).toEqual({
            missing: [],
            excess: [],
          });
          const again = roles.update(updated.roles);
          expect(again).toEqual({ roles: updated.roles, added: [], removed: [] });
          expect(again.roles.every((each, index) => each === updated.roles[index])).toBe(true);
        },
      ),
      { numRuns: Math.ceil(500 * multiple) },
    );
  });
});
