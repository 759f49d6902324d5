import { describe, expect, test } from '@jest/globals';

import {
  controllerOf,
  isControlledBy,
  ownerReferenceTo,
  refersToKind,
  setControllerReference,
} from './owner.ts';

const owner = {
  apiVersion: 'apps.example.com/v1',
  kind: 'WebApp',
  metadata: { namespace: 'shop', name: 'web', uid: 'u1' },
};
const reference = { apiVersion: 'apps.example.com/v1', kind: 'WebApp', name: 'web', uid: 'u1' };
const controllerReference = { ...reference, controller: true, blockOwnerDeletion: true };
const bystander = { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', uid: 'u9' };

describe('ownerReferenceTo', () => {
  test('names the owner, with only the requested flags', () => {
    expect(ownerReferenceTo(owner)).toEqual(reference);
    expect(ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: false })).toEqual({
      ...reference,
      controller: true,
      blockOwnerDeletion: false,
    });
  });

  test.each([
    ['apiVersion', { ...owner, apiVersion: '' }],
    ['kind', { metadata: owner.metadata, apiVersion: 'v1' }],
    ['metadata.name', { ...owner, metadata: { uid: 'u1' } }],
    ['metadata.uid', { ...owner, metadata: { name: 'web' } }],
  ])('refuses an owner without %s', (member, broken) => {
    expect(() => ownerReferenceTo(broken)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OWNER',
        facts: expect.objectContaining({ reason: `it has no ${member}` }),
      }),
    );
  });
});

describe('controllerOf, isControlledBy', () => {
  test('read the reference with controller: true', () => {
    const object = { metadata: { ownerReferences: [bystander, controllerReference] } };
    expect(controllerOf(object)).toBe(controllerReference);
    expect(isControlledBy(object, owner)).toBe(true);
    expect(isControlledBy(object, { metadata: { uid: 'u2' } })).toBe(false);
    expect(isControlledBy({ metadata: { ownerReferences: [reference] } }, owner)).toBe(false);
    expect(controllerOf({})).toBeUndefined();
  });

  test('an owner that was never stored controls no object', () => {
    expect(isControlledBy({ metadata: {} }, { metadata: { name: 'web' } })).toBe(false);
  });
});

describe('refersToKind', () => {
  const webApp = { group: 'apps.example.com', kind: 'WebApp' };

  test('matches by group and kind, in any version', () => {
    expect(refersToKind(reference, webApp)).toBe(true);
    expect(refersToKind({ ...reference, apiVersion: 'apps.example.com/v2beta1' }, webApp)).toBe(
      true,
    );
    expect(refersToKind({ ...reference, apiVersion: 'example.com/v1' }, webApp)).toBe(false);
    expect(refersToKind({ ...reference, apiVersion: 'v1' }, webApp)).toBe(false);
    expect(refersToKind({ ...reference, kind: 'Other' }, webApp)).toBe(false);
    expect(refersToKind(bystander, { group: '', kind: 'ConfigMap' })).toBe(true);
  });
});

describe('setControllerReference', () => {
  const object = { metadata: { namespace: 'shop', name: 'web', ownerReferences: [bystander] } };

  test('adds the reference to a copy and keeps other references', () => {
    expect(setControllerReference(object, owner).metadata.ownerReferences).toEqual([
      bystander,
      controllerReference,
    ]);
    expect(object.metadata.ownerReferences).toEqual([bystander]);
  });

  test('accepts an object without metadata', () => {
    const clusterOwner = { ...owner, metadata: { name: 'web', uid: 'u1' } };
    expect(setControllerReference({ kind: 'Secret' }, clusterOwner)).toEqual({
      kind: 'Secret',
      metadata: { ownerReferences: [controllerReference] },
    });
  });

  test('replaces a reference to the same owner, also to a deleted owner of the same name', () => {
    const stale = { ...controllerReference, apiVersion: 'apps.example.com/v1beta1', uid: 'u0' };
    const controlled = { metadata: { namespace: 'shop', ownerReferences: [stale, bystander] } };
    expect(setControllerReference(controlled, owner).metadata.ownerReferences).toEqual([
      bystander,
      controllerReference,
    ]);
  });

  test('refuses an object that another one controls, and names that controller', () => {
    const other = { ...controllerReference, name: 'other', uid: 'u2' };
    const controlled = { metadata: { namespace: 'shop', name: 'x', ownerReferences: [other] } };
    expect(() => setControllerReference(controlled, owner)).toThrow(
      expect.objectContaining({
        code: 'ALREADY_CONTROLLED',
        facts: { object: 'shop/x', controller: 'WebApp other' },
      }),
    );
  });

  test.each([
    ['in another namespace', { metadata: { namespace: 'bank', name: 'x' } }],
    ['that is cluster-scoped', { metadata: { name: 'x' } }],
  ])('refuses a namespaced owner of an object %s', (_where, foreign) => {
    expect(() => setControllerReference(foreign, owner)).toThrow(
      expect.objectContaining({ code: 'INVALID_OWNER' }),
    );
  });

  test('a cluster-scoped owner owns objects in any namespace', () => {
    const clusterOwner = { ...owner, metadata: { name: 'web', uid: 'u1' } };
    expect(isControlledBy(setControllerReference(object, clusterOwner), clusterOwner)).toBe(true);
  });
});
