import { describe, expect, test } from '@jest/globals';
import { builtin, defineResource, type ApiResource } from '@keelson/apimachinery';
import type { InformerEvent } from '@keelson/informer';
import { viewOf } from '../testing/fake-cache.test-support.ts';
import { objectOf, WebApp } from '../testing/fixtures.test-support.ts';
import { mapObjects, mapOwners } from './request-mapper.ts';
import type { Request } from '../reconcile/request.ts';

const Tenant = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Tenant',
  plural: 'tenants',
  scope: 'Cluster',
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

describe('mapObjects', () => {
  const object = viewOf(objectOf(builtin.Secret, 'new'));
  const previous = viewOf(objectOf(builtin.Secret, 'old'));
  const facts = { key: object.key, object, receivedAt: 0 };
  const added = { type: 'added', initial: false, ...facts } as const;
  const updated = { type: 'updated', previous, ...facts } as const;
  const deleted = { type: 'deleted', finalStateUnknown: false, ...facts } as const;

  function requestsOf(result: unknown, event: InformerEvent): unknown[] {
    const requests: unknown[] = [];
    mapObjects(() => result as never)(
      event,
      (request) => requests.push(request),
      () => undefined,
    );
    return requests;
  }

  test('CT36 the mapper receives the new object, and the old one of an update', () => {
    const seen = (event: InformerEvent): string[] => {
      const names: string[] = [];
      mapObjects(({ name }) => void names.push(name))(
        event,
        () => undefined,
        () => undefined,
      );
      return names;
    };
    expect([added, updated, deleted].map(seen)).toEqual([['new'], ['new', 'old'], ['new']]);
  });

  test.each<[string, unknown, unknown[]]>([
    ['nothing', undefined, []],
    ['one request', { name: 'a' }, [{ name: 'a' }]],
    ['a list', [{ name: 'a' }, { name: 'b' }], [{ name: 'a' }, { name: 'b' }]],
    ['a set', new Set([{ name: 'a' }]), [{ name: 'a' }]],
  ])('a mapper may return %s', (_name, result, requests) => {
    expect(requestsOf(result, added)).toEqual(requests);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['string', 'team/a'],
    ['number', 5],
    ['boolean', true],
  ])('a result of type %s throws with its type and the cure', (returned, result) => {
    expect(() => requestsOf(result, added)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: 'map', returned }) as unknown,
      }),
    );
  });
});
