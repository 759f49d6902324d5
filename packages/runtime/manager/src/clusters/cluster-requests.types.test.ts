import { expect, test } from '@jest/globals';
import type { ClusterFacts } from '../sources/cluster-selection.ts';
import { builtin, type Manager } from '../index.ts';
import type { ClusterRequest } from '../reconcile/request.ts';

const { ConfigMap, Deployment, Secret } = builtin;

/** Never called. The test is that this function compiles and that the marked lines do not. */
export function declarations(manager: Manager): void {
  const everywhere = manager.addController({
    name: 'everywhere',
    for: { resource: Deployment, clusters: 'all' },
    owns: [ConfigMap, { resource: Secret, clusters: ({ name }) => name !== 'old' }],
    groupOf: ({ cluster, namespace = '' }) => [cluster, namespace],
    reconcile({ cluster, namespace, name }, context) {
      const text: string = `${cluster} ${namespace} ${name} ${context.cluster.name}`;
      context.log.info({ text }, 'seen');
    },
  });
  everywhere.enqueue({ cluster: 'one', namespace: 'shop', name: 'web' });
  // @ts-expect-error the request needs a cluster
  everywhere.enqueue({ namespace: 'shop', name: 'web' });

  manager.addController({
    name: 'some',
    for: {
      resource: Deployment,
      clusters: ({ labels }: ClusterFacts) => labels['tier'] === 'prod',
    },
    watches: [
      // @ts-expect-error a request of a source of the main cluster names its cluster
      { resource: ConfigMap, map: ({ name }) => ({ name }) },
    ],
    reconcile: ({ cluster }) => void cluster.toUpperCase(),
  });
  manager.addController({
    name: 'hub',
    for: Deployment,
    watches: [
      {
        resource: ConfigMap,
        clusters: 'all',
        map: ({ name }, { cluster }) => ({ name: `${cluster?.name}-${name}` }),
      },
    ],
    // @ts-expect-error the requests of `for` in the main cluster have no cluster
    reconcile: ({ cluster }) => void cluster,
  });
  manager.addController({
    name: 'watches',
    watches: [
      { resource: ConfigMap, clusters: 'all', map: ({ name }) => ({ cluster: 'a', name }) },
    ],
    reconcile: (request: ClusterRequest) => void request.cluster,
  });
  manager.addController({
    name: 'wrong',
    for: {
      resource: Deployment,
      // @ts-expect-error 'all' or a function
      clusters: ['a'],
    },
    reconcile: () => undefined,
  });
}

test('the requests of a controller whose `for` spans clusters have a cluster', () => {
  expect(typeof declarations).toBe('function');
});
