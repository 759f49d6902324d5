import { expect, test } from '@jest/globals';
import { builtin, isInvalid } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { defineKind, defineMutatingPolicy, definePolicy } from '@keelson/schema';

// #region define
const website = defineKind({
  group: 'web.example.com',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
  spec: {
    type: 'object',
    properties: { replicas: { type: 'integer' }, domain: { type: 'string' } },
  },
});

const limits = definePolicy({
  name: 'limits.websites.web.example.com',
  resource: website,
  params: {
    resource: builtin.ConfigMap,
    name: 'website-limits',
    namespace: 'default',
    notFound: 'Allow',
  },
  rules: [
    {
      cel: 'params == null || object.spec.replicas <= int(params.data.replicas)',
      messageExpression: "'at most ' + params.data.replicas + ' replicas'",
    },
    {
      cel: 'oldObject == null || object.spec.domain == oldObject.spec.domain',
      message: 'the domain cannot change',
      reason: 'Forbidden',
    },
  ],
});
// #endregion

// #region test
test('a website keeps its domain and has few replicas', () => {
  const before = { metadata: { name: 'shop' }, spec: { replicas: 1, domain: 'shop.example' } };
  const after = { ...before, spec: { replicas: 9, domain: 'other.example' } };
  const params = { data: { replicas: '3' } };

  const violations = limits.check({ oldObject: before, object: after, params });

  expect(violations.map(({ message }) => message)).toEqual([
    'at most 3 replicas',
    'the domain cannot change',
  ]);
});
// #endregion

// #region mutate
const defaults = defineMutatingPolicy({
  name: 'defaults.websites.web.example.com',
  resource: website,
  operations: ['CREATE'],
  matchConditions: { 'without-replicas': '!has(object.spec.replicas)' },
  variables: { zone: "object.spec.domain.endsWith('.example') ? 'test' : 'live'" },
  mutations: [
    { cel: "Object{spec: Object.spec{replicas: variables.zone == 'live' ? 2 : 1}}" },
    {
      cel: `[JSONPatch{
        op: 'add',
        path: '/metadata/labels',
        value: {'web.example.com/zone': variables.zone}
      }]`,
    },
  ],
});
// #endregion

// #region patches
test('a website without replicas gets them by its domain', () => {
  const object = { metadata: { name: 'shop' }, spec: { domain: 'shop.com' } };

  expect(defaults.patches({ object })).toEqual([
    { apply: { spec: { replicas: 2 } } },
    {
      jsonPatch: [
        { op: 'add', path: '/metadata/labels', value: { 'web.example.com/zone': 'live' } },
      ],
    },
  ]);
});
// #endregion

test('the server applies the mutations', async () => {
  await using server = await createApiServer();
  server.seed([website.crd]);
  await server.idle();
  const client = createClient({ cluster: server.cluster });
  // #region install-mutations
  await client.apply(builtin.MutatingAdmissionPolicy, defaults.policy, { fieldManager: 'setup' });
  await client.apply(builtin.MutatingAdmissionPolicyBinding, defaults.binding, {
    fieldManager: 'setup',
  });
  // #endregion
  const { metadata, spec } = await client.create(website.resource, {
    metadata: { name: 'shop', namespace: 'default' },
    spec: { domain: 'shop.com' },
  });
  expect(spec).toEqual({ domain: 'shop.com', replicas: 2 });
  expect(metadata?.labels).toEqual({ 'web.example.com/zone': 'live' });
  await client.close();
});

test('the server enforces the policy', async () => {
  await using server = await createApiServer();
  server.seed([website.crd]);
  await server.idle();
  const client = createClient({ cluster: server.cluster });
  // #region install
  await client.apply(builtin.ValidatingAdmissionPolicy, limits.policy, { fieldManager: 'setup' });
  await client.apply(builtin.ValidatingAdmissionPolicyBinding, limits.binding, {
    fieldManager: 'setup',
  });
  // #endregion
  const data = { replicas: '3' };
  const metadata = { name: 'website-limits', namespace: 'default' };
  await client.create(builtin.ConfigMap, { metadata, data });
  const object = {
    metadata: { name: 'shop', namespace: 'default' },
    spec: { replicas: 9, domain: 'a.example' },
  };
  const refused = await client.create(website.resource, object).catch((error: unknown) => error);
  expect(isInvalid(refused)).toBe(true);
  expect(String(refused)).toContain('at most 3 replicas');
  await client.close();
});
