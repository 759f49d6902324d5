import { describe, expect, test } from '@jest/globals';
import { causesOf } from '../server/raw-client.test-support.ts';
import { clientOfRunningServer } from '../server/running-server.test-support.ts';

const apps = '/apis/apps/v1/namespaces/default';
const container = { name: 'c', image: 'i' };

function workload(more: object, podSpec: object = {}): object {
  return {
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: { containers: [container], ...podSpec },
    },
    ...more,
  };
}

// Recorded from kube-apiserver 1.36.3. Random sessions found these cases.
describe('combinations of causes', () => {
  const client = clientOfRunningServer();

  test('a new scheduling gate that is repeated has the index of the last', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    await client.post(pods, { metadata: { name: 'gates' }, spec: { containers: [container] } });
    const gate = { name: 'example.com/gate' };
    const spec = { schedulingGates: [gate, gate] };
    const response = await client.patch(`${pods}/gates`, 'merge', { spec });
    expect(causesOf(response)).toEqual([
      'spec.schedulingGates[1]: Duplicate value: "example.com/gate"',
      "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/gate'",
    ]);
  });

  test('a container cannot mount an invalid volume', async () => {
    const spec = workload(
      {},
      {
        volumes: [{ name: 'v', emptyDir: {}, configMap: { name: 'x' } }, { name: 'w' }],
        containers: [
          {
            ...container,
            volumeMounts: [
              { name: 'v', mountPath: '/v' },
              { name: 'w', mountPath: '/w' },
            ],
          },
        ],
      },
    );
    const response = await client.post(`${apps}/deployments`, {
      metadata: { name: 'mount' },
      spec,
    });
    expect(causesOf(response)).toEqual([
      'spec.template.spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type',
      'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ]);
  });

  test('an unknown strategy type is shown with the member names of Go', async () => {
    const rollingUpdate = { maxUnavailable: '25%', maxSurge: 1 };
    const spec = workload({ strategy: { type: 'Wrong', rollingUpdate } });
    const response = await client.post(`${apps}/deployments`, {
      metadata: { name: 'shown' },
      spec,
    });
    expect(causesOf(response)).toEqual([
      'spec.strategy: Unsupported value: {"Type":"Wrong","RollingUpdate":{"MaxUnavailable":"25%","MaxSurge":1}}: supported values: "Recreate", "RollingUpdate"',
    ]);
  });

  test('the owner of a scale before the first apply is an entry of the subresource scale', async () => {
    const metadata = { name: 'scaled' };
    await client.post(`${apps}/replicasets`, { metadata, spec: workload({}) });
    await client.patch(`${apps}/replicasets/scaled`, 'merge', {
      metadata: { managedFields: [{}] },
    });
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas: 3 } };
    const path = `${apps}/replicasets/scaled/scale?fieldManager=alice`;
    const response = await client.patch(path, 'apply', scale);
    expect(response.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" with subresource "scale" using autoscaling/v1: .spec.replicas',
    );
  });

  test('an undecodable Scale after a patch is shown with its owners', async () => {
    const metadata = { name: 'owned' };
    await client.post(`${apps}/replicasets`, { metadata, spec: workload({}) });
    const path = `${apps}/replicasets/owned/scale`;
    await client.patch(path, 'merge', { spec: { replicas: 2 } });
    const { body } = await client.patch(path, 'merge', { spec: { replicas: 'x' } });
    expect(body.message).toContain(String.raw`\"fieldsV1\":{\"f:spec\":{\"f:replicas\":{}}}`);
  });

  test('the selector of a Scale repeats a key and shows a single value as a set', async () => {
    const selector = {
      matchLabels: { app: 'x', a: 'b' },
      matchExpressions: [
        { key: 'app', operator: 'In', values: ['x'] },
        { key: 'app', operator: 'Exists' },
        { key: 'c', operator: 'NotIn', values: ['2', '1'] },
        { key: 'd', operator: 'DoesNotExist' },
      ],
    };
    const metadata = { name: 'selected' };
    const labels = { app: 'x', a: 'b' };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    await client.post(`${apps}/replicasets`, { metadata, spec: { selector, template } });
    const { body } = await client.get(`${apps}/replicasets/selected/scale`);
    expect(body.status.selector).toBe('a=b,app=x,app in (x),app,c notin (1,2),!d');
  });

  test('a port that a new Service has twice gets its node port twice', async () => {
    const ports = ['a', 'b'].map((name) => ({ name, port: 80 }));
    const body = { metadata: { name: 'ports' }, spec: { type: 'NodePort', ports } };
    const response = await client.post('/api/v1/namespaces/default/services', body);
    expect(causesOf(response)).toEqual([
      expect.stringMatching(/^spec\.ports\[1\]\.nodePort: Duplicate value: 3\d{4}$/),
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ]);
  });
});
