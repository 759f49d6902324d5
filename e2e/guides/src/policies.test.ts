import { expect, test } from '@jest/globals';
import { builtin, isInvalid } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { defineKind, definePolicy } from '@keelson/schema';

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
