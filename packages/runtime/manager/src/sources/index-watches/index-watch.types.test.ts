import { expect, test } from '@jest/globals';
import { builtin, defineIndex, watching, type Controller, type Manager } from '../../index.ts';
import type { IndexWatchOptions } from '../../entry-points/sources.ts';

const { ConfigMap, Deployment, Job, Secret } = builtin;

const deploymentsBySecret = defineIndex(Deployment, 'secret', () => []);
const jobsByTeam = defineIndex(Job, 'team', { head: () => [] });
const reconcile = (): void => undefined;

/** Never called. The test is that this function compiles and that the marked lines do not. */
export function declarations(manager: Manager, controller: Controller): void {
  manager.addController({
    name: 'for',
    for: Deployment,
    watches: [
      { resource: Secret, index: deploymentsBySecret },
      { resource: ConfigMap, map: ({ name }) => ({ name }) },
      {
        resource: ConfigMap,
        predicates: [({ object }) => object.value().data !== undefined],
        index: deploymentsBySecret,
      },
      { resource: ConfigMap, projection: 'metadata', cluster: 'b', index: deploymentsBySecret },
    ],
    reconcile,
  });
  manager.addController({
    name: 'options',
    for: { resource: Job, labelSelector: 'app=web', indexers: [jobsByTeam] },
    watches: [{ resource: Secret, index: jobsByTeam, onWatchRemoved: () => undefined }],
    reconcile,
  });
  manager.addController({
    name: 'reads',
    reads: [Deployment, Job],
    watches: [
      { resource: Secret, index: deploymentsBySecret },
      { resource: Secret, index: jobsByTeam },
    ],
    reconcile,
  });
  manager.addController({
    name: 'another-kind',
    for: Deployment,
    // @ts-expect-error an index of Jobs
    watches: [{ resource: Secret, index: jobsByTeam }],
    reconcile,
  });
  manager.addController({
    name: 'the-watched-kind',
    for: Deployment,
    owns: [Job],
    watches: [
      { resource: Secret, index: deploymentsBySecret },
      // @ts-expect-error the objects of the watch are not the requests
      { resource: Job, index: jobsByTeam },
    ],
    reconcile,
  });
  manager.addController({
    name: 'both',
    for: Deployment,
    // @ts-expect-error either map or index
    watches: [{ resource: Secret, index: deploymentsBySecret, map: () => undefined }],
    reconcile,
  });
  manager.addController({
    name: 'no-index',
    for: Deployment,
    // @ts-expect-error an index has a name
    watches: [{ resource: Secret, index: 'secret' }],
    reconcile,
  });
  manager.addController({
    name: 'no-kind',
    for: Deployment,
    // @ts-expect-error an index of the cache has a kind
    watches: [{ resource: Secret, index: { name: 'secret', head: () => [] } }],
    reconcile,
  });
  manager.addController({
    name: 'own-request',
    keyOf: ({ id }: { id: string }) => id,
    // @ts-expect-error a name is not a request of this controller
    watches: [{ resource: Secret, index: deploymentsBySecret }],
    reconcile: (_request: { id: string }) => undefined,
  });
  manager.addController({
    name: 'wrong-predicate',
    for: Deployment,
    watches: [
      {
        resource: Secret,
        // @ts-expect-error a Secret has no spec
        predicates: [({ object }) => object.value().spec],
        index: deploymentsBySecret,
      },
    ],
    reconcile,
  });
  manager.addPulledController({
    name: 'pulled',
    for: Deployment,
    watches: [{ resource: Secret, index: deploymentsBySecret }],
  });
  void controller.reconfigure({
    for: Deployment,
    watches: [{ resource: Secret, index: deploymentsBySecret }],
  });
  void controller.replaceWatches('set', [
    { resource: Secret, index: deploymentsBySecret },
    { resource: ConfigMap, map: ({ name }) => ({ name }) },
  ]);
  const one: IndexWatchOptions = { resource: Secret, index: deploymentsBySecret };
  controller.watch(watching(one));
  controller.watch(watching({ resource: Secret, index: deploymentsBySecret }));
}

/** Never called. The test is that this function compiles and that the marked lines do not. */
export function contexts(manager: Manager): void {
  manager.addController({
    name: 'contexts',
    for: {
      resource: Deployment,
      predicates: [(_event, { cache }) => cache.list(Secret).length > 0],
    },
    watches: [
      {
        resource: Secret,
        map: ({ key }, { cache, clusters }) => [
          ...cache.namesBy(deploymentsBySecret, key, { limit: 10 }),
          ...clusters.get('b').cache.namesBy(deploymentsBySecret, key),
        ],
      },
      // @ts-expect-error a mapper does not write
      { resource: ConfigMap, map: (_object, { client }) => client.create(Secret, {}) },
    ],
    reconcile,
  });
}

test('the declarations and contexts above compile', () => {
  expect([declarations, contexts]).toHaveLength(2);
});
