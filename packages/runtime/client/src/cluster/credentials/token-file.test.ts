import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '../../verbs/create-client.ts';
import { loadCluster } from '../kubeconfig/kubeconfig.ts';
import { kubeConfigOf, openFolder, type Folder } from '../../testing/kubeconfig.test-support.ts';
import {
  json,
  rejection,
  startServer,
  status,
} from '../../testing/recording-server.test-support.ts';

type Rotation = (folder: Folder) => Promise<unknown>;

const rotations: Readonly<Record<string, Rotation>> = {
  empty: (folder) => folder.file('token', ''),
  'only a line break': (folder) => folder.file('token', '\n'),
  missing: (folder) => rm(path.join(folder.path, 'token')),
  'half of two lines': (folder) => folder.file('token', 'a\nb'),
};

async function load(folder: Folder, server?: string) {
  const user = { tokenFile: path.join(folder.path, 'token') };
  return loadCluster({ kubeConfig: kubeConfigOf(user, server === undefined ? {} : { server }) });
}

describe('a token file', () => {
  test.each(Object.entries(rotations))(
    'that is %s during a rotation leaves the last token in use',
    async (_what, rotate) => {
      await using folder = await openFolder();
      await folder.file('token', 'first\n');
      const cluster = await load(folder);
      const fetched = async (force: boolean): Promise<unknown> =>
        (await cluster.credentials?.({ force }))?.headers;
      expect(await fetched(false)).toEqual({ authorization: 'Bearer first' });
      await rotate(folder);
      expect(await fetched(false)).toEqual({ authorization: 'Bearer first' });
      expect(await fetched(true)).toEqual({ authorization: 'Bearer first' });
      await folder.file('token', 'second\n');
      expect(await fetched(false)).toEqual({ authorization: 'Bearer second' });
    },
  );

  test.each(Object.entries(rotations))(
    'that is %s from the start fails the request instead of sending it without credentials',
    async (_what, rotate) => {
      await using folder = await openFolder();
      await using server = await startServer((_request, response) =>
        json(response, { metadata: {} }),
      );
      await folder.file('token', 'first');
      await rotate(folder);
      await using client = createClient({ cluster: await load(folder, server.url), retry: false });
      expect(await rejection(client.get(builtin.Node, { name: 'a' }))).toMatchObject({
        code: 'CREDENTIALS_FAILED',
        facts: { kind: 'tokenFile' },
      });
      expect(server.requests).toEqual([]);
    },
  );

  test('RF45 that is empty while its token is refused never leads to a request without credentials', async () => {
    await using folder = await openFolder();
    await using server = await startServer((_request, response) =>
      status(response, 401, 'Unauthorized'),
    );
    await folder.file('token', 'old');
    await using client = createClient({ cluster: await load(folder, server.url) });
    expect(await rejection(client.get(builtin.Node, { name: 'a' }))).toMatchObject({
      code: 'UNAUTHORIZED',
    });
    await folder.file('token', '');
    await rejection(client.get(builtin.Node, { name: 'a' }));
    const sent = new Set(server.requests.map(({ headers }) => headers.authorization));
    expect(sent).toEqual(new Set(['Bearer old']));
  });
});
