import { describe, expect, test } from '@jest/globals';
import { causesOf } from '../../server/raw-client.test-support.ts';
import { clientOfRunningServer } from '../../server/running-server.test-support.ts';

const pods = '/api/v1/namespaces/default/pods?dryRun=All';

// Recorded from kube-apiserver 1.36.3.
describe('a pod', () => {
  const client = clientOfRunningServer();

  async function causesFor(spec: object, container: object = {}): Promise<string[]> {
    const containers = [{ name: 'c', image: 'i', ...container }];
    return causesOf(
      await client.post(pods, { metadata: { name: 'p' }, spec: { ...spec, containers } }),
    );
  }

  const source = (volume: object): Promise<string[]> =>
    causesFor({ volumes: [{ name: 'v', ...volume }] });

  test.each([
    { emptyDir: { sizeLimit: '1Gi' } },
    { hostPath: { path: '/a', type: 'Directory' } },
    { secret: { secretName: 's', items: [{ key: 'k', path: 'p' }] } },
    { nfs: { server: 's', path: '/p' } },
    { csi: { driver: 'inline.storage.kubernetes.io' } },
    { iscsi: { targetPortal: '10.0.2.15:3260', iqn: 'iqn.2001-04.com.example:storage', lun: 0 } },
    { fc: { targetWWNs: ['50060e801049cfd1'], lun: 2 } },
    { downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    { projected: { sources: [{ secret: { name: 's' } }, { configMap: { name: 'c' } }] } },
    { azureDisk: { diskName: 'd', diskURI: 'https://a.blob.core.windows.net/c/d.vhd' } },
  ])('may have the volume %j', async (volume) => {
    expect(await source(volume)).toEqual([]);
  });

  test.each([
    [
      { hostPath: { path: '/a/../b' } },
      'hostPath.path: Invalid value: "/a/../b": must not contain \'..\'',
    ],
    [{ nfs: { server: 's', path: 'p' } }, 'nfs.path: Invalid value: "p": must be an absolute path'],
    [
      { secret: { secretName: 's', defaultMode: 4096 } },
      'secret.defaultMode: Invalid value: 4096: must be a number between 0 and 0777 (octal), both inclusive',
    ],
    [
      { configMap: { name: 'c', items: [{ key: 'k', path: '..x' }] } },
      'configMap.items[0].path: Invalid value: "..x": must not start with \'..\'',
    ],
    [
      { gcePersistentDisk: { pdName: 'p', partition: 300 } },
      'persistentDisk.partition: Invalid value: 300: must be between 1 and 255, inclusive',
    ],
    [{ ephemeral: {} }, 'ephemeral.volumeClaimTemplate: Required value'],
    [
      { downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'spec.nodeName' } }] } },
      'downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
    ],
    [
      {
        projected: {
          sources: ['a', 'b'].map((name) => ({
            configMap: { name, items: [{ key: 'k', path: 'p' }] },
          })),
        },
      },
      'projected: Invalid value: "b": conflicting duplicate paths',
    ],
    [
      { iscsi: { targetPortal: 'p', iqn: 'none', lun: 1 } },
      'iscsi.iqn: Invalid value: "none": must be valid format starting with iqn, eui, or naa',
    ],
  ])('may not have the volume %j', async (volume, cause) => {
    expect(await source(volume)).toEqual([`spec.volumes[0].${cause}`]);
  });

  const env = (...list: object[]): Promise<string[]> => causesFor({}, { env: list });

  test('may not have a variable with two sources, or with a source and a value', async () => {
    const secretKeyRef = { name: 's', key: 'k' };
    const fieldRef = { fieldPath: 'metadata.name' };
    expect(await env({ name: 'A', valueFrom: { secretKeyRef, fieldRef } })).toEqual([
      'spec.containers[0].env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time',
    ]);
    expect(await env({ name: 'A', value: 'x', valueFrom: { secretKeyRef } })).toEqual([
      'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
    ]);
    expect(await env({ name: 'A', valueFrom: {} })).toEqual([
      'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    ]);
  });

  test('may not have a variable of an unknown resource or unit', async () => {
    const of = (resource: string, divisor: string): object => ({
      name: 'A',
      valueFrom: { resourceFieldRef: { resource, divisor } },
    });
    expect(await env(of('limits.cpu', '1m'), of('limits.hugepages-2Mi', '1Mi'))).toEqual([]);
    expect(await env(of('limits.cpu', '2'))).toEqual([
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
    ]);
    expect(await env(of('limits.gpu', '1'))).toEqual([
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
    ]);
  });

  test('has variables from files of its own emptyDir volumes only', async () => {
    const volumes = [
      { name: 'v', emptyDir: {} },
      { name: 'c', configMap: { name: 'c' } },
    ];
    const of = (volumeName: string): object => ({
      name: 'A',
      valueFrom: { fileKeyRef: { volumeName, path: 'p', key: 'k' } },
    });
    const initContainers = [{ name: 'i', image: 'i', env: [of('w')] }];
    expect(await causesFor({ volumes }, { env: [of('v')] })).toEqual([]);
    expect(
      await causesFor({ volumes, initContainers, os: { name: 'x' } }, { env: [of('w'), of('c')] }),
    ).toEqual([
      'spec.os: Unsupported value: "x": supported values: "linux", "windows"',
      'spec.initContainers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: "w"',
      'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: "w"',
      'spec.containers[0].env[1].valueFrom.fileKeyRef.volumeName: Invalid value: "c": referenced volume must be of type emptyDir',
    ]);
  });

  test('may not mount twice to one path, nor use a volume as mount and as device', async () => {
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'v' } }];
    const mount = { name: 'v', mountPath: '/v' };
    expect(await causesFor({ volumes }, { volumeMounts: [mount, mount] })).toEqual([
      'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/v": must be unique',
    ]);
    const volumeDevices = [{ name: 'v', devicePath: '/d' }];
    expect(await causesFor({ volumes }, { volumeMounts: [mount], volumeDevices })).toEqual([
      'spec.containers[0].volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices',
      'spec.containers[0].volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts',
    ]);
  });
});
