import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type ObjectOf, type Persisted } from '@keelson/apimachinery';
import { startCluster, until, type WorkloadCluster } from '../testing/cluster.test-support.ts';

const { Node, Pod } = builtin;
type PodObject = Persisted<ObjectOf<typeof Pod>>;
const web = { namespace: 'default', name: 'web' };

describe('kubelet', () => {
  let cluster: WorkloadCluster;

  beforeEach(async () => {
    cluster = await startCluster({ nodes: 1, startupDelay: '10ms' });
  });

  afterEach(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  const isReady = ({ status }: PodObject): boolean =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  const createPod = async (metadata: typeof web): Promise<void> => {
    await cluster.client.create(Pod, {
      metadata,
      spec: { containers: [{ name: 'c', image: 'web:1' }] },
    });
  };
  const untilReady = (name: typeof web): Promise<void> => until(cluster.client, Pod, name, isReady);

  /** The conditions as `TYPE=STATUS`, with the reason and the message if there is one. */
  const conditions = async (): Promise<string[]> => {
    const { status } = await cluster.client.get(Pod, web);
    return (status?.conditions ?? [])
      .map(({ type, status: is, reason, message }) =>
        [`${type}=${is}`, reason, message].filter(Boolean).join(' '),
      )
      .toSorted();
  };
  const ready = [
    'ContainersReady=True',
    'Initialized=True',
    'PodReadyToStartContainers=True',
    'PodScheduled=True',
    'Ready=True',
  ];

  test('a ready Pod has conditions without reason and message', async () => {
    await createPod(web);
    await untilReady(web);
    expect(await conditions()).toEqual(ready);
  });

  test('conditions lose their reason and message when the Pod is ready again', async () => {
    await createPod(web);
    await untilReady(web);
    const rule = cluster.workloads.pods.when({ name: 'web' }, { ready: false });
    await until(cluster.client, Pod, web, (pod) => !isReady(pod));
    const reason = 'ContainersNotReady containers with unready status: [c]';
    const unready = [
      `ContainersReady=False ${reason}`,
      ...ready.slice(1, -1),
      `Ready=False ${reason}`,
    ];
    expect(await conditions()).toEqual(unready);
    rule[Symbol.dispose]();
    await untilReady(web);
    expect(await conditions()).toEqual(ready);
  });

  test('a Pod that no node had fitted loses the reason of the scheduler', async () => {
    const body = { spec: { unschedulable: true } };
    await cluster.client.patch(Node, { name: 'node-1' }, { type: 'merge', body });
    await createPod(web);
    await until(
      cluster.client,
      Pod,
      web,
      ({ status }) => status?.conditions?.[0]?.reason === 'Unschedulable',
    );
    const open = { spec: { unschedulable: null } };
    await cluster.client.patch(Node, { name: 'node-1' }, { type: 'merge', body: open });
    await untilReady(web);
    expect(await conditions()).toEqual(ready);
  });

  test('conditions of other types stay', async () => {
    await createPod(web);
    await untilReady(web);
    const own = {
      type: 'shop.example/Warm',
      status: 'True',
      reason: 'Warm',
      message: 'it is warm',
    };
    const body = { status: { conditions: [own] } };
    await cluster.client.status(Pod).patch(web, { type: 'strategic', body });
    using _ = cluster.workloads.pods.when({ name: 'web' }, { ready: false });
    await until(cluster.client, Pod, web, (pod) => !isReady(pod));
    expect(await conditions()).toContain('shop.example/Warm=True Warm it is warm');
  });

  test('a reason, a message and addresses that another client wrote are removed', async () => {
    await createPod(web);
    await untilReady(web);
    const { podIP, podIPs, hostIP, hostIPs } = (await cluster.client.get(Pod, web)).status ?? {};
    const [pod, host] = ['10.9.9.9', '10.8.8.8'];
    const addresses = { podIP: pod, podIPs: [{ ip: pod }], hostIP: host, hostIPs: [{ ip: host }] };
    const body = { status: { ...addresses, reason: 'Other', message: 'other' } };
    await cluster.client.status(Pod).patch(web, { type: 'merge', body });
    await until(cluster.client, Pod, web, ({ status }) => status?.podIP === podIP);
    const { status } = await cluster.client.get(Pod, web);
    expect(status).toMatchObject({ podIPs, hostIP, hostIPs });
    expect(status).not.toHaveProperty('reason');
    expect(status).not.toHaveProperty('message');
  });

  test('a Pod whose status is as it should be is not written again', async () => {
    await createPod(web);
    await untilReady(web);
    const patches = { resource: Pod, verb: 'patch', namespace: 'default' };
    const before = cluster.server.stats.requests(patches);
    expect(before).toBe(2);
    for (const label of ['a', 'b', 'c']) {
      const pod = await cluster.client.get(Pod, web);
      const metadata = { ...pod.metadata, labels: { label } };
      await cluster.client.update(Pod, { ...pod, metadata });
      // The kubelet looks at this Pod after it has looked at the first one.
      const other = { namespace: 'kube-public', name: label };
      await createPod(other);
      await untilReady(other);
    }
    expect(cluster.server.stats.requests(patches)).toBe(before);
  });
});
