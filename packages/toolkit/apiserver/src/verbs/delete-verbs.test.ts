import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const pod = { spec: { containers: [{ name: 'c', image: 'i' }] } };

describe('delete', () => {
  test('responds with a Status, or for some kinds with the object', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body } = await client.post(maps, { metadata: { name: 'a' } });
    const { uid } = body.metadata;
    expect((await client.delete(`${maps}/a`)).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid },
    });
    expect((await client.delete(`${maps}/a`)).code).toBe(404);
    await client.post(pods, { metadata: { name: 'p' }, ...pod });
    expect((await client.delete(`${pods}/p`)).body).toMatchObject({ kind: 'Pod' });
  });

  test('waits for finalizers; the update that removes the last one causes only DELETED', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a', finalizers: ['x.io/y'] } });
    await using watch = await client.watch(
      `${maps}?watch=1&resourceVersion=${server.resourceVersion}`,
    );
    const waiting = await client.delete(`${maps}/a`);
    expect([waiting.code, waiting.body.metadata.finalizers]).toEqual([200, ['x.io/y']]);
    expect(waiting.body.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      deletionGracePeriodSeconds: 0,
    });
    const again = await client.delete(`${maps}/a`);
    expect(again.body).toEqual(waiting.body);
    const added = await client.patch(`${maps}/a`, 'merge', {
      metadata: { finalizers: ['x.io/y', 'x.io/z'] },
    });
    expect(added.code).toBe(422);
    const freed = await client.patch(`${maps}/a`, 'merge', { metadata: { finalizers: null } });
    expect(freed.code).toBe(200);
    expect((await client.get(`${maps}/a`)).code).toBe(404);
    await client.post(maps, { metadata: { name: 'b' } });
    expect(await watch.titles(3)).toEqual(['MODIFIED a', 'DELETED a', 'ADDED b']);
  });

  test('increases the generation of an object that waits for finalizers', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const template = { spec: { restartPolicy: 'Never', ...pod.spec } };
    await client.post(jobs, {
      metadata: { name: 'j', finalizers: ['x.io/y'] },
      spec: { template },
    });
    const { body, headers } = await client.delete(`${jobs}/j`);
    expect(body.metadata.generation).toBe(2);
    expect(body.metadata.finalizers).toEqual(['x.io/y', 'orphan']);
    expect(headers.get('warning')).toContain('child pods are preserved by default');
  });

  test('a delete of a pod that waits for its kubelet changes nothing but a longer grace period', async () => {
    await using server = await createApiServer({ controllers: [] });
    const client = new RawClient(server);
    await client.post(pods, { metadata: { name: 'p' }, spec: { ...pod.spec, nodeName: 'n' } });
    const remove = async (options: object): Promise<Json> => {
      const { metadata } = (await client.delete(`${pods}/p`, options)).body;
      return [metadata.finalizers, metadata.deletionGracePeriodSeconds];
    };
    expect(await remove({ propagationPolicy: 'Orphan' })).toEqual([['orphan'], 30]);
    const propagationPolicy = 'Background';
    expect(await remove({ propagationPolicy })).toEqual([['orphan'], 30]);
    expect(await remove({ propagationPolicy, gracePeriodSeconds: 30 })).toEqual([['orphan'], 30]);
    expect(await remove({ propagationPolicy, gracePeriodSeconds: 5 })).toEqual([undefined, 5]);
  });

  test('removes a pod that waits only for a policy as it is', async () => {
    await using server = await createApiServer({ controllers: [] });
    const client = new RawClient(server);
    await client.post(pods, { metadata: { name: 'p' }, ...pod });
    await client.delete(`${pods}/p`, { propagationPolicy: 'Orphan' });
    await using watch = await client.watch(
      `${pods}?watch=1&resourceVersion=${server.resourceVersion}`,
    );
    const { body } = await client.delete(`${pods}/p`, { propagationPolicy: 'Background' });
    expect(body.metadata.finalizers).toEqual(['orphan']);
    expect(await watch.titles(1)).toEqual(['DELETED p']);
  });

  test('is named by a create of an object that still waits, also with generateName', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a', finalizers: ['x.io/y'] } });
    await client.delete(`${maps}/a`);
    for (const generateName of [undefined, 'g-']) {
      const { body } = await client.post(maps, { metadata: { name: 'a', generateName } });
      expect(body.message).toMatch(/^object is being deleted: configmaps "a" already exists/);
    }
  });

  test('a delete of a pod sends MODIFIED, then DELETED; a scheduled pod keeps its grace period', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(pods, { metadata: { name: 'idle' }, ...pod });
    const spec = { ...pod.spec, nodeName: 'n', terminationGracePeriodSeconds: 7 };
    await client.post(pods, { metadata: { name: 'runs' }, spec });
    await using watch = await client.watch(
      `${pods}?watch=1&resourceVersion=${server.resourceVersion}`,
    );
    await client.delete(`${pods}/idle`);
    const { body } = await client.delete(`${pods}/runs`);
    expect(body.metadata.deletionGracePeriodSeconds).toBe(7);
    expect((await client.get(`${pods}/runs`)).code).toBe(200);
    await client.delete(`${pods}/runs`, { gracePeriodSeconds: 0 });
    expect(await watch.titles(5)).toEqual([
      'MODIFIED idle',
      'DELETED idle',
      'MODIFIED runs',
      'MODIFIED runs',
      'DELETED runs',
    ]);
  });

  // Recorded from kube-apiserver 1.36.3.
  test('names the stored kind for an Event with another uid, and the resource for a namespace', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const events = '/api/v1/namespaces/default/events';
    const involvedObject = { kind: 'Pod', name: 'a', namespace: 'default' };
    await client.post(events, { metadata: { name: 'e' }, involvedObject });
    const preconditions = { uid: 'x' };
    const event = '/apis/events.k8s.io/v1/namespaces/default/events/e';
    const ofEvent = await client.delete(event, { preconditions });
    expect(ofEvent.body.message).toMatch(/^Operation cannot be fulfilled on Event "e": the UID in/);
    await client.post('/api/v1/namespaces', { metadata: { name: 'own' } });
    const ofNamespace = await client.delete('/api/v1/namespaces/own', { preconditions });
    expect(ofNamespace.body.message).toMatch(
      /^Operation cannot be fulfilled on namespaces "own": Precondition failed: UID in precondition: x, UID in object meta: /,
    );
  });

  test('honours preconditions and dry runs', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body } = await client.post(maps, { metadata: { name: 'a' } });
    const { uid, resourceVersion } = body.metadata;
    const wrong = [{ uid: 'other' }, { resourceVersion: '1' }];
    for (const preconditions of wrong) {
      const rejected = await client.delete(`${maps}/a`, { preconditions });
      expect([rejected.code, rejected.body.reason]).toEqual([409, 'Conflict']);
    }
    expect((await client.delete(`${maps}/a?dryRun=All`)).code).toBe(200);
    expect((await client.get(`${maps}/a`)).code).toBe(200);
    const right = await client.delete(`${maps}/a`, { preconditions: { uid, resourceVersion } });
    expect([right.code, (await client.get(`${maps}/a`)).code]).toEqual([200, 404]);
  });

  test('a delete with options in the body ignores the query', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a' } });
    expect((await client.delete(`${maps}/a?dryRun=All`, {})).code).toBe(200);
    expect((await client.get(`${maps}/a`)).code).toBe(404);
  });

  test.each<[string, Json]>([
    ['?dryRun=Some', undefined],
    ['?propagationPolicy=Bad', undefined],
    ['', { propagationPolicy: 'Foreground', orphanDependents: true }],
  ])('refuses %s %j', async (query, options) => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a' } });
    const { code, body } = await client.delete(`${maps}/a${query}`, options);
    expect([code, body.details.kind]).toEqual([422, 'DeleteOptions']);
  });
});

describe('deletecollection', () => {
  test('deletes the selected objects and responds with them', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a', labels: { x: '1' } } });
    await client.post(maps, {
      metadata: { name: 'b', labels: { x: '1' }, finalizers: ['x.io/y'] },
    });
    await client.post(maps, { metadata: { name: 'c' } });
    const { body } = await client.delete(`${maps}?labelSelector=x`);
    expect(body.kind).toBe('ConfigMapList');
    expect(body.items.map(({ metadata }: Json) => metadata.name)).toEqual(['a', 'b']);
    const left = (await client.get(maps)).body.items;
    expect(left.map(({ metadata }: Json) => metadata.name)).toEqual(['b', 'c']);
  });

  test('a deletecollection of all namespaces is refused', async () => {
    await using server = await createApiServer();
    expect((await new RawClient(server).delete('/api/v1/configmaps')).code).toBe(405);
  });
});
