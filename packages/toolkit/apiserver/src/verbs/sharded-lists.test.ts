import { describe, expect, test } from '@jest/globals';
import { fieldHash } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const maps = '/api/v1/configmaps';
const lower = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
const upper = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";

const sharded = (selector: string): string => `shardSelector=${encodeURIComponent(selector)}`;

const isLower = ({ metadata }: Json): boolean => fieldHash(metadata.uid).high < 2 ** 31;

const names = (list: Json): string[] => list.items.map(({ metadata }: Json) => metadata.name);

async function seeded(ShardedListAndWatch: boolean): Promise<ApiServer> {
  const server = await createApiServer({ featureGates: { ShardedListAndWatch } });
  const metadata = { namespace: 'default' };
  server.seed(
    Array.from({ length: 20 }, (_, at) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, name: `m-${String(at).padStart(2, '0')}` },
    })),
  );
  return server;
}

describe('shardSelector with the gate ShardedListAndWatch', () => {
  test('selects by ranges of the hash of the uid, and echoes the selector', async () => {
    await using server = await seeded(true);
    const client = new RawClient(server);
    const all = (await client.get(maps)).body;
    const { body } = await client.get(`${maps}?${sharded(lower)}`);
    expect(names(body)).toEqual(names({ items: all.items.filter(isLower) }));
    expect(body.metadata.shardInfo).toEqual({ selector: lower });
    const both = (await client.get(`${maps}?${sharded(`${lower}||${upper}`)}`)).body;
    expect(names(both)).toEqual(names(all));
    expect(both.metadata.shardInfo).toEqual({ selector: `${lower} || ${upper}` });
  });

  test('pages count the remaining objects of all shards, as in kube-apiserver', async () => {
    await using server = await seeded(true);
    const client = new RawClient(server);
    const query = `${maps}?limit=3&${sharded(lower)}`;
    const whole = names((await client.get(`${maps}?${sharded(lower)}`)).body);
    const seen: string[] = [];
    let page = (await client.get(query)).body;
    expect(page.metadata.remainingItemCount).toBe(17);
    for (;;) {
      seen.push(...names(page));
      const token: string | undefined = page.metadata.continue;
      if (token === undefined) break;
      page = (await client.get(`${query}&continue=${token}`)).body;
    }
    expect(seen).toEqual(whole);
  });

  test('a watch sends the events of its range alone', async () => {
    await using server = await seeded(true);
    const client = new RawClient(server);
    const { body } = await client.get(maps);
    const { resourceVersion } = body.metadata;
    const [inside, outside] = [body.items.find(isLower), body.items.find((o: Json) => !isLower(o))];
    for (const { metadata } of [outside, inside]) {
      await client.delete(`/api/v1/namespaces/default/configmaps/${metadata.name}`);
    }
    const watch = `${maps}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}&${sharded(lower)}`;
    const events = (await client.get(watch)).text.trim().split('\n');
    const seen: Json[] = events.map((line) => JSON.parse(line));
    expect(seen.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ['DELETED', inside.metadata.name],
    ]);
  });

  test('refuses an invalid selector with 500', async () => {
    await using server = await seeded(true);
    const { code, body } = await new RawClient(server).get(`${maps}?${sharded('a && b')}`);
    expect([code, body.message]).toEqual([
      500,
      'invalid shard selector: unsupported function "_&&_"; only shardRange() and || are allowed',
    ]);
  });
});

describe('shardSelector without the gate', () => {
  test.each([lower, 'garbage'])('is ignored: %s', async (selector) => {
    await using server = await seeded(false);
    const { body } = await new RawClient(server).get(`${maps}?${sharded(selector)}`);
    expect(body.items).toHaveLength(20);
    expect(Object.keys(body.metadata)).toEqual(['resourceVersion']);
  });
});

test.each([{ Other: true }, { ShardedListAndWatch: 1 }, []])(
  'refuses the feature gates %j',
  async (featureGates) => {
    await expect(createApiServer({ featureGates: featureGates as object })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
  },
);
