import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

describe('kinds with two versions', () => {
  test('an Event is one object in two groups, with different field names', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const event = {
      metadata: { name: 'e' },
      eventTime: '2030-01-01T00:00:00.000001Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'Test',
      reason: 'Because',
      type: 'Normal',
      note: 'hello',
      regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
    };
    const path = '/apis/events.k8s.io/v1/namespaces/default/events';
    expect((await client.post(path, event)).body).toMatchObject({ note: 'hello' });
    const { body } = await client.get('/api/v1/namespaces/default/events/e');
    expect(body).toMatchObject({
      kind: 'Event',
      apiVersion: 'v1',
      message: 'hello',
      involvedObject: { name: 'p' },
      reportingComponent: 'example.com/c',
    });
    const selected = await client.get(`${path}?fieldSelector=regarding.name%3Dp`);
    expect(selected.body.items).toHaveLength(1);
  });

  test('a HorizontalPodAutoscaler has one target in v1 and a list of metrics in v2', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      minReplicas: 1,
      maxReplicas: 3,
    };
    const v1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
    const v2 = v1.replace('v1', 'v2');
    const sent = { metadata: { name: 'h' }, spec: { ...spec, targetCPUUtilizationPercentage: 60 } };
    expect((await client.post(v1, sent)).body.spec.targetCPUUtilizationPercentage).toBe(60);
    expect((await client.get(`${v2}/h`)).body.spec.metrics).toEqual([
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
      },
    ]);
    expect((await client.get(`${v1}/h`)).body.spec.metrics).toBeUndefined();
  });
});
