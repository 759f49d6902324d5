import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type RawResponse, RawClient } from '../server/raw-client.test-support.ts';

const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
const pods = '/api/v1/namespaces/default/pods';

function makePod(client: RawClient, name: string, spec: object = {}): Promise<RawResponse> {
  const containers = [{ name: 'c', image: 'i' }];
  return client.post(pods, { metadata: { name }, spec: { containers, ...spec } });
}

describe('Priority', () => {
  test('a pod gets the value and the preemption policy of its class', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const metadata = { name: 'patient' };
    await client.post(classes, { metadata, value: 500, preemptionPolicy: 'Never' });
    const named = await makePod(client, 'a', { priorityClassName: 'patient' });
    expect(named.body.spec).toMatchObject({ priority: 500, preemptionPolicy: 'Never' });
    const plain = await makePod(client, 'b');
    expect(plain.body.spec).toMatchObject({
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
    });
    const system = await makePod(client, 'c', { priorityClassName: 'system-node-critical' });
    expect(system.body.spec.priority).toBe(2_000_001_000);
  });

  test('a pod without a class gets the default class; a second default class is rejected', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(classes, { metadata: { name: 'usual' }, value: 7, globalDefault: true });
    const { body } = await makePod(client, 'a');
    expect(body.spec).toMatchObject({ priority: 7, priorityClassName: 'usual' });
    const metadata = { name: 'second' };
    const second = await client.post(classes, { metadata, value: 8, globalDefault: true });
    expect([second.code, second.body.message]).toEqual([
      403,
      'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
    ]);
  });

  test.each<[string, object, string]>([
    [
      'an unknown class',
      { priorityClassName: 'none' },
      'no PriorityClass with name none was found',
    ],
    [
      'a value that differs from the class',
      { priorityClassName: 'system-node-critical', priority: 5 },
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 2000001000 from the given PriorityClass name',
    ],
    [
      'a policy that differs from the class',
      { priorityClassName: 'system-node-critical', preemptionPolicy: 'Never' },
      'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    ],
  ])('rejects %s', async (_title, spec, why) => {
    await using server = await createApiServer();
    const { code, body } = await makePod(new RawClient(server), 'p', spec);
    expect([code, body.message]).toEqual([403, `pods "p" is forbidden: ${why}`]);
  });

  test('an update without a priority keeps the stored one', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await makePod(client, 'p', { priorityClassName: 'system-node-critical' });
    const patch = { spec: { priority: null, preemptionPolicy: null } };
    const { code, body } = await client.patch(`${pods}/p`, 'merge', patch);
    expect([code, body.spec.priority]).toEqual([200, 2_000_001_000]);
  });

  test('rejects deletion of system classes and user classes with a higher value', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const removed = await client.send('DELETE', `${classes}/system-cluster-critical`);
    expect([removed.code, removed.body.message]).toEqual([
      403,
      'priorityclasses.scheduling.k8s.io "system-cluster-critical" is forbidden: this is a system priority class and cannot be deleted',
    ]);
    const { code, body } = await client.post(classes, {
      metadata: { name: 'top' },
      value: 1e9 + 1,
    });
    expect(code).toBe(422);
    expect(body.message).toMatch('maximum allowed value of a user defined priority is 1000000000');
  });
});
