import { describe, expect, test } from '@jest/globals';
import { reviewAccess, reviewSelf, reviewSelfAccess, reviewToken } from './access-review.ts';
import { tokenAuthenticator } from './authenticator.ts';
import type { Authorizer } from './authorizer.ts';
import { forbiddenStatus } from './forbidden.ts';
import { reviewRules } from './rbac/rules-review.ts';

/** Allows vera to read pods, and every user to read /version. */
const authorizer: Authorizer = {
  authorize: (wanted) => ({
    allowed:
      wanted.kind === 'path'
        ? wanted.path === '/version'
        : wanted.user.name === 'vera' && wanted.resource === 'pods' && wanted.verb === 'get',
    reason: wanted.user.name === 'vera' ? 'she is vera' : '',
  }),
};
const vera = { name: 'vera', uid: 'u1', groups: ['viewers'] };

describe('access reviews', () => {
  test('a SelfSubjectAccessReview decides for its caller', () => {
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'a' } };
    expect(reviewSelfAccess({ spec }, vera, authorizer)).toEqual({
      spec,
      status: { allowed: true, reason: 'she is vera' },
    });
    expect(reviewSelfAccess({ spec }, { name: 'bob', groups: [] }, authorizer).status).toEqual({
      allowed: false,
    });
  });

  test('a SubjectAccessReview decides for the named user, also for paths', () => {
    const resourceAttributes = { verb: 'get', resource: 'pods' };
    expect(
      reviewAccess({ spec: { user: 'vera', resourceAttributes } }, authorizer).status,
    ).toMatchObject({ allowed: true });
    const nonResourceAttributes = { verb: 'get', path: '/metrics' };
    expect(
      reviewAccess({ spec: { user: 'bob', nonResourceAttributes } }, authorizer).status,
    ).toEqual({ allowed: false });
  });

  test('a TokenReview names the user of a known token and rejects an unknown token', () => {
    const tokens = new Map([['t1', vera]]);
    const authenticator = tokenAuthenticator({ tokens, anonymousAuth: true });
    expect(reviewToken({ spec: { token: 't1' } }, authenticator).status).toMatchObject({
      authenticated: true,
      audiences: ['https://kubernetes.default.svc'],
      user: { username: 'vera', uid: 'u1', groups: ['viewers', 'system:authenticated'] },
    });
    expect(reviewToken({ spec: { token: 'zzz' } }, authenticator).status).toEqual({
      user: {},
      error: 'invalid bearer token',
    });
  });

  test('a SelfSubjectReview names the caller', () => {
    const now = Date.UTC(2030, 0, 1);
    expect(reviewSelf({ kind: 'SelfSubjectReview', metadata: { name: 'x' } }, vera, now)).toEqual({
      kind: 'SelfSubjectReview',
      metadata: { creationTimestamp: '2030-01-01T00:00:00Z' },
      status: { userInfo: { username: 'vera', uid: 'u1', groups: ['viewers'] } },
    });
  });

  test('a SelfSubjectRulesReview without RBAC allows everything', () => {
    expect(reviewRules({ spec: { namespace: 'a' } }, vera, undefined).status).toMatchObject({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    });
  });
});

describe('forbiddenStatus', () => {
  const denied = { allowed: false, reason: '' };

  test.each([
    [
      {
        verb: 'list',
        group: '',
        resource: 'pods',
        subresource: '',
        namespace: 'default',
        name: '',
      },
      'pods is forbidden: User "vera" cannot list resource "pods" in API group "" in the namespace "default"',
    ],
    [
      {
        verb: 'get',
        group: '',
        resource: 'pods',
        subresource: 'log',
        namespace: 'default',
        name: 'x',
      },
      'pods "x" is forbidden: User "vera" cannot get resource "pods/log" in API group "" in the namespace "default"',
    ],
    [
      {
        verb: 'get',
        group: 'apps',
        resource: 'deployments',
        subresource: '',
        namespace: '',
        name: 'd',
      },
      'deployments.apps "d" is forbidden: User "vera" cannot get resource "deployments" in API group "apps" at the cluster scope',
    ],
  ])('%j has the message of kube-apiserver', (attributes, message) => {
    const status = forbiddenStatus({ kind: 'resource', user: vera, ...attributes }, denied);
    expect(status).toMatchObject({ code: 403, reason: 'Forbidden', message });
  });

  test('names a path', () => {
    const status = forbiddenStatus(
      { kind: 'path', user: vera, verb: 'get', path: '/metrics' },
      denied,
    );
    expect(status.message).toBe('forbidden: User "vera" cannot get path "/metrics"');
  });
});
