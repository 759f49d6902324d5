import { describe, expect, test } from '@jest/globals';
import type { StatusError } from '@keelson/apimachinery';
import type { AccessAttributes, Authorizer, ResourceAttributes } from '../authorizer.ts';
import { AccessRecord } from '../observed/access-record.ts';
import { Impersonation } from './impersonation.ts';
import type { User } from '../user.ts';

/** Allows the listed permissions: `VERB RESOURCE[/SUBRESOURCE][.GROUP] [NAMESPACE/]NAME`. */
function allowing(...rights: string[]): Authorizer {
  return { authorize: (wanted) => ({ allowed: rights.includes(titled(wanted)), reason: '' }) };
}

function impersonationWith(authorizer: Authorizer): Impersonation {
  return new Impersonation({
    authorizer,
    accesses: new AccessRecord(() => undefined),
    version: '1.36',
  });
}

function titled(wanted: AccessAttributes): string {
  if (wanted.kind === 'path') return `${wanted.verb} ${wanted.path}`;
  const { verb, resource, subresource, group, namespace, name } = wanted;
  const of = subresource === '' ? resource : `${resource}/${subresource}`;
  const title = group === 'authentication.k8s.io' ? `${of}.auth` : of;
  return `${verb} ${title} ${namespace === '' ? name : `${namespace}/${name}`}`.trim();
}

const vera: User = { name: 'vera', groups: ['viewers', 'system:authenticated'] };
const robot: User = {
  name: 'system:serviceaccount:a:robot',
  groups: [],
  extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
};

function listing(user: User): ResourceAttributes {
  const names = { group: '', resource: 'pods', subresource: '', namespace: 'a', name: '' };
  return { kind: 'resource', user, verb: 'list', ...names };
}

type Outcome = readonly string[] | string;

/** The groups of the impersonated user, or the message of the rejection. */
function outcome(impersonation: Impersonation, wanted: Partial<User>, by = vera): Outcome {
  try {
    return impersonation.userFor({ name: 'bob', groups: [], ...wanted }, listing(by)).groups;
  } catch (error) {
    return (error as StatusError).message;
  }
}

const account = 'system:serviceaccount:a:robot';
const node = 'system:node:n1';
const onUserInfo = 'impersonate-on:user-info:list pods a/';
const asBob = [onUserInfo, 'impersonate:user-info users.auth bob'];

