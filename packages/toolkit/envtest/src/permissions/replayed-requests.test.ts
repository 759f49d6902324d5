import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import * as fc from 'fast-check';
import { createTestEnvironment, type TestEnvironment } from '../index.ts';
import { bindRoles } from './bind-roles.ts';
import { mergeRules } from './merge-rules.ts';
import type { ObservedRulesOptions } from './observed-rules.ts';
import type { PolicyRule } from './permission.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);
const namespaces = ['default', 'one', 'two'];

/** Kinds with the paths of their version, and whether they are namespaced. */
const kinds = [
  ['/api/v1', 'configmaps', true],
  ['/apis/apps/v1', 'deployments', true],
  ['/apis/apps/v1', 'statefulsets', true],
  ['/apis/events.k8s.io/v1', 'events', true],
  ['/apis/coordination.k8s.io/v1', 'leases', true],
  ['/api/v1', 'nodes', false],
  ['/api/v1', 'namespaces', false],
] as const;

type Sent = Parameters<Client['request']>[0];

const merge = { headers: { 'content-type': 'application/merge-patch+json' }, body: '{}' };
const json = { headers: { 'content-type': 'application/json' }, body: '{}' };

/** A request that the server answers at once. Deletions are of names that do not exist. */
const request: fc.Arbitrary<Sent> = fc
  .record({
    kind: fc.constantFrom(...kinds),
    namespace: fc.constantFrom(...namespaces),
    name: fc.constantFrom('a', 'b', 'c'),
    does: fc.constantFrom(
      'list',
      'listAll',
      'watch',
      'get',
      'create',
      'update',
      'patch',
      'delete',
      'status',
    ),
  })
  .map(({ kind: [version, plural, isNamespaced], namespace, name, does }): Sent => {
    const within = isNamespaced && does !== 'listAll';
    const list = `${version}/${within ? `namespaces/${namespace}/` : ''}${plural}`;
    const object = `${list}/${name}`;
    switch (does) {
      case 'list':
      case 'listAll':
        return { path: list };
      case 'watch':
        // An invalid version ends the watch at once.
        return { path: `${list}?watch=true&resourceVersion=x` };
      case 'create':
        return { path: list, method: 'POST', ...json };
      case 'update':
        return { path: object, method: 'PUT', ...json };
      case 'patch':
        return { path: object, method: 'PATCH', ...merge };
      case 'delete':
        return { path: object, method: 'DELETE' };
      case 'status':
        return { path: `${object}/status`, method: 'PATCH', ...merge };
      default:
        return { path: object };
    }
  });

const options: fc.Arbitrary<ObservedRulesOptions> = fc.record({
  namespaces: fc.constantFrom('auto', 'exact', 'any'),
  ownNamespaces: fc.constantFrom([], ['one'], ['one', 'two']),
  fixedNames: fc.constantFrom(
    [],
    [{ resource: builtin.Lease, names: ['a', 'b'] }],
    [{ resource: builtin.ConfigMap, names: ['a', 'b', 'c'] }],
  ),
});

describe('the roles of random requests', () => {
  let environment: TestEnvironment;
  let admin: Client;
  let users = 0;

  beforeAll(async () => {
    environment = await createTestEnvironment({ use: 'memory' });
    admin = createClient({ cluster: environment.admin.cluster });
    for (const name of ['one', 'two'])
      await admin.create(builtin.Namespace, { metadata: { name } });
  });

  afterAll(async () => {
    await admin.close();
    await environment.stop();
  });

  /** Sends requests as a new service account of the namespace `default`. Returns its name. */
  async function send(requests: readonly Sent[], groups: readonly string[]): Promise<string> {
    const name = `robot-${users}`;
    const user = `system:serviceaccount:default:${name}`;
    const { cluster } = await environment.addUser({ name: user, groups });
    await using client = createClient({ cluster, retry: false });
    for (const each of requests) await client.request(each).catch(() => undefined);
    return user;
  }

  test('let another user repeat the requests, and their check passes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 12 }),
        options,
        async (requests, chosen) => {
          users += 1;
          const first = await send(requests, ['system:masters']);
          users += 1;
          const name = `robot-${users}`;
          const rules = await environment.observedRules(first, { ...chosen, name });
          await environment.checkRoles(first, [...rules.clusterRoles, ...rules.roles], chosen);
          const bindings = bindRoles(rules, { namespace: 'default', name });
          for (const role of rules.clusterRoles) await admin.create(builtin.ClusterRole, role);
          for (const role of rules.roles) await admin.create(builtin.Role, role);
          for (const each of bindings.clusterRoleBindings) {
            await admin.create(builtin.ClusterRoleBinding, each);
          }
          for (const each of bindings.roleBindings) await admin.create(builtin.RoleBinding, each);
          const second = await send(requests, []);
          const allowed = await environment.observedRules(second, { ...chosen, refused: 'omit' });
          expect(await environment.observedRules(second, chosen)).toEqual(allowed);
          await environment.checkRoles(second, [...rules.clusterRoles, ...rules.roles], chosen);
        },
      ),
      { numRuns: Math.ceil(20 * multiple) },
    );
  });
});

interface Atom {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly path: string;
  readonly names: readonly string[] | undefined;
}

/** Each verb of each target of rules, with each name, as a text. */
function atomsOf(rules: readonly PolicyRule[]): string[] {
  return rules.flatMap((rule) => {
    const { verbs, apiGroups = [], resources = [], resourceNames, nonResourceURLs = [] } = rule;
    const targets = apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        (resourceNames ?? ['*']).map((name) => `${group}/${resource} ${name}`),
      ),
    );
    return verbs.flatMap((verb) =>
      [...targets, ...nonResourceURLs].map((each) => `${verb} ${each}`),
    );
  });
}

describe('merged rules', () => {
  const atom: fc.Arbitrary<Atom> = fc.oneof(
    fc.record({
      verb: fc.constantFrom('get', 'list', 'patch'),
      group: fc.constantFrom('', 'apps', 'batch'),
      resource: fc.constantFrom('jobs', 'pods', 'pods/status'),
      path: fc.constant(''),
      names: fc.constantFrom(undefined, ['a'], ['a', 'b']),
    }),
    fc.record({
      verb: fc.constantFrom('get', 'post'),
      group: fc.constant(''),
      resource: fc.constant(''),
      path: fc.constantFrom('/metrics', '/logs'),
      names: fc.constant(undefined),
    }),
  );

  test('grant exactly the permissions that were merged, each once, in any order', () => {
    fc.assert(
      fc.property(fc.array(atom, { maxLength: 30 }), (atoms) => {
        const single = atoms.map(({ verb, group, resource, path, names }): PolicyRule => {
          if (path !== '') return { nonResourceURLs: [path], verbs: [verb] };
          const resourceNames = names === undefined ? {} : { resourceNames: [...names] };
          return { apiGroups: [group], resources: [resource], ...resourceNames, verbs: [verb] };
        });
        const all = new Set(atomsOf(single));
        const unlimited = (text: string): string => text.replace(/ [ab]$/, ' *');
        const wanted = [...all].filter((text) => !/ [ab]$/.test(text) || !all.has(unlimited(text)));
        const merged = mergeRules(atoms);
        expect(atomsOf(merged).toSorted()).toEqual(wanted.toSorted());
        expect(mergeRules(atoms.toReversed())).toEqual(merged);
      }),
      { numRuns: Math.ceil(300 * multiple) },
    );
  });
});
