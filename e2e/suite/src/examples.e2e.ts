import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtin, findCondition, isConditionTrue, isNotFound } from '@keelson/apimachinery';
import type { Manager } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { until } from '@keelson/example-support';
import { ConfigMapGenerator } from '@keelson/example-configmap-generator/custom-resource';
import { configMapGeneratorDefinition } from '@keelson/example-configmap-generator/custom-resource-definition';
import { createOperator as createGenerator } from '@keelson/example-configmap-generator/operator';
import { CronJob, cronJobs } from '@keelson/example-cronjob/custom-resource';
import { createOperator as createScheduler } from '@keelson/example-cronjob/operator';
import { MemoryBucketStore } from '@keelson/example-external-bucket/bucket-store';
import { Bucket } from '@keelson/example-external-bucket/custom-resource';
import { bucketDefinition } from '@keelson/example-external-bucket/custom-resource-definition';
import { createOperator as createBucketKeeper } from '@keelson/example-external-bucket/operator';
import { Recipe } from '@keelson/example-dynamic-controllers/custom-resource';
import { recipeDefinition } from '@keelson/example-dynamic-controllers/custom-resource-definition';
import { createOperator as createEngine } from '@keelson/example-dynamic-controllers/operator';
import { Tally } from '@keelson/example-kind-counter/custom-resource';
import { tallyDefinition } from '@keelson/example-kind-counter/custom-resource-definition';
import { createOperator as createCounter } from '@keelson/example-kind-counter/operator';
import { Claim, Thing } from '@keelson/example-many-controllers/custom-resources';
import { definitions } from '@keelson/example-many-controllers/custom-resource-definitions';
import { createOperator as createMatcher } from '@keelson/example-many-controllers/operator';
import { definitions as platformDefinitions } from '@keelson/example-multi-tenant/custom-resource-definitions';
import { reported, services, Tenant } from '@keelson/example-multi-tenant/custom-resources';
import { createOperator as createPlatform } from '@keelson/example-multi-tenant/operator';
import { definitions as policyDefinitions } from '@keelson/example-policy-sync/custom-resource-definitions';
import {
  constraintsOf,
  PolicyTemplate,
  SyncConfig,
} from '@keelson/example-policy-sync/custom-resources';
import { createOperator as createPolicies } from '@keelson/example-policy-sync/operator';
import { runManager } from './running-manager.ts';
import { openSuite, testWithControls } from './suite.ts';

const suite = openSuite();

/** kube-controller-manager discovers new kinds every 30 s, and collects only objects of discovered kinds. */
const collection = { timeout: 90_000 };

describe('the example configmap-generator', () => {
  beforeAll(() => suite.install(configMapGeneratorDefinition));

  test('creates, updates, repairs and deletes its ConfigMap', async () => {
    const namespace = await suite.namespace();
    const key = { namespace, name: 'colours' };
    await using _ = await runManager(suite.cluster, createGenerator);
    const sky = (colour: string | undefined): Promise<unknown> =>
      until(suite.client, builtin.ConfigMap, key, (found) => found?.data?.['sky'] === colour);
    const spec = { entries: { sky: 'blue' } };
    await suite.client.create(ConfigMapGenerator, { metadata: key, spec });
    await sky('blue');
    const drift = { type: 'merge', body: { data: { sky: 'red' } } } as const;
    await suite.client.patch(builtin.ConfigMap, key, drift);
    await sky('blue');
    const change = { type: 'merge', body: { spec: { entries: { sky: 'grey' } } } } as const;
    await suite.client.patch(ConfigMapGenerator, key, change);
    await sky('grey');
    await until(suite.client, ConfigMapGenerator, key, (found) => {
      return found?.status?.observedGeneration === 2;
    });
    await suite.client.delete(ConfigMapGenerator, key, { propagationPolicy: 'Foreground' });
    await until(suite.client, builtin.ConfigMap, key, (found) => found === undefined, collection);
  }, 120_000);
});

describe('the example many-controllers', () => {
  beforeAll(async () => {
    for (const definition of definitions) await suite.install(definition);
  });

  test('binds Claims to Things, one at a time', async () => {
    const namespace = await suite.namespace();
    const thing = { name: `thing-${randomBytes(4).toString('hex')}` };
    suite.defer(() => suite.client.delete(Thing, thing));
    await using _ = await runManager(suite.cluster, createMatcher);
    await suite.client.create(Thing, { metadata: thing, spec: { size: 5 } });
    const claim = (name: string): Promise<Claim> =>
      suite.client.create(Claim, { metadata: { namespace, name }, spec: { size: 3 } });
    const phase = (name: string, wanted: string): Promise<Claim | undefined> =>
      until(suite.client, Claim, { namespace, name }, (found) => found?.status?.phase === wanted);
    await claim('first');
    expect((await phase('first', 'Bound'))?.status?.thing).toBe(thing.name);
    await claim('second');
    await phase('second', 'Pending');
    await suite.client.delete(Claim, { namespace, name: 'first' });
    expect((await phase('second', 'Bound'))?.status?.thing).toBe(thing.name);
  });
});

