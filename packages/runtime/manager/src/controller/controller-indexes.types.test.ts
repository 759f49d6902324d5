import { expect, test } from '@jest/globals';
import { builtin, defineIndex, type Controller, type Manager } from '../index.ts';

const { ConfigMap, Deployment, Job, Secret, Service } = builtin;

const jobsByPhase = defineIndex(Job, 'phase', ({ status }) => [status?.active ? 'Active' : 'Done']);
const reconcile = (): void => undefined;
const map = (): undefined => undefined;

/** Never called. The test is that this function compiles and that the marked lines do not. */
export function declarations({ cache, ...manager }: Manager, controller: Controller): void {
  const indexers = [jobsByPhase];
  const owner = { owner: 'test' };
  cache.acquire({ resource: Job, indexers }, owner);
  // @ts-expect-error an index of Jobs
  cache.acquire({ resource: Secret, indexers }, owner);
  // @ts-expect-error an index of Jobs
  cache.acquire({ resource: Deployment, indexers }, owner);
  // @ts-expect-error an index of Jobs
  cache.acquire({ resource: Service, indexers }, owner).addIndexer(jobsByPhase);
  // @ts-expect-error an index of Jobs
  cache.acquire({ resource: Service }, owner).addIndexer(jobsByPhase);
  manager.addController({ name: 'jobs', for: { resource: Job, indexers }, reconcile });
  manager.addController({ name: 'jobs', watches: [{ resource: Job, indexers, map }], reconcile });
  manager.addController({
    name: 'for',
    // @ts-expect-error an index of Jobs
    for: { resource: Secret, indexers },
    reconcile,
  });
  manager.addController({
    name: 'watches',
    watches: [
      { resource: Job, indexers, map },
      // @ts-expect-error an index of Jobs
      { resource: ConfigMap, indexers, map },
    ],
    reconcile,
  });
  controller.watch({ resource: Job, indexers, map });
  // @ts-expect-error an index of Jobs
  controller.watch({ resource: Secret, indexers, map });
}

/** Never called. The test is that this function compiles and that the marked lines do not. */
export function reads({ cache }: Manager): unknown[] {
  const [secret] = cache.list(Secret);
  if (secret === undefined) return [];
  // @ts-expect-error an index of the cache has a kind
  cache.by({ name: 'phase', head: () => [] }, 'Active');
  return [
    cache.by(jobsByPhase, 'Active')[0]?.spec?.template,
    cache.by(jobsByPhase, 'Active')[0]?.metadata.uid.length,
    // @ts-expect-error a Job has no data
    cache.by(jobsByPhase, 'Active')[0]?.data,
    // @ts-expect-error the metadata have no status
    cache.by(jobsByPhase, 'Active', { projection: 'metadata' })[0]?.status,
    cache.namesBy(jobsByPhase, 'Active')[0]?.name.length,
    cache.indexValues(jobsByPhase)[0]?.length,
    cache.owned(Job, secret)[0]?.spec?.template,
    // @ts-expect-error a Job has no data
    cache.owned(Job, secret)[0]?.data,
    // @ts-expect-error the metadata have no status
    cache.owned(Job, secret, { projection: 'metadata' })[0]?.status,
    // @ts-expect-error an owner has metadata
    cache.owned(Job, 'secret'),
  ];
}

/** Never called. The test is that this function compiles and that the marked lines do not. */
export function definitions(): void {
  defineIndex(Job, 'owner', { head: ({ metadata }) => [metadata.namespace] });
  // @ts-expect-error a Job has no data
  defineIndex(Job, 'data', ({ data }) => Object.keys(data));
  // @ts-expect-error a view has no spec
  defineIndex(Job, 'spec', { head: ({ spec }) => [String(spec)] });
  // @ts-expect-error the values are a list
  defineIndex(Job, 'name', ({ metadata }) => metadata.name);
}

test('the declarations, reads and definitions above compile', () => {
  expect([declarations, reads, definitions]).toHaveLength(3);
});
