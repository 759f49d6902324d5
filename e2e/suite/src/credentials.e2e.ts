import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient, type Cluster } from '@keelson/client';
import { openCache } from './open-cache.ts';
import { refusal } from './refusal.ts';
import { ServiceAccount } from './service-account.ts';
import { openSuite } from './suite.ts';
import { reaches } from './watch-states.ts';

const suite = openSuite();

describe('a token', () => {
  let account: ServiceAccount;
  let namespace: string;

  beforeAll(async () => {
    namespace = await suite.namespace();
    account = await ServiceAccount.create(suite, namespace);
    await account.allow({ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] });
  });

  const ask = async (proof: Pick<Cluster, 'token' | 'credentials'>): Promise<unknown> => {
    await using client = createClient({ cluster: account.as(proof) });
    return await client.list(builtin.ConfigMap, { namespace });
  };

  test('lets in whom it was made for', async () => {
    await expect(ask({ token: await account.token() })).resolves.toMatchObject({
      kind: 'ConfigMapList',
    });
  });

  test.each([
    ['that is none', async () => 'not-a-token'],
    ['for another audience', () => account.token(['https://elsewhere.example.com'])],
  ])('%s is refused: UNAUTHORIZED', async (_what, make) => {
    const token = await make();
    expect(await refusal(ask({ token }))).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('RF45 that is refused is replaced once, and the watch goes live with the new one', async () => {
    const asked: boolean[] = [];
    const good = await account.token();
    const credentials: Cluster['credentials'] = async ({ force }) => {
      asked.push(force);
      return { headers: { authorization: `Bearer ${force ? good : 'expired'}` } };
    };
    await using opened = openCache(account.as({ credentials }));
    const query = { resource: builtin.ConfigMap, namespace };
    using handle = opened.cache.acquire(query, { owner: 'suite' });
    await reaches(handle, 'live');
    expect(asked.filter(Boolean)).toEqual([true]);
  });
});