describe('the example external-bucket', () => {
  beforeAll(() => suite.install(bucketDefinition));

  test('creates a bucket, and removes its finalizer only after the bucket is deleted', async () => {
    const store = new MemoryBucketStore();
    const namespace = await suite.namespace();
    const key = { namespace, name: 'photos' };
    await using _ = await runManager(suite.cluster, (options) =>
      createBucketKeeper(options, store),
    );
    await suite.client.create(Bucket, { metadata: key, spec: { region: 'north' } });
    await until(suite.client, Bucket, key, (found) => {
      return isConditionTrue(found?.status?.conditions, 'Ready');
    });
    store.outage = new Error('the store is down');
    await suite.client.delete(Bucket, key);
    expect((await suite.client.get(Bucket, key)).metadata.finalizers).toHaveLength(1);
    store.outage = undefined;
    await until(suite.client, Bucket, key, (found) => found === undefined);
    expect(store.buckets.size).toBe(0);
  });
});

describe('the example cronjob', () => {
  beforeAll(() => suite.install(cronJobs.versions.v1.crd));

  test('creates the Job of a start, and reports it', async () => {
    const namespace = await suite.namespace();
    const key = { namespace, name: 'report' };
    const inOneMinute = (): number => Date.now() + 60_000; // so that one start is due at once
    await using _ = await runManager(suite.cluster, (options) =>
      createScheduler(options, inOneMinute),
    );
    const containers = [{ name: 'report', image: 'example.com/report' }];
    const template = { spec: { containers, restartPolicy: 'Never' } };
    const jobTemplate = { spec: { template } };
    const spec = { schedule: '* * * * *', concurrencyPolicy: 'Forbid', jobTemplate } as const;
    await suite.client.create(CronJob, { metadata: key, spec });
    const found = await until(suite.client, CronJob, key, (cronJob) => {
      return isConditionTrue(cronJob?.status?.conditions, 'Progressing');
    });
    const start = Date.parse(found?.status?.lastScheduleTime ?? '') / 1000;
    const name = `report-${start}`;
    expect(found?.status?.active).toMatchObject([{ kind: 'Job', namespace, name }]);
    const job = await suite.client.get(builtin.Job, { namespace, name });
    expect(job.metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', controller: true }]);
  });
});

describe('the versions of the example cronjob', () => {
  testWithControls('are converted by the operator', async () => {
    const namespace = await suite.namespace();
    const certificate = await selfSignedCertificate();
    const servers = {
      host: '127.0.0.1',
      webhook: { port: 0, tls: { certificate }, shutdownDelay: 0 },
    };
    let operator: Manager | undefined;
    await using _ = await runManager(suite.cluster, (options) => {
      operator = createScheduler({ ...options, servers });
      return operator;
    });
    const caBundle = Buffer.from(certificate.cert).toString('base64');
    const path = `/convert/${CronJob.plural}.${CronJob.group}`;
    const clientConfig = { url: `https://127.0.0.1:${operator?.ports.webhook}${path}`, caBundle };
    const { metadata, spec } = cronJobs.crd;
    const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
    const conversion = { strategy: 'Webhook', webhook };
    const definition = { metadata: { name: metadata?.name ?? '' }, spec: { ...spec, conversion } };
    const { client } = suite;
    const resource = builtin.CustomResourceDefinition;
    await client.apply(resource, definition, { force: true, fieldManager: 'versions' });
    suite.defer(() => client.delete(resource, definition.metadata));
    const { v1, v2 } = cronJobs.versions;
    const key = { namespace, name: 'weekly' };
    const containers = [{ name: 'report', image: 'example.com/report' }];
    const jobTemplate = { spec: { template: { spec: { containers, restartPolicy: 'Never' } } } };
    const schedule = { minute: '0', dayOfWeek: 'MON' };
    const object = { metadata: key, spec: { schedule, suspend: true, jobTemplate } };
    await created(() => client.create(v2.resource, object));
    expect((await client.get(v1.resource, key)).spec.schedule).toBe('0 * * * MON');
    const body = { spec: { schedule: '@hourly' } };
    await client.patch(v1.resource, key, { type: 'merge', body });
    const read = await client.get(v2.resource, key);
    expect(read.spec.schedule).toEqual({ minute: '@hourly' });
    const change = { spec: { successfulJobsHistoryLimit: 1 } };
    await client.patch(v2.resource, key, { type: 'merge', body: change });
    expect((await client.get(v1.resource, key)).spec).toMatchObject({
      ...body.spec,
      ...change.spec,
    });
  });

  /** A version that was added to an established definition is served a moment later. */
  async function created(create: () => Promise<unknown>): Promise<void> {
    try {
      await create();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await created(create);
    }
  }
});

describe('the example kind-counter', () => {
  beforeAll(() => suite.install(tallyDefinition));

  test('counts the objects of the kinds that Tallies name', async () => {
    const namespace = await suite.namespace();
    const key = { namespace, name: 'secrets' };
    await using _ = await runManager(suite.cluster, createCounter);
    const count = (wanted: number): Promise<unknown> =>
      until(suite.client, Tally, key, (found) => found?.status?.count === wanted);
    const spec = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets' };
    await suite.client.create(Tally, { metadata: key, spec });
    await count(0);
    await suite.client.create(builtin.Secret, { metadata: { namespace, name: 'one' } });
    await count(1);
    await suite.client.delete(builtin.Secret, { namespace, name: 'one' });
    await count(0);
  });
});

describe('the example dynamic-controllers', () => {
  beforeAll(() => suite.install(recipeDefinition));

  test('R0-27 loads the controller of a Recipe, and unloads it', async () => {
    const namespace = await suite.namespace();
    const name = `recipe-${randomBytes(4).toString('hex')}`;
    suite.defer(() => suite.client.delete(Recipe, { name }));
    await using _ = await runManager(suite.cluster, createEngine);
    const untilReason = (reason: string): Promise<unknown> =>
      until(suite.client, Recipe, { name }, (recipe) => {
        return findCondition(recipe?.status?.conditions, 'Loaded')?.reason === reason;
      });
    const kind = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases' };
    const spec = { for: kind, data: { from: name } };
    await suite.client.create(Recipe, { metadata: { name }, spec });
    await untilReason('Live');
    await suite.client.create(builtin.Lease, { metadata: { namespace, name: 'one' } });
    await until(suite.client, builtin.ConfigMap, { namespace, name: `${name}.one` }, (found) => {
      return found?.data?.['from'] === name;
    });
    await suite.client.patch(Recipe, { name }, { type: 'merge', body: { spec: { paused: true } } });
    await untilReason('Unloaded');
  });
});

describe('the example multi-tenant', () => {
  beforeAll(async () => {
    for (const definition of platformDefinitions) await suite.install(definition);
  });

  test('R0-26 reports the services of a tenant, and of no other', async () => {
    const names = ['one', 'two'].map((name) => `${name}-${randomBytes(4).toString('hex')}`);
    for (const name of names) {
      suite.defer(() => suite.client.delete(Tenant, { name }));
      suite.defer(() => suite.client.delete(builtin.Namespace, { name }));
    }
    await using _ = await runManager(suite.cluster, (options) => createPlatform(options));
    for (const name of names) {
      await suite.client.create(Tenant, { metadata: { name }, spec: { weight: 1 } });
      await until(suite.client, builtin.Namespace, { name }, (found) => found !== undefined);
      for (const kind of services.slice(0, 3)) {
        const metadata = { namespace: name, name: 'first', labels: { [reported]: 'true' } };
        await suite.client.create(kind, { metadata, spec: { size: 1 } });
      }
    }
    for (const namespace of names) {
      await until(suite.client, builtin.ConfigMap, { namespace, name: 'report' }, (report) => {
        return isDeepStrictEqual(report?.data, { apps: '1', jobs: '1', functions: '1' });
      });
    }
  });
});

describe('the example policy-sync', () => {
  beforeAll(async () => {
    for (const definition of policyDefinitions) await suite.install(definition);
  });

  test('R1-11, R1-30 checks a kind with a policy that is defined at run time, until both are gone', async () => {
    const namespace = await suite.namespace();
    const suffix = randomBytes(4).toString('hex');
    const [plural, name] = [`policy${suffix}s`, `policy-${suffix}`];
    suite.defer(() => suite.client.delete(SyncConfig, { name }));
    await using _ = await runManager(suite.cluster, (options) => createPolicies(options));
    const template = await suite.client.create(PolicyTemplate, {
      metadata: { name },
      spec: { kind: `Policy${suffix}`, plural, requires: 'labels' },
    });
    const Policy = constraintsOf(template);
    const definition = { name: `${plural}.${Policy.group}` };
    await until(suite.client, builtin.CustomResourceDefinition, definition, (found) => {
      return isConditionTrue(found?.status?.conditions, 'Established');
    });
    await suite.client.create(builtin.Lease, { metadata: { namespace, name: 'plain' } });
    const match = ['leases.coordination.k8s.io'];
    await suite.client.create(Policy, { metadata: { name }, spec: { match, keys: ['owner'] } });
    const kind = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases' };
    await suite.client.create(SyncConfig, { metadata: { name }, spec: { kinds: [kind] } });
    const violating = `leases.coordination.k8s.io ${namespace}/plain`;
    await until(suite.client, Policy, { name }, (found) => {
      return found?.status?.objects?.includes(violating) === true;
    });
    const nothing = { type: 'merge', body: { spec: { kinds: [] } } } as const;
    await suite.client.patch(SyncConfig, { name }, nothing);
    await until(suite.client, Policy, { name }, (found) => found?.status?.violations === 0);
    await suite.client.delete(PolicyTemplate, { name });
    const gone = (found: unknown): boolean => found === undefined;
    await until(suite.client, builtin.CustomResourceDefinition, definition, gone, collection);
  }, 120_000);
});