describe('Impersonation', () => {
  test.each<[string, string[], Partial<User>, Outcome, User?]>([
    ['a user', ['impersonate users bob'], {}, ['system:authenticated']],
    [
      'nobody',
      ['impersonate users system:anonymous'],
      { name: 'system:anonymous' },
      ['system:unauthenticated'],
    ],
    [
      'groups',
      [
        'impersonate users bob',
        'impersonate groups x',
        'impersonate groups system:unauthenticated',
      ],
      { groups: ['x', 'system:unauthenticated'] },
      ['x', 'system:unauthenticated'],
    ],
    [
      'an account',
      ['impersonate serviceaccounts a/robot'],
      { name: account },
      ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
    ],
    [
      'an account with an additional group',
      ['impersonate serviceaccounts a/robot', 'impersonate groups x'],
      { name: account, groups: ['x'] },
      ['x', 'system:authenticated'],
    ],
    [
      'a user name that resembles an account',
      ['impersonate users system:serviceaccount:A:b'],
      { name: 'system:serviceaccount:A:b' },
      ['system:authenticated'],
    ],
    [
      'a node by the older permission',
      [`impersonate users ${node}`],
      { name: node },
      ['system:authenticated'],
    ],
    [
      'a node by the newer permission',
      ['impersonate-on:arbitrary-node:list pods a/', 'impersonate:arbitrary-node nodes.auth n1'],
      { name: node },
      ['system:nodes', 'system:authenticated'],
    ],
    [
      'the node of an account by the permission for all nodes',
      ['impersonate-on:associated-node:list pods a/', 'impersonate:associated-node nodes.auth *'],
      { name: node },
      ['system:nodes', 'system:authenticated'],
      robot,
    ],
    [
      'an account by the newer permission',
      [
        'impersonate-on:serviceaccount:list pods a/',
        'impersonate:serviceaccount serviceaccounts.auth a/robot',
      ],
      { name: account },
      ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
    ],
    ['a user by the newer permission', asBob, {}, ['system:authenticated']],
    [
      'uid, groups and extra values by the newer permission',
      [
        ...asBob,
        'impersonate:user-info uids.auth 7',
        'impersonate:user-info groups.auth x',
        'impersonate:user-info userextras/a.b/c.auth 1',
      ],
      { uid: '7', groups: ['x'], extra: { 'a.b/c': ['1'] } },
      ['x', 'system:authenticated'],
    ],
    [
      'four groups by the permission for all groups',
      [...asBob, 'impersonate:user-info groups.auth *'],
      { groups: ['w', 'x', 'y', 'z'] },
      ['w', 'x', 'y', 'z', 'system:authenticated'],
    ],
    [
      'four extra values by the permission for all values',
      [...asBob, 'impersonate:user-info userextras/*.auth *'],
      { extra: { 'a.b/c': ['1', '2'], 'a.b/d': ['1', '2'] } },
      ['system:authenticated'],
    ],
  ])('allows %s', (_, rights, wanted, groups, by = vera) => {
    expect(outcome(impersonationWith(allowing(...rights)), wanted, by)).toEqual(groups);
  });

  test.each<[string, string[], Partial<User>, string, User?]>([
    [
      'a requester without permissions',
      [],
      {},
      'pods is forbidden: User "vera" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "a"',
    ],
    [
      'a missing permission for the request',
      asBob.slice(0, 1),
      {},
      'users.authentication.k8s.io "bob" is forbidden: User "vera" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
    ],
    [
      'the node of another account',
      [],
      { name: 'system:node:n2' },
      'cannot impersonate-on:arbitrary-node:list resource "pods"',
      robot,
    ],
    [
      'the own node of an account',
      [],
      { name: node },
      'cannot impersonate-on:associated-node:list resource "pods"',
      robot,
    ],
    [
      'an account',
      [],
      { name: account },
      'cannot impersonate-on:serviceaccount:list resource "pods"',
    ],
    [
      'an account with a uid',
      [],
      { name: account, uid: '7' },
      'serviceaccounts "robot" is forbidden: User "vera" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "a"',
    ],
    [
      'a node in a group',
      [],
      { name: node, groups: ['x'] },
      `users "${node}" is forbidden: User "vera" cannot impersonate resource "users"`,
    ],
    [
      'a uid',
      asBob,
      { uid: '7' },
      'uids.authentication.k8s.io "7" is forbidden: User "vera" cannot impersonate:user-info resource "uids"',
    ],
    [
      'three groups with the permission for all groups only',
      [...asBob, 'impersonate:user-info groups.auth *'],
      { groups: ['x', 'y', 'z'] },
      'groups.authentication.k8s.io "x" is forbidden',
    ],
    [
      'three extra values with the permission for all values only',
      [...asBob, 'impersonate:user-info userextras/*.auth *'],
      { extra: { 'a.b/c': ['1', '2', '3'] } },
      'userextras.authentication.k8s.io "1" is forbidden: User "vera" cannot impersonate:user-info resource "userextras/a.b/c"',
    ],
    [
      'an empty group',
      asBob,
      { groups: ['x', ''] },
      'impersonating the empty string group is not allowed',
    ],
    [
      'the group system:masters',
      asBob,
      { groups: ['system:masters'] },
      'groups.authentication.k8s.io "system:masters" is forbidden: User "vera" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    ],
    [
      'an empty key',
      asBob,
      { extra: { '': ['1'] } },
      'impersonating the empty string key in extra is not allowed',
    ],
    [
      'an empty value',
      asBob,
      { extra: { 'a.b/c': [''] } },
      'impersonating the empty string value in extra is not allowed',
    ],
    [
      'a key without a domain',
      asBob,
      { extra: { scopes: ['1'] } },
      'in extra is not allowed: extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    [
      'a key with an invalid path',
      asBob,
      { extra: { 'a.b/c d': ['1'] } },
      'extra.key: Invalid value: "c d": Invalid path (regex used for validation is',
    ],
    [
      'a key with an invalid domain and path',
      asBob,
      { extra: { 'a_b/c d': ['1'] } },
      'is not allowed: [extra.key: Invalid value: "a_b": a lowercase RFC 1123 subdomain',
    ],
  ])('rejects %s', (_, rights, wanted, message, by = vera) => {
    const outcomeText = outcome(impersonationWith(allowing(...rights)), wanted, by);
    expect(outcomeText).toContain(message);
  });

  test('the older permission allows any extra key and value, and system:masters', () => {
    const rights = ['users bob', 'groups system:masters', 'userextras/Scopes.auth'];
    const impersonation = impersonationWith(
      allowing(...rights.map((right) => `impersonate ${right}`)),
    );
    const wanted = { groups: ['system:masters'], extra: { Scopes: [''] } };
    expect(outcome(impersonation, wanted)).toEqual(['system:masters', 'system:authenticated']);
  });

  test('a rejection names the permission that last allowed the requester', () => {
    const impersonation = impersonationWith(
      allowing('impersonate users bob', 'impersonate users carl'),
    );
    const eve = { name: 'eve' };
    expect(outcome(impersonation, eve)).toContain('cannot impersonate-on:user-info:list');
    outcome(impersonation, {});
    expect(outcome(impersonation, eve)).toContain(
      'User "vera" cannot impersonate resource "users"',
    );
    expect(outcome(impersonation, eve, robot)).toContain('cannot impersonate-on:user-info:list');
  });
});
