import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type ObjectOf, type Persisted } from '@keelson/apimachinery';
import { startCluster, until, type WorkloadCluster } from '../testing/cluster.test-support.ts';
import { nanosOf } from './quantity.ts';

const { PersistentVolume, PersistentVolumeClaim, Pod } = builtin;

/** The memory of a simulated node is 32Gi. */
const TOO_MUCH_MEMORY = ['1Pi', '1P', '1Ei', '1E', '1e15', '1E15', '33Gi', '34359738368001m'];
const LITTLE_MEMORY = ['1000000n', '1000000u', '1k', '1e3', '32Gi', '34359738368000m'];

describe('nanosOf', () => {
  test.each([
    ['1Ki', '1024'],
    ['1Pi', '1125899906842624'],
    ['1Ei', '1152921504606846976'],
    ['1P', '1e15'],
    ['1E', '1000P'],
    ['1n', '0.001u'],
    ['1u', '1e-6'],
    ['1.5e3', '1500'],
    ['+1', '1000m'],
    ['.5', '500m'],
  ])('%s is %s', (one, other) => {
    expect(nanosOf(one)).toBe(nanosOf(other));
    expect(nanosOf(one)).toBeGreaterThan(0n);
  });

  test('keeps a difference that a number does not have', () => {
    expect(nanosOf('9007199254740993')).toBeGreaterThan(nanosOf('9007199254740992'));
  });

  test.each([undefined, '', 'a', '1Xi'])('%s is 0', (text) => {
    expect(nanosOf(text)).toBe(0n);
  });
});

describe('quantities', () => {
  let cluster: WorkloadCluster;

  beforeEach(async () => {
    cluster = await startCluster({ nodes: 1 });
  });

  afterEach(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  const untilPod = (
    name: string,
    matches: (pod: Persisted<ObjectOf<typeof Pod>>) => boolean,
  ): Promise<void> => until(cluster.client, Pod, { namespace: 'default', name }, matches);
  const createPod = async (memory: string, cpu = '1n'): Promise<string> => {
    const resources = { requests: { cpu, memory } };
    const { metadata } = await cluster.client.create(Pod, {
      metadata: { namespace: 'default', generateName: 'memory-' },
      spec: { containers: [{ name: 'c', image: 'web:1', resources }] },
    });
    return metadata.name;
  };

  test.each(TOO_MUCH_MEMORY)('a Pod that requests memory %s stays pending', async (memory) => {
    const name = await createPod(memory);
    await untilPod(name, ({ spec, status }) => {
      expect(spec?.nodeName).toBeUndefined();
      return status?.conditions?.[0]?.message?.includes('Insufficient memory') === true;
    });
  });

  test.each(LITTLE_MEMORY)('a Pod that requests memory %s runs', async (memory) => {
    const name = await createPod(memory);
    await untilPod(name, ({ status }) => status?.phase === 'Running');
  });

  test('the requests of the Pods of a node are added', async () => {
    const first = await createPod('1', '7999m');
    await untilPod(first, ({ status }) => status?.phase === 'Running');
    const full = await createPod('1', '1000001u');
    await untilPod(
      full,
      ({ status }) => status?.conditions?.[0]?.message?.includes('Insufficient cpu') === true,
    );
  });

  test.each(['1Pi', '1Ei', '1e15', '1P', '1073741825'])(
    'a claim of %s does not get a volume of 1Gi, but a claim of 1Gi does',
    async (storage) => {
      const { client } = cluster;
      const accessModes = ['ReadWriteOnce'];
      await client.create(PersistentVolume, {
        metadata: { name: 'disk' },
        spec: { capacity: { storage: '1Gi' }, accessModes, hostPath: { path: '/disk' } },
      });
      const claim = (name: string, request: string) =>
        client.create(PersistentVolumeClaim, {
          metadata: { namespace: 'default', name },
          spec: {
            accessModes,
            storageClassName: '',
            resources: { requests: { storage: request } },
          },
        });
      const volume = { name: 'disk' };
      await until(client, PersistentVolume, volume, ({ status }) => status?.phase === 'Available');
      await claim('large', storage);
      await claim('small', '1Gi');
      await until(client, PersistentVolume, volume, ({ status }) => status?.phase === 'Bound');
      const { spec } = await client.get(PersistentVolume, volume);
      expect(spec?.claimRef?.name).toBe('small');
    },
  );
});
