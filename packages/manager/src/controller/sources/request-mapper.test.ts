import { describe, expect, test } from '@jest/globals';
import { builtin, defineResource, type ApiResource } from '@keelson/apimachinery';
import { viewOf } from '../../testing/fake-cache.test-support.ts';
import { objectOf, WebApp } from '../../testing/fixtures.test-support.ts';
import { mapOwners } from './request-mapper.ts';
import type { Request } from '../../reconcile/request.ts';

const Tenant = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Tenant',
  plural: 'tenants',
  namespaced: false,
});

function ownersOf(owner: ApiResource, references: readonly object[]): Request[] {
  const object = viewOf(
    objectOf(builtin.Secret, 's', { metadata: { ownerReferences: references } }),
  );
  const requests: Request[] = [];
  mapOwners(owner)(
    { type: 'added', initial: false, key: object.key, object, receivedAt: 0 },
    (request) => requests.push(request),
    (error) => {
      throw error;
    },
  );
  return requests;
}

describe('mapOwners', () => {
  const tenant = { apiVersion: 'example.com/v1', kind: 'Tenant', name: 't', controller: true };
  const app = { apiVersion: 'apps.example.com/v2', kind: 'WebApp', name: 'a', controller: true };

  test('CT37 the request of a namespaced owner has the namespace of the object, that of a cluster-scoped one has none', () => {
    expect(ownersOf(Tenant, [tenant])).toEqual([{ name: 't' }]);
    expect(ownersOf(WebApp, [app])).toEqual([{ namespace: 'default', name: 'a' }]);
  });

  test('CT37 references to another kind, or without controller: true, lead to no request', () => {
    expect(ownersOf(WebApp, [tenant, { ...app, controller: false }])).toEqual([]);
    expect(ownersOf(WebApp, [])).toEqual([]);
  });
});
