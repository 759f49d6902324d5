import { defineResource, type KubernetesObject } from '@keelson/manager';

/** Counts the objects of a kind in its namespace. */
export interface Tally extends KubernetesObject {
  spec: { group: string; version: string; kind: string; plural: string };
  /** `count` is missing until the kind can be watched. */
  status?: { count?: number };
}

export const Tally = defineResource<Tally>({
  group: 'examples.keelson.dev',
  version: 'v1',
  kind: 'Tally',
  plural: 'tallies',
});
