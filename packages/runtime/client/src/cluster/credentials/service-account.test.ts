import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { serverCertificate } from '../../testing/certificates.test-support.ts';
import { openFolder, type Folder } from '../../testing/kubeconfig.test-support.ts';
import { rejection } from '../../testing/recording-server.test-support.ts';
import { serviceAccountCluster, serviceUrl } from './service-account.ts';

const server = 'https://10.0.0.1:443';

async function openAccount(): Promise<Folder> {
  const folder = await openFolder();
  await folder.file('token', 'first\n');
  await folder.file('ca.crt', serverCertificate.cert);
  await folder.file('namespace', 'team\n');
  return folder;
}

describe('the service account of a Pod', () => {
  test('is read from three files and two environment variables', async () => {
    await using folder = await openAccount();
    const variables = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };
    expect(serviceUrl(variables)).toBe('https://[fd00::1]:6443');
    const cluster = await serviceAccountCluster(server, {}, folder.path);
    expect(cluster).toMatchObject({ server, namespace: 'team' });
    expect(await cluster.credentials?.({ force: false })).toEqual({
      headers: { authorization: 'Bearer first' },
      tls: { ca: serverCertificate.cert },
    });
  });

  test.each([{ KUBERNETES_SERVICE_HOST: 'h' }, { KUBERNETES_SERVICE_PORT: '1' }, {}])(
    'is not used with %j alone',
    (variables) => expect(serviceUrl(variables)).toBeUndefined(),
  );

  test.each(['token', 'ca.crt'])('keeps %s while the file is missing or empty', async (name) => {
    await using folder = await openAccount();
    const cluster = await serviceAccountCluster(server, {}, folder.path);
    const before = await cluster.credentials?.({ force: false });
    await folder.file(name, '');
    expect(await cluster.credentials?.({ force: true })).toEqual(before);
    await rm(path.join(folder.path, name));
    expect(await cluster.credentials?.({ force: false })).toEqual(before);
    await folder.file(name, 'rotated');
    expect(await cluster.credentials?.({ force: false })).not.toEqual(before);
  });

  test.each([
    ['token', ''],
    ['token', undefined],
    ['ca.crt', undefined],
    ['ca.crt', ''],
  ])('throws CREDENTIALS_FAILED if %s is %p from the start', async (name, text) => {
    await using folder = await openAccount();
    if (text === undefined) await rm(path.join(folder.path, name));
    else await folder.file(name, text);
    const cluster = await serviceAccountCluster(server, {}, folder.path);
    const fetched = Promise.resolve(cluster.credentials?.({ force: false }));
    expect(await rejection(fetched)).toMatchObject({
      code: 'CREDENTIALS_FAILED',
      facts: { kind: 'serviceAccount', folder: folder.path },
    });
  });

  test('uses the proxy of the environment', async () => {
    await using folder = await openAccount();
    const environment = { HTTPS_PROXY: 'http://proxy.example:3128' };
    const cluster = await serviceAccountCluster(server, environment, folder.path);
    expect(cluster.proxy).toBe('http://proxy.example:3128');
  });
});
