import { describe, expect, test } from '@jest/globals';
import { causesOf, type Json } from '../../server/raw-client.test-support.ts';
import { clientOfRunningServer } from '../../server/running-server.test-support.ts';

const sets = '/apis/apps/v1/namespaces/default/statefulsets';

function claim(name: string): Json {
  return {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
}

function setOf(name: string, pod: object, claims: readonly Json[]): Json {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      serviceName: 'web',
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: pod },
      volumeClaimTemplates: claims,
    },
  };
}

function container(...mounts: string[]): object {
  const volumeMounts = mounts.map((name) => ({ name, mountPath: `/${name}` }));
  return { containers: [{ name: 'c', image: 'i', volumeMounts }] };
}

// Recorded from kube-apiserver 1.36.3.
describe('the volumes of a StatefulSet', () => {
  const client = clientOfRunningServer();

  test('are those of its claims, by create, apply and update', async () => {
    const web = setOf('web', container('www'), [claim('www')]);
    expect((await client.post(sets, web)).code).toBe(201);
    expect((await client.patch(`${sets}/web?fieldManager=m&force=1`, 'apply', web)).code).toBe(200);
    const more = { spec: { replicas: 2 } };
    expect((await client.patch(`${sets}/web`, 'merge', more)).code).toBe(200);
    const stored = (await client.get(`${sets}/web`)).body;
    expect(stored.spec.template.spec.volumes).toBeUndefined();
  });

  test('are the claims before volumes of the same name', async () => {
    const volumes = [
      { name: 'data', emptyDir: {} },
      { name: 'settings', configMap: { name: 's' } },
    ];
    const pod = { ...container('data', 'settings'), volumes, hostname: 'Not_A_Label' };
    expect((await client.post(sets, setOf('mixed', pod, [claim('data')]))).code).toBe(201);
  });

  test('do not include other names', async () => {
    const response = await client.post(sets, setOf('other', container('www', 'x'), [claim('www')]));
    expect(causesOf(response)).toEqual([
      'spec.template.spec.containers[0].volumeMounts[1].name: Not found: "x"',
    ]);
  });
});

describe('the template generation of a DaemonSet', () => {
  const client = clientOfRunningServer();

  test('rises with each change of the template, and clients cannot set it', async () => {
    const folder = '/apis/apps/v1/namespaces/default/daemonsets';
    const name = 'deprecated.daemonset.template.generation';
    const generation = async (): Promise<unknown> =>
      (await client.get(`${folder}/web`)).body.metadata.annotations[name];
    await client.post(folder, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: container() },
      },
    });
    expect(await generation()).toBe('1');
    const image = { spec: { template: { spec: { containers: [{ name: 'c', image: 'j' }] } } } };
    await client.patch(`${folder}/web`, 'strategic', image);
    expect(await generation()).toBe('2');
    await client.patch(`${folder}/web`, 'merge', { metadata: { annotations: { [name]: '9' } } });
    await client.patch(`${folder}/web`, 'merge', { spec: { minReadySeconds: 1 } });
    expect(await generation()).toBe('2');
  });
});
