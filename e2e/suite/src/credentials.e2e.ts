import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient, loadCluster, type Cluster } from '@keelson/client';
import { EventHistory, stateOf } from './event-history.ts';
import { foreignCertificate } from './foreign-certificate.ts';
import { openCache } from './open-cache.ts';
import { errorOf } from './error-of.ts';
import { ServiceAccount, type Proof } from './service-account.ts';
import { openSuite, testWithControls } from './suite.ts';
import { untilRefused } from './until-refused.ts';
import { reachesState } from './reaches-state.ts';

const suite = openSuite();
let account: ServiceAccount;
let namespace: string;

beforeAll(async () => {
  namespace = await suite.namespace();
  account = await ServiceAccount.create(suite, namespace);
  await account.allow({ apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['*'] });
});

const ask = async (proof: Proof): Promise<unknown> => {
  await using client = createClient({ cluster: account.as(proof) });
  return await client.list(builtin.ConfigMap, { namespace });
};

const write = (name: string): Promise<unknown> => {
  const metadata = { namespace, name };
  const kinds = [builtin.ConfigMap, builtin.Secret];
  return Promise.all(kinds.map((kind) => suite.client.apply(kind, { metadata })));
};

describe('a client certificate', () => {
  test('of an unknown authority is rejected: UNAUTHORIZED', async () => {
    const tls = await foreignCertificate();
    expect(await errorOf(ask({ tls }))).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('of an unknown authority does not prevent the use of a token', async () => {
    const tls = await foreignCertificate();
    const response = await ask({ tls, token: await account.token() });
    expect(response).toMatchObject({ kind: 'ConfigMapList' });
  });
});

describe('a token', () => {
  test('authenticates its own user', async () => {
    const response = await ask({ token: await account.token() });
    expect(response).toMatchObject({ kind: 'ConfigMapList' });
  });

  test.each([
    ['that is malformed', async () => 'not-a-token'],
    ['for another audience', () => account.token({ audiences: ['https://elsewhere.example.com'] })],
  ])('%s is rejected: UNAUTHORIZED', async (_what, make) => {
    const token = await make();
    expect(await errorOf(ask({ token }))).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('RF45 that is rejected is refreshed once, and the watch becomes live with the new token', async () => {
    const asked: boolean[] = [];
    const good = await account.token();
    const credentials: Cluster['credentials'] = async ({ force }) => {
      asked.push(force);
      return { headers: { authorization: `Bearer ${force ? good : 'expired'}` } };
    };
    await using opened = openCache(account.as({ credentials }));
    const query = { resource: builtin.ConfigMap, namespace };
    using handle = opened.cache.acquire(query, { owner: 'suite' });
    await reachesState(handle, 'live');
    expect(asked.filter(Boolean)).toEqual([true]);
  });

  test('in use is rejected after its bound object or its account is deleted', async () => {
    const secret = { namespace, name: 'bound' };
    await suite.client.create(builtin.Secret, { metadata: secret });
    const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: 'bound' };
    const bound = account.as({ token: await account.token({ boundObjectRef }) });
    const renewed: boolean[] = [];
    const first = await account.token();
    const credentials: Cluster['credentials'] = async ({ force }) => {
      if (force) renewed.push(force);
      return { headers: { authorization: `Bearer ${force ? await account.token() : first}` } };
    };
    await using holder = createClient({ cluster: bound });
    await using impostor = createClient({ cluster: account.as({ token: first }) });
    await using renewing = createClient({ cluster: account.as({ credentials }) });
    const clients = [holder, impostor, renewing];
    for (const client of clients) await client.list(builtin.ConfigMap, { namespace });
    await suite.client.delete(builtin.Secret, secret);
    await untilRefused(holder, namespace);
    await account.replace();
    await untilRefused(impostor, namespace);
    await renewing.list(builtin.ConfigMap, { namespace });
    expect(renewed).toEqual([true]);
  });
});

describe('a token in a file', () => {
  let file: string;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-e2e-token-'));
    suite.defer(() => rm(folder, { recursive: true }));
    file = join(folder, 'token');
  });

  const clusterOfFile = (): Promise<Cluster> => {
    const config = JSON.parse(suite.kubeconfig) as { users: { user: object }[] };
    config.users = config.users.map((each) => ({ ...each, user: { tokenFile: file } }));
    return loadCluster({ kubeConfig: JSON.stringify(config) });
  };

  testWithControls(
    'RF45 that expires is read again once for all watches, and an informer loses no event',
    async () => {
      const refreshes: boolean[] = [];
      await using opened = openCache(
        await clusterOfFile(),
        {},
        { credentialsRefreshed: ({ changed }) => void refreshes.push(changed) },
      );
      const expiring = await suite.controls.issueToken({ ...account.key, expiresIn: '5s' });
      await writeFile(file, expiring, { mode: 0o600 });
      const watched = [builtin.ConfigMap, builtin.Secret].map((resource) => {
        const handle = opened.cache.acquire({ resource, namespace }, { owner: 'suite' });
        const history = new EventHistory();
        handle.addEventHandler(history.handler);
        return { resource, history };
      });
      const received = (name: string): Promise<unknown> =>
        Promise.all(watched.map(({ history }) => history.received(`${namespace}/${name}`)));
      await write('before');
      await received('before');
      await using expired = createClient({ cluster: account.as({ token: expiring }) });
      await untilRefused(expired, namespace);
      await writeFile(file, await account.token());
      await write('meanwhile');
      await suite.controls.restart('kube-apiserver');
      await write('after');
      await received('after');
      // On a slow machine the file is read by the regular check, every 10 s, before a request is rejected.
      expect([[true], []]).toContainEqual(refreshes);
      for (const { resource, history } of watched) {
        const { items } = await suite.client.list(resource, { namespace });
        expect(history.state).toEqual(stateOf(items));
        expect(history.complaints).toEqual([]);
      }
    },
  );
});
