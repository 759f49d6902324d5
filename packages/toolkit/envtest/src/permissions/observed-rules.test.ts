import { describe, expect, test } from '@jest/globals';
import type { ObservedAccess, ObservedResourceAccess } from '@keelson/apiserver';
import { builtin } from '@keelson/apimachinery';
import { observedPermissions } from './observed-permissions.ts';
import { roleNameOf, rolesOf, type ObservedRules } from './observed-rules.ts';
import type { ObservedRulesOptions } from './observed-rules.ts';

type Given = Partial<ObservedResourceAccess>;

/** An access from a text: `VERBS RESOURCE[.GROUP] [NAMESPACE]`; the kind is namespaced unless it is named below. */
function access(text: string, given: Given = {}): ObservedAccess[] {
  const [verbs = '', title = '', namespace = ''] = text.split(' ');
  const [, full = '', group = ''] = /^([^.]*)\.?(.*)$/.exec(title) ?? [];
  const [resource = '', subresource = ''] = full.split('/');
  const isNamespaced = !['nodes', 'namespaces'].includes(resource);
  return verbs.split(',').map((verb) => ({
    kind: 'resource',
    cause: 'request',
    verb,
    group,
    resource,
    subresource,
    namespace,
    isNamespaced,
    names: [''],
    isRefused: false,
    ...given,
  }));
}

function path(text: string): ObservedAccess {
  const [verb = '', where = ''] = text.split(' ');
  return { kind: 'path', cause: 'request', verb, path: where, isRefused: false };
}

/** The roles of accesses, one line for each rule. */
function rulesOf(
  accesses: readonly ObservedAccess[],
  options: ObservedRulesOptions = {},
): string[] {
  const { permissions } = observedPermissions(accesses, options);
  return printed(rolesOf(permissions, 'robot'));
}

function printed({ clusterRoles, roles }: ObservedRules): string[] {
  return [...clusterRoles, ...roles].flatMap(({ metadata, rules = [] }) =>
    rules.map(({ apiGroups = [], resources = [], resourceNames, nonResourceURLs, verbs }) => {
      const scope = metadata?.namespace ?? '*';
      const target = nonResourceURLs ?? [apiGroups.map((group) => group || 'core'), resources];
      const names = resourceNames === undefined ? '' : ` of ${resourceNames.join()}`;
      return `${scope}: ${verbs.join()} ${target.join(' ')}${names}`;
    }),
  );
}

