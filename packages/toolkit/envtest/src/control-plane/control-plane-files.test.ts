import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fakePrograms } from './fake-assets.test-support.ts';
import { createTestEnvironment } from '../index.ts';

/** Makes etcd print its flags, because only `--data-dir` names the folder of the files. */
async function withFlagsPrinted(assets: string): Promise<string> {
  const etcd = join(assets, 'etcd');
  const script = await readFile(etcd, 'utf8');
  await writeFile(etcd, script.replace('\n', '\necho "$@"\n'));
  return assets;
}

test('only the owner can read the keys and kubeconfigs of a control plane; stop() removes them', async () => {
  const assets = await withFlagsPrinted(await fakePrograms());
  const environment = await createTestEnvironment({ use: 'binaries', assets });
  const [, data = ''] = /--data-dir=(\S+)/.exec(environment.logs()['etcd'] ?? '') ?? [];
  const folder = dirname(data);
  const names = await readdir(folder);
  expect(names).toContain('admin.kubeconfig');
  for (const name of ['', ...names]) {
    const { mode } = await stat(join(folder, name));
    expect([name, mode & 0o077]).toEqual([name, 0]);
  }
  await environment.stop();
  await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  await rm(assets, { recursive: true });
});
