import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type RawResponse, RawClient } from '../server/raw-client.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

function nested(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`;
}

type Send = (client: RawClient, value: string) => Promise<RawResponse>;

const writes: readonly (readonly [string, Send])[] = [
  ['create', (client, value) => client.post(maps, `{"metadata":{"name":"b"},"x":${value}}`)],
  ['update', (client, value) => client.put(`${maps}/a`, `{"metadata":{"name":"a"},"x":${value}}`)],
  ['merge patch', (client, value) => client.patch(`${maps}/a`, 'merge', `{"x":${value}}`)],
  ['strategic patch', (client, value) => client.patch(`${maps}/a`, 'strategic', `{"x":${value}}`)],
  [
    'JSON patch',
    (client, value) =>
      client.patch(`${maps}/a`, 'json', `[{"op":"add","path":"/x","value":${value}}]`),
  ],
  [
    'apply',
    (client, value) =>
      client.patch(
        `${maps}/a?fieldManager=m`,
        'apply',
        `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"x":${value}}`,
      ),
  ],
  [
    'create in YAML',
    (client, value) =>
      client.send('POST', maps, `metadata: {name: b}\nx: ${value}`, {
        'content-type': 'application/yaml',
      }),
  ],
  ['review', (client, value) => client.post(reviews, `{"spec":{"x":${value}}}`)],
];

async function withMap(): Promise<[ApiServer, RawClient]> {
  const server = await createApiServer();
  const client = new RawClient(server);
  await client.post(maps, { metadata: { name: 'a' } });
  return [server, client];
}

describe('request body', () => {
  test.each(writes)(
    'a request body of %s with too deep nesting is refused with 400',
    async (_name, send) => {
      const [server, client] = await withMap();
      await using _ = server;
      const { body } = await send(client, nested(10_001));
      expect([body.code, body.reason]).toEqual([400, 'BadRequest']);
      expect(body.message).toMatch(/exceeded max depth/);
    },
  );

  test.each(writes)(
    'of %s below the nesting limit causes no internal error',
    async (_name, send) => {
      const [server, client] = await withMap();
      await using _ = server;
      const { body } = await send(client, nested(9_000));
      expect(body.message ?? '').not.toMatch(/Internal error|call stack/);
      expect((await client.get(`${maps}/a`)).code).toBe(200);
    },
  );

  test('may contain any number of brackets in strings', async () => {
    const [server, client] = await withMap();
    await using _ = server;
    const data = { a: `\\"${'['.repeat(20_000)}\\` };
    const { code, body } = await client.put(`${maps}/a`, { metadata: { name: 'a' }, data });
    expect([code, body.data]).toEqual([200, data]);
  });
});