describe('the roles of requests', () => {
  test('requests in all namespaces and of cluster-scoped kinds become a ClusterRole, others Roles', () => {
    const accesses = [
      ...access('create,get nodes'),
      ...access('patch secrets b', { names: ['x'] }),
      ...access('get,delete secrets a', { names: ['x', 'y'] }),
      ...access('create namespaces'),
      ...access('get namespaces a', { names: ['a'] }),
    ];
    expect(rulesOf(accesses)).toEqual([
      '*: get,create core namespaces,nodes',
      'a: get,delete core secrets',
      'b: patch core secrets',
    ]);
  });

  test('rules with equal verbs are merged, and groups with equal resources', () => {
    const accesses = [
      ...access('create,patch events a'),
      ...access('create,patch events.events.k8s.io a'),
      ...access('patch,create deployments.apps a'),
      ...access('create,patch statefulsets.apps a'),
      ...access('update deployments/scale.apps a'),
      ...access('get pods/log a'),
      ...access('create pods/eviction a'),
    ];
    expect(rulesOf(accesses)).toEqual([
      'a: create,patch core,events.k8s.io events',
      'a: create core pods/eviction',
      'a: get core pods/log',
      'a: create,patch apps deployments,statefulsets',
      'a: update apps deployments/scale',
    ]);
    expect(rulesOf(accesses.toReversed())).toEqual(rulesOf(accesses));
  });

  test('a list or a watch gives get, list and watch', () => {
    for (const verb of ['list', 'watch']) {
      expect(rulesOf(access(`${verb} pods`))).toEqual(['*: get,list,watch core pods']);
    }
    expect(rulesOf(access('get pods a'))).toEqual(['a: get core pods']);
  });

  test('a declared source gives get, list and watch before its first request', () => {
    const sources = [{ resource: builtin.Pod }, { resource: builtin.Secret, namespace: 'a' }];
    expect(rulesOf([], { sources })).toEqual(['*: get,list,watch core pods,secrets']);
    expect(rulesOf([], { sources, namespaces: 'exact' })).toEqual([
      '*: get,list,watch core pods',
      'a: get,list,watch core secrets',
    ]);
  });

  test('with a cache of all namespaces the namespaces of a test are examples, except those of Leases', () => {
    const accesses = [
      ...access('list,watch gizmos.example.com'),
      ...access('patch gizmos/status.example.com test-1'),
      ...access('create configmaps test-2'),
      ...access('create leases.coordination.k8s.io ops'),
      ...access('get,update leases.coordination.k8s.io ops', { names: ['robot'] }),
    ];
    expect(rulesOf(accesses)).toEqual([
      '*: create core configmaps',
      '*: get,list,watch example.com gizmos',
      '*: patch example.com gizmos/status',
      'ops: get,watch,create,update coordination.k8s.io leases',
    ]);
    expect(rulesOf(accesses, { namespaces: 'exact' })).toContain('test-2: create core configmaps');
    expect(rulesOf(accesses, { ownNamespaces: [] })).toContain(
      '*: get,watch,create,update coordination.k8s.io leases',
    );
    expect(rulesOf(accesses, { ownNamespaces: ['test-2'] })).toContain(
      'test-2: create core configmaps',
    );
    const readsLeases = [...accesses, ...access('list leases.coordination.k8s.io')];
    expect(rulesOf(readsLeases).every((line) => line.startsWith('*'))).toBe(true);
  });

  test('with a set of namespaces every namespace of it gets the same rules, except those of Leases', () => {
    const sources = ['a', 'b'].map((namespace) => ({ resource: builtin.Pod, namespace }));
    const accesses = [
      ...access('patch pods/status a'),
      ...access('create secrets b'),
      ...access('get,create,update,watch leases.coordination.k8s.io a'),
      ...access('get secrets own', { names: ['x'] }),
    ];
    const rules = ['create core secrets', 'patch core pods/status', 'get,list,watch core pods'];
    const found = rulesOf(accesses, { sources });
    for (const rule of rules) {
      expect(found).toEqual(expect.arrayContaining([`a: ${rule}`, `b: ${rule}`]));
    }
    expect(found.filter((rule) => rule.includes('leases'))).toHaveLength(1);
    expect(found.filter((rule) => rule.startsWith('own: '))).toEqual(['own: get core secrets']);
    // A namespace of the set may be that of the operator too.
    const own = rulesOf(access('get secrets a'), { sources, ownNamespaces: ['a'] });
    expect(own.filter((rule) => rule.includes('secrets'))).toEqual(['a: get core secrets']);
  });

  test('with different sets of namespaces a set counts for its own resource only', () => {
    const sources = [
      ...['a', 'b'].map((namespace) => ({ resource: builtin.Pod, namespace })),
      ...['b', 'c'].map((namespace) => ({ resource: builtin.Secret, namespace })),
    ];
    const accesses = [...access('patch pods b'), ...access('create configmaps b')];
    const found = rulesOf(accesses, { sources }).filter((rule) => /patch|create/.test(rule));
    expect(found).toEqual([
      'a: get,list,watch,patch core pods',
      'b: create core configmaps',
      'b: get,list,watch,patch core pods',
    ]);
  });

  test('a cluster-scoped cache does not make the namespaces of a test examples', () => {
    expect(rulesOf([...access('list nodes'), ...access('create pods a')])).toEqual([
      '*: get,list,watch core nodes',
      'a: create core pods',
    ]);
  });

  test('a Role does not repeat what the ClusterRole grants', () => {
    const accesses = [
      ...access('list pods'),
      ...access('watch pods ops'),
      ...access('delete pods ops'),
    ];
    expect(rulesOf(accesses, { ownNamespaces: ['ops'] })).toEqual([
      '*: get,list,watch core pods',
      'ops: delete core pods',
    ]);
  });

  test('an event that is created is patched later, and a Lease renewed', () => {
    expect(rulesOf(access('create events.events.k8s.io a'))).toEqual([
      'a: create,patch events.k8s.io events',
    ]);
    const fixedNames = [{ resource: builtin.Lease, names: ['robot'] }];
    const lease = [
      ...access('get leases.coordination.k8s.io a', { names: ['robot'] }),
      ...access('create leases.coordination.k8s.io a'),
    ];
    expect(rulesOf(lease, { fixedNames })).toEqual([
      'a: create coordination.k8s.io leases',
      'a: get,watch,update coordination.k8s.io leases of robot',
    ]);
  });

  test('names limit a rule only if they are declared, and never a create or a request without name', () => {
    const fixedNames = [{ resource: builtin.Secret, names: ['own', 'other'] }];
    const accesses = [
      ...access('get secrets a', { names: ['other', 'own'] }),
      ...access('patch secrets a', { names: ['foreign', 'own'] }),
      ...access('create secrets a', { names: ['own'] }),
      ...access('delete secrets a', { names: ['', 'own'] }),
      ...access('update secrets a', { names: undefined }),
    ];
    expect(rulesOf(accesses, { fixedNames })).toEqual([
      'a: create,update,patch,delete core secrets',
      'a: get core secrets of other,own',
    ]);
    expect(rulesOf(access('get secrets a', { names: ['own'] }))).toEqual(['a: get core secrets']);
  });

  test('impersonate, bind and escalate keep their names, which limit very wide permissions', () => {
    const accesses = [
      ...access('impersonate users', { names: ['vera'] }),
      ...access('bind clusterroles.rbac.authorization.k8s.io', { names: ['view'] }),
    ];
    expect(rulesOf(accesses)).toEqual([
      '*: impersonate core users of vera',
      '*: bind rbac.authorization.k8s.io clusterroles of view',
    ]);
  });

  test('the rules of written roles are required as they are', () => {
    const accesses = [
      ...access('get pods a', { cause: 'grant', names: ['p'] }),
      ...access('* gizmos.example.com a', { cause: 'grant' }),
    ];
    expect(rulesOf(accesses)).toEqual(['a: get core pods of p', 'a: * example.com gizmos']);
  });

  test('discovery, health and reviews about oneself are omitted, other reviews and paths are not', () => {
    const accesses = [
      ...['/api', '/apis/apps/v1', '/openapi/v3', '/version', '/healthz', '/readyz'].map((each) =>
        path(`get ${each}`),
      ),
      path('get /metrics'),
      path('post /metrics'),
      path('get /readyz/etcd'),
      ...access('create selfsubjectaccessreviews.authorization.k8s.io'),
      ...access('create subjectaccessreviews.authorization.k8s.io'),
      ...access('create tokenreviews.authentication.k8s.io'),
    ];
    expect(rulesOf(accesses)).toEqual([
      '*: create authentication.k8s.io tokenreviews',
      '*: create authorization.k8s.io subjectaccessreviews',
      '*: get,post /metrics',
      '*: get /readyz/etcd',
    ]);
  });

  test('refused requests count unless they are omitted', () => {
    const accesses = [...access('get secrets a', { isRefused: true }), ...access('get pods a')];
    expect(rulesOf(accesses)).toEqual(['a: get core pods,secrets']);
    expect(rulesOf(accesses, { refused: 'omit' })).toEqual(['a: get core pods']);
  });

  test('owners whose deletion is blocked need their finalizers', () => {
    const accesses = access('update gizmos/finalizers.example.com a', { cause: 'ownerReference' });
    expect(rulesOf(accesses)).toEqual(['a: update example.com gizmos/finalizers']);
  });

  test('the roles have the name of the user', () => {
    expect(roleNameOf('system:serviceaccount:ops:robot')).toBe('robot');
    expect(roleNameOf('vera@example.com')).toBe('vera-example.com');
    expect(roleNameOf('')).toBe('user');
  });
});
