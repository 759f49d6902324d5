import { beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, isNotFound, isTooManyRequests, type ObjectOf } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { customKind } from './custom-kind.ts';
import { errorOf } from './error-of.ts';
import { openSharedSuite } from './suite.ts';

const suite = openSharedSuite();
let namespace: string;

beforeEach(async () => {
  namespace = await suite.namespace();
});

describe('the subresources status and scale of a custom kind', () => {
  const kind = customKind();
  const widgets = kind.resource();
  const name = 'w';

  beforeEach(async () => {
    await suite.install(kind.definition('v1'));
    await suite.client.create(widgets, { metadata: { namespace, name }, spec: { size: 2 } });
  });

  test('a status write changes only the status and keeps the generation', async () => {
    const body = { spec: { size: 9 }, status: { ready: 1 } };
    const changed = await suite.client
      .status(widgets)
      .patch({ namespace, name }, { type: 'merge', body });
    expect(changed).toMatchObject({ metadata: { generation: 1 }, spec: { size: 2 } });
    expect(changed.status).toEqual({ ready: 1 });
  });

  test('a write to the object keeps the status and raises the generation', async () => {
    await suite.client
      .status(widgets)
      .patch({ namespace, name }, { type: 'merge', body: { status: { ready: 1 } } });
    const body = { spec: { size: 3 }, status: { ready: 7 } };
    const changed = await suite.client.patch(widgets, { namespace, name }, { type: 'merge', body });
    expect(changed).toMatchObject({ metadata: { generation: 2 }, spec: { size: 3 } });
    expect(changed.status).toEqual({ ready: 1 });
  });

  test('the scale reads and writes the field of the definition', async () => {
    const scale = suite.client.subresource(widgets, 'scale');
    expect((await scale.get({ namespace, name })).spec).toEqual({ replicas: 2 });
    const body = { spec: { replicas: 5 } };
    await scale.patch({ namespace, name }, { type: 'merge', body });
    expect((await suite.client.get(widgets, { namespace, name })).spec?.size).toBe(5);
  });
});

describe('the scale of a Deployment', () => {
  test('changes its replicas', async () => {
    const labels = { app: 'web' };
    const containers = [{ name: 'app', image: 'app:1' }];
    await suite.client.create(builtin.Deployment, {
      metadata: { namespace, name: 'web' },
      spec: {
        replicas: 0,
        paused: true,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    const scale = suite.client.subresource(builtin.Deployment, 'scale');
    const current = await scale.get({ namespace, name: 'web' });
    expect(current).toMatchObject({ kind: 'Scale', spec: {}, status: { selector: 'app=web' } });
    await scale.update({ namespace, name: 'web' }, { ...current, spec: { replicas: 1 } });
    const changed = await suite.client.get(builtin.Deployment, { namespace, name: 'web' });
    expect(changed.spec?.replicas).toBe(1);
  });
});

describe('the eviction of a pod', () => {
  const name = 'p';
  const labels = { app: 'p' };

  /** Creates a pod that stays unscheduled, so that no kubelet changes it. */
  const createPod = async (): Promise<void> => {
    const containers = [{ name: 'app', image: 'app:1' }];
    await suite.client.create(builtin.Pod, {
      metadata: { namespace, name, labels },
      spec: { schedulerName: 'nobody', containers },
    });
    const status: ObjectOf<typeof builtin.Pod>['status'] = {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    await suite.client
      .status(builtin.Pod)
      .patch({ namespace, name }, { type: 'merge', body: { status } });
  };

  const evict = (client = suite.client): Promise<object> =>
    client
      .subresource<object>(builtin.Pod, 'eviction')
      .create(
        { namespace, name },
        { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } },
      );

  test('deletes the pod', async () => {
    await createPod();
    await evict();
    const read = suite.client.get(builtin.Pod, { namespace, name });
    expect(isNotFound(await errorOf(read))).toBe(true);
  });

  test('is rejected with 429 while a disruption budget forbids it', async () => {
    await createPod();
    await suite.client.create(builtin.PodDisruptionBudget, {
      metadata: { namespace, name: 'budget' },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    });
    // A client with retries would repeat the request for 30 s.
    await using impatient = createClient({ cluster: suite.cluster, retry: false });
    expect(isTooManyRequests(await errorOf(evict(impatient)))).toBe(true);
    expect(await suite.client.get(builtin.Pod, { namespace, name })).toMatchObject({
      metadata: { name },
    });
  });
});
