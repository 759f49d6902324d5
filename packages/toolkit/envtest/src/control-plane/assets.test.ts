import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { findAssets } from './assets.ts';
import { fakeAssets, versioned } from './fake-assets.test-support.ts';

const folders: string[] = [];

async function assets(scripts: Parameters<typeof fakeAssets>[0]): Promise<string> {
  const folder = await fakeAssets(scripts);
  folders.push(folder);
  return folder;
}

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

describe('findAssets', () => {
  const good = versioned('v1.36.3', 'exit 0');

  test('returns the paths of the requested programs', async () => {
    const folder = await assets({ etcd: 'exit 0', 'kube-apiserver': good });
    expect(await findAssets(folder, ['etcd', 'kube-apiserver'])).toMatchObject({
      etcd: `${folder}/etcd`,
    });
  });

  test('reports the folder and the missing programs', async () => {
    const folder = await assets({ etcd: 'exit 0' });
    await expect(findAssets(folder, ['etcd', 'kube-apiserver'])).rejects.toMatchObject({
      code: 'BINARIES_NOT_FOUND',
      facts: { folder, missing: 'kube-apiserver' },
    });
  });

  test('reports how to install the programs if no folder is given', async () => {
    await expect(findAssets(undefined, ['etcd'])).rejects.toMatchObject({
      code: 'BINARIES_NOT_FOUND',
      message: expect.stringContaining('KUBEBUILDER_ASSETS'),
    });
  });

  test('rejects a version that is too old', async () => {
    const folder = await assets({ etcd: '', 'kube-apiserver': versioned('v1.20.2', '') });
    await expect(findAssets(folder, ['etcd', 'kube-apiserver'])).rejects.toMatchObject({
      code: 'VERSION_NOT_SUPPORTED',
      facts: { version: 'Kubernetes v1.20.2', oldest: 'v1.28' },
    });
  });

  test('reports a program that cannot be run', async () => {
    const folder = await assets({ etcd: '', 'kube-apiserver': 'exit 126' });
    await expect(findAssets(folder, ['kube-apiserver'])).rejects.toMatchObject({
      code: 'BINARY_BROKEN',
      facts: { binary: `${folder}/kube-apiserver` },
    });
  });
});
