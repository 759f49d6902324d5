import { defineResource, type ClusterScopedObject, type KubernetesObject } from '@keelson/manager';

/** Requests a Thing of at least this size, and is bound to one. */
export interface Claim extends KubernetesObject {
  spec: { size: number };
  status?: { phase?: 'Pending' | 'Bound'; thing?: string };
}

/** A thing of some size. One Claim can have it at a time. */
export interface Thing extends ClusterScopedObject {
  spec: { size: number; claim?: ClaimReference };
  status?: { phase?: 'Available' | 'Bound' };
}

/** The Claim that has a Thing; the uid distinguishes it from a later Claim of the same name. */
export interface ClaimReference {
  namespace: string;
  name: string;
  uid: string;
}

export const Claim = defineResource<Claim>({
  group: 'examples.keelson.dev',
  version: 'v1',
  kind: 'Claim',
  plural: 'claims',
});

export const Thing = defineResource<Thing>({
  group: 'examples.keelson.dev',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Cluster',
});
