import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '../verbs/create-client.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import { kubeConfigOf, openFolder } from '../testing/kubeconfig.test-support.ts';
import { json } from '../testing/recording-server.test-support.ts';
import { loadCluster } from './kubeconfig/kubeconfig.ts';

const extension = { name: 'keelson.dev/development', extension: {} };
const server = 'http://127.0.0.1:1';

describe('a cluster of development', () => {
  test.each<[string, unknown, boolean | undefined]>([
    ['the extension', [{ name: 'other', extension: {} }, extension], true],
    ['another extension', [{ name: 'other', extension: {} }], undefined],
    ['no extension', undefined, undefined],
    ['invalid extensions', 'keelson.dev/development', undefined],
  ])('comes from a kubeconfig with %s: %#', async (_, extensions, development) => {
    const config = JSON.parse(kubeConfigOf({ token: 't' })) as object;
    const kubeConfig = JSON.stringify({ ...config, extensions });
    const cluster = await loadCluster({ kubeConfig });
    expect(cluster.development).toBe(development);
  });

  test('comes from any of several kubeconfigs', async () => {
    await using folder = await openFolder();
    const mark = { apiVersion: 'v1', kind: 'Config', extensions: [extension] };
    const files = [
      await folder.file('first', JSON.stringify(mark)),
      await folder.file('second', kubeConfigOf({ token: 't' })),
    ];
    const before = process.env['KUBECONFIG'];
    try {
      for (const order of [files, files.toReversed()]) {
        process.env['KUBECONFIG'] = order.join(':');
        expect((await loadCluster()).development).toBe(true);
      }
    } finally {
      if (before === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = before;
    }
  });

  test('is known to the lister-watchers of a client once the cluster is loaded', async () => {
    const query = { resource: builtin.ConfigMap };
    for (const development of [true, false, undefined]) {
      const member = development === undefined ? {} : { development };
      await using client = createClient({ cluster: { server, ...member } });
      expect(client.listerWatcher(query).isDevelopment()).toBe(development ?? false);
    }
    await using setup = await openClient((_request, response) => json(response, {}));
    const cluster = { server: setup.server.url, development: true };
    await using client = createClient({ cluster: async () => cluster, protobuf: false });
    const source = client.listerWatcher(query);
    expect(source.isDevelopment()).toBeUndefined();
    await client.request({ path: '/healthz' });
    expect(source.isDevelopment()).toBe(true);
  });

  test('is refused if `development` is not a boolean', () => {
    expect(() => createClient({ cluster: { server, development: 'yes' as never } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_CLUSTER',
        facts: { option: 'development', expected: 'true or false' },
      }),
    );
  });
});
