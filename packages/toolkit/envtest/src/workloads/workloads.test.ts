import { builtin, type ObjectOf, type Persisted } from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '../index.ts';

const { CronJob, DaemonSet, Deployment, EndpointSlice, Event, Job, Node, Pod } = builtin;
const { PersistentVolume, PersistentVolumeClaim, ReplicaSet, Service, StatefulSet } = builtin;
const { StorageClass } = builtin;
const start = '2026-03-01T00:00:00Z';
const web = { namespace: 'default', name: 'web' };
const selector = { matchLabels: { app: 'web' } };

type PodObject = Persisted<ObjectOf<typeof Pod>>;

function templateOf(image = 'web:1') {
  return {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'app', image }] },
  };
}

describe('workloads in virtual time', () => {
  let environment: TestEnvironment;
  let client: Client;

  beforeEach(async () => {
    environment = await createTestEnvironment({
      time: { start },
      workloads: { nodes: 2, startupDelay: '2s' },
    });
    client = createClient({ cluster: environment.admin.cluster });
  });

  afterEach(async () => {
    await client.close();
    await environment.stop();
  });

  const deploy = async (replicas: number): Promise<void> => {
    const spec = { replicas, selector, template: templateOf() };
    await client.create(Deployment, { metadata: web, spec });
    await environment.settled();
  };
  const pods = async (): Promise<PodObject[]> => (await client.list(Pod)).items;
  const only = async (): Promise<PodObject> => {
    const [pod, ...more] = await pods();
    expect(more).toEqual([]);
    if (pod === undefined) throw new Error('there is no Pod');
    return pod;
  };
  const stateOf = ({ status }: PodObject): unknown => status?.containerStatuses?.[0]?.state;
  const reasons = async (kind: string): Promise<string[]> => {
    const { items } = await client.list(Event);
    const own = items.filter(({ involvedObject }) => involvedObject.kind === kind);
    return [...new Set(own.map(({ reason }) => reason ?? ''))].toSorted();
  };

  test('a Deployment becomes available after the start of its Pods', async () => {
    await deploy(3);
    const starting = await client.get(Deployment, web);
    expect(starting.status).toMatchObject({ replicas: 3, unavailableReplicas: 3 });
    await environment.advance('2s');
    const { status, metadata } = await client.get(Deployment, web);
    expect(status).toMatchObject({
      observedGeneration: 1,
      updatedReplicas: 3,
      availableReplicas: 3,
    });
    expect(status?.conditions?.map(({ type, status: is }) => `${type}=${is}`)).toEqual([
      'Available=True',
      'Progressing=True',
    ]);
    expect(metadata.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '1' });
    const nodes = (await pods()).map(({ spec }) => spec?.nodeName);
    expect(new Set(nodes)).toEqual(new Set(['node-1', 'node-2']));
    expect(await reasons('Deployment')).toEqual(['ScalingReplicaSet']);
    expect(await reasons('ReplicaSet')).toEqual(['SuccessfulCreate']);
    expect(await reasons('Pod')).toEqual(['Created', 'Pulled', 'Scheduled', 'Started']);
  });

  test('a rollout replaces the Pods, and one without an image exceeds its deadline', async () => {
    await deploy(2);
    await environment.advance('2s');
    const update = (image: string): Promise<unknown> => {
      const body = { spec: { template: templateOf(image) } };
      return client.patch(Deployment, web, { type: 'strategic', body });
    };
    await update('web:2');
    await environment.advance('10s');
    const images = (await pods()).map(({ spec }) => spec?.containers[0]?.image);
    expect(images).toEqual(['web:2', 'web:2']);
    const { items } = await client.list(ReplicaSet);
    expect(new Set(items.map(({ spec }) => spec?.replicas))).toEqual(new Set([0, 2]));
    using _ = environment.pods.when('app=web', { imagePullError: true });
    await update('web:3');
    await environment.advance('11m');
    const { status } = await client.get(Deployment, web);
    const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
    expect(progress).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
  });

  test('a container that crashes restarts at once, then after delays that double', async () => {
    using _ = environment.pods.when('app=web', { crash: 'after 3s', exitCode: 2 });
    await deploy(1);
    const restarts = async (): Promise<number> =>
      (await only()).status?.containerStatuses?.[0]?.restartCount ?? 0;
    await environment.advance('5s'); // 2 s to start and 3 s to crash
    expect(await restarts()).toBe(1);
    await environment.advance('3s');
    expect(stateOf(await only())).toMatchObject({
      waiting: { reason: 'CrashLoopBackOff', message: expect.stringMatching(/^back-off 10s /) },
    });
    await environment.advance('10s');
    expect(await restarts()).toBe(2);
    await environment.advance('3s');
    expect(stateOf(await only())).toMatchObject({
      waiting: { message: expect.stringMatching(/^back-off 20s /) },
    });
    const { status } = await only();
    expect(status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
      exitCode: 2,
      reason: 'Error',
    });
    expect(await reasons('Pod')).toContain('BackOff');
  });

  test('a Pod is not ready until the rule ends', async () => {
    await deploy(1);
    await environment.advance('2s');
    const rule = environment.pods.when({ namespace: 'default' }, { ready: false });
    await environment.settled();
    expect((await client.get(Deployment, web)).status?.readyReplicas).toBeUndefined();
    rule[Symbol.dispose]();
    await environment.settled();
    expect((await client.get(Deployment, web)).status?.readyReplicas).toBe(1);
  });

  test('an image that cannot be pulled keeps a Pod pending until the rule ends', async () => {
    const rule = environment.pods.when('app=web', { imagePullError: true });
    await deploy(1);
    expect(stateOf(await only())).toMatchObject({ waiting: { reason: 'ErrImagePull' } });
    await environment.advance('30s');
    const pending = await only();
    expect(stateOf(pending)).toMatchObject({ waiting: { reason: 'ImagePullBackOff' } });
    expect(pending.status?.phase).toBe('Pending');
    rule[Symbol.dispose]();
    await environment.settled();
    expect((await only()).status?.phase).toBe('Running');
  });

  test('an evicted Pod fails, and its ReplicaSet makes another one', async () => {
    await deploy(1);
    await environment.advance('2s');
    const { name } = (await only()).metadata;
    environment.pods.when({ name }, { evicted: true });
    await environment.advance('10s');
    const phases = (await pods()).map(({ status }) => [status?.phase, status?.reason]);
    expect(phases).toHaveLength(2);
    expect(phases).toEqual(
      expect.arrayContaining([
        ['Failed', 'Evicted'],
        ['Running', undefined],
      ]),
    );
  });

  test('a rule that also evicts the replacements lets time settle', async () => {
    environment.pods.when('app=web', { evicted: true });
    await deploy(1);
    expect((await only()).status?.phase).toBe('Pending');
    await environment.advance('10s');
    expect(await pods()).toHaveLength(2);
    await environment.advance('10s');
    expect((await pods()).filter(({ status }) => status?.phase === 'Failed')).toHaveLength(2);
  });

  test('a failed node loses its Pods, which run on the other one', async () => {
    await deploy(2);
    await environment.advance('2s');
    environment.nodes.fail('node-1');
    await environment.advance('49s');
    expect((await client.get(Deployment, web)).status?.availableReplicas).toBe(2);
    await environment.advance('1s');
    expect((await client.get(Deployment, web)).status?.availableReplicas).toBe(1);
    const node = await client.get(Node, { name: 'node-1' });
    const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({ status: 'Unknown', reason: 'NodeStatusUnknown' });
    await environment.advance('5m');
    await environment.advance('5s');
    expect((await client.get(Deployment, web)).status?.availableReplicas).toBe(2);
    const stuck = (await pods()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(stuck.map(({ spec }) => spec?.nodeName)).toEqual(['node-1']);
    environment.nodes.recover('node-1');
    await environment.settled();
    expect(await pods()).toHaveLength(2);
    const { status: recovered } = await client.get(Node, { name: 'node-1' });
    expect(recovered?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'MemoryPressure=False',
      'DiskPressure=False',
      'PIDPressure=False',
      'Ready=True',
    ]);
    expect(() => environment.nodes.fail('node-9')).toThrow(
      expect.objectContaining({ code: 'NODE_UNKNOWN' }),
    );
  });

  test('a deleted node is unknown, and one of the same name works', async () => {
    await environment.settled();
    environment.nodes.fail('node-2');
    await client.delete(Node, { name: 'node-2' });
    await environment.settled();
    for (const change of ['fail', 'recover'] as const)
      expect(() => environment.nodes[change]('node-2')).toThrow(
        expect.objectContaining({
          code: 'NODE_UNKNOWN',
          facts: { node: 'node-2', known: ['node-1'] },
        }),
      );
    await client.create(Node, { metadata: { name: 'node-2' } });
    await environment.settled();
    environment.nodes.fail('node-2');
    environment.nodes.recover('node-2');
  });

  test('a StatefulSet starts one Pod after the other, each with its claim', async () => {
    await client.create(StorageClass, {
      metadata: { name: 'fast' },
      provisioner: 'example.com/disk',
    });
    const claim = { accessModes: ['ReadWriteOnce'], storageClassName: 'fast' };
    await client.create(StatefulSet, {
      metadata: web,
      spec: {
        replicas: 3,
        serviceName: 'web',
        selector,
        template: templateOf(),
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { ...claim, resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    });
    await environment.settled();
    expect((await pods()).map(({ metadata }) => metadata.name)).toEqual(['web-0']);
    await environment.advance('6s');
    expect((await pods()).map(({ metadata }) => metadata.name)).toEqual([
      'web-0',
      'web-1',
      'web-2',
    ]);
    const claims = (await client.list(PersistentVolumeClaim)).items;
    expect(claims.map(({ metadata, status }) => [metadata.name, status?.phase])).toEqual([
      ['data-web-0', 'Bound'],
      ['data-web-1', 'Bound'],
      ['data-web-2', 'Bound'],
    ]);
    const { status } = await client.get(StatefulSet, web);
    expect(status).toMatchObject({ availableReplicas: 3, currentReplicas: 3 });
    expect(status?.currentRevision).toBe(status?.updateRevision);
  });

  const createVolume = async (name: string, storage: string, labels = {}): Promise<void> => {
    await client.create(PersistentVolume, {
      metadata: { name, labels },
      spec: {
        capacity: { storage },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: `/data/${name}` },
      },
    });
    await environment.settled();
  };
  const createClaim = async (name: string, more = {}): Promise<void> => {
    await client.create(PersistentVolumeClaim, {
      metadata: { namespace: 'default', name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: '',
        resources: { requests: { storage: '1Gi' } },
        ...more,
      },
    });
    await environment.settled();
  };
  const stateOfClaim = async (name: string): Promise<unknown[]> => {
    const { spec, status } = await client.get(PersistentVolumeClaim, { ...web, name });
    return [status?.phase, spec?.volumeName];
  };

  test('a claim takes the smallest volume that its selector selects, and waits for one', async () => {
    await createVolume('small', '1Gi');
    await createVolume('large', '4Gi', { tier: 'fast' });
    await createClaim('data', { selector: { matchLabels: { tier: 'fast' } } });
    expect(await stateOfClaim('data')).toEqual(['Bound', 'large']);
    await createClaim('more', { resources: { requests: { storage: '2Gi' } } });
    expect(await stateOfClaim('more')).toEqual(['Pending', undefined]);
    await createVolume('later', '3Gi');
    expect(await stateOfClaim('more')).toEqual(['Bound', 'later']);
    await createClaim('named', {
      volumeName: 'small',
      resources: { requests: { storage: '2Gi' } },
    });
    expect(await stateOfClaim('named')).toEqual(['Pending', 'small']);
    expect(await reasons('PersistentVolumeClaim')).toEqual(['FailedBinding', 'VolumeMismatch']);
  });

  test('a deleted volume stays while it is bound, and a retained one is released by its claim', async () => {
    await createVolume('kept', '1Gi');
    await createClaim('data');
    await client.delete(PersistentVolume, { name: 'kept' });
    await environment.settled();
    const { metadata, status } = await client.get(PersistentVolume, { name: 'kept' });
    expect([typeof metadata.deletionTimestamp, status?.phase]).toEqual(['string', 'Bound']);
    expect(await stateOfClaim('data')).toEqual(['Bound', 'kept']);
    await client.delete(PersistentVolumeClaim, { ...web, name: 'data' });
    await environment.settled();
    expect((await client.list(PersistentVolume)).items).toEqual([]);
    await createVolume('retained', '1Gi');
    await createClaim('data');
    await client.delete(PersistentVolumeClaim, { ...web, name: 'data' });
    await environment.settled();
    const retained = await client.get(PersistentVolume, { name: 'retained' });
    expect(retained.status?.phase).toBe('Released');
  });

  test('a CronJob with another schedule makes up for no start of it', async () => {
    const template = { spec: { ...templateOf().spec, restartPolicy: 'Never' } };
    const spec = { schedule: '0 6 * * *', jobTemplate: { spec: { template } } };
    await client.create(CronJob, { metadata: web, spec });
    await environment.advance('65m');
    const body = { spec: { schedule: '0 1,2 * * *' } };
    await client.patch(CronJob, web, { type: 'merge', body });
    await environment.settled();
    expect((await client.list(Job)).items).toEqual([]);
    await environment.advance('56m');
    expect((await client.get(CronJob, web)).status?.lastScheduleTime).toBe('2026-03-01T02:00:00Z');
  });

  test('a Job fails after its last attempt, and another one completes', async () => {
    const template = { ...templateOf(), spec: { ...templateOf().spec, restartPolicy: 'Never' } };
    using _ = environment.pods.when('job-name=broken', { exits: 3, after: '1s' });
    for (const name of ['broken', 'fine']) {
      const metadata = { ...web, name };
      const spec = { template, backoffLimit: 1, ttlSecondsAfterFinished: 60 };
      await client.create(Job, { metadata, spec });
    }
    await environment.advance('20s');
    const conditions = async (name: string): Promise<string[]> => {
      const { status } = await client.get(Job, { ...web, name });
      return (status?.conditions ?? []).map(({ type, reason }) => `${type}: ${reason}`);
    };
    expect(await conditions('fine')).toEqual([
      'SuccessCriteriaMet: CompletionsReached',
      'Complete: CompletionsReached',
    ]);
    expect(await conditions('broken')).toEqual([
      'FailureTarget: BackoffLimitExceeded',
      'Failed: BackoffLimitExceeded',
    ]);
    expect((await client.get(Job, { ...web, name: 'broken' })).status?.failed).toBe(2);
    await environment.advance('2m');
    expect((await client.list(Job)).items).toEqual([]);
    expect(await pods()).toEqual([]);
  });

  test('a CronJob makes a Job at each of its times, and keeps three', async () => {
    const template = { spec: { ...templateOf().spec, restartPolicy: 'Never' } };
    const spec = { schedule: '*/10 * * * *', jobTemplate: { spec: { template } } };
    await client.create(CronJob, { metadata: web, spec });
    await environment.advance('1h');
    const { status } = await client.get(CronJob, web);
    expect(status?.lastScheduleTime).toBe('2026-03-01T01:00:00Z');
    await environment.advance('1m');
    expect((await client.list(Job)).items).toHaveLength(3);
    expect(await reasons('CronJob')).toEqual([
      'SawCompletedJob',
      'SuccessfulCreate',
      'SuccessfulDelete',
    ]);
  });

  test('a DaemonSet runs on each node that fits, and a Service has the addresses of its Pods', async () => {
    const ports = [{ port: 80, targetPort: 8080 }];
    await client.create(Service, { metadata: web, spec: { selector: { app: 'web' }, ports } });
    await client.create(DaemonSet, { metadata: web, spec: { selector, template: templateOf() } });
    await environment.advance('2s');
    const { status } = await client.get(DaemonSet, web);
    expect(status).toMatchObject({ desiredNumberScheduled: 2, numberAvailable: 2 });
    const [slice] = (
      await client.list(EndpointSlice, {
        namespace: 'default',
        labelSelector: 'kubernetes.io/service-name=web',
      })
    ).items;
    expect(slice?.ports).toMatchObject([{ port: 8080 }]);
    expect(slice?.endpoints?.map(({ conditions }) => conditions?.ready)).toEqual([true, true]);
  });

  test('a Pod that no node fits waits, and says why', async () => {
    const spec = { ...templateOf().spec, nodeSelector: { disk: 'fast' } };
    await client.create(Pod, { metadata: web, spec });
    await environment.settled();
    const condition = (await only()).status?.conditions?.[0];
    expect(condition).toMatchObject({
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: expect.stringMatching(
        /^0\/2 nodes are available: 2 node\(s\) didn't match Pod's node affinity\/selector\./,
      ),
    });
    const body = { metadata: { labels: { disk: 'fast' } } };
    await client.patch(Node, { name: 'node-2' }, { type: 'merge', body });
    await environment.advance('2s');
    expect((await only()).status?.phase).toBe('Running');
  });
});

describe('the option `workloads`', () => {
  test('is off by default, and then no rule can be set', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    const code = { code: 'WORKLOADS_NOT_RUNNING' };
    expect(() => environment.pods.when('', {})).toThrow(expect.objectContaining(code));
    expect(() => environment.nodes.fail('node-1')).toThrow(expect.objectContaining(code));
  });

  test.each([
    [{ workloads: 'yes' }, 'createTestEnvironment.workloads'],
    [{ workloads: true, use: 'binaries' }, 'createTestEnvironment.workloads'],
    [{ workloads: { nodes: -1 } }, 'addWorkloads.nodes'],
    [{ workloads: { nodes: [{ name: 'A' }] } }, 'addWorkloads.nodes[0].name'],
    [{ workloads: { startupDelay: 'soon' } }, 'addWorkloads.startupDelay'],
    [{ workloads: { runtime: 'soon' } }, 'addWorkloads.runtime'],
    [{ workloads: { controllers: ['kubelet'] } }, 'addWorkloads.controllers'],
    [{ workloads: { size: 1 } }, 'addWorkloads.size'],
  ])('refuses %p', async (options, option) => {
    await expect(createTestEnvironment(options as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option },
    });
  });
});
