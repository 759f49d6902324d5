import { defineResource, type Condition, type KubernetesObject } from '@keelson/manager';

/** Requests a bucket in an object store outside the cluster. */
export interface Bucket extends KubernetesObject {
  spec: { region: string };
  status?: { url?: string; conditions?: Condition[] };
}

export const Bucket = defineResource<Bucket>({
  group: 'examples.keelson.dev',
  version: 'v1',
  kind: 'Bucket',
  plural: 'buckets',
});
