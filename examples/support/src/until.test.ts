import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { builtin, createClient, type Client } from '@keelson/manager';
import { until } from './until.ts';

const name = { namespace: 'default', name: 'one' };

describe('until', () => {
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    server = await createApiServer();
    client = createClient({ cluster: { server: server.url } });
  });

  afterEach(async () => {
    await client.close();
    await server.close();
  });

  const write = (value: string): Promise<unknown> =>
    client.apply(builtin.ConfigMap, { metadata: name, data: { value } });

  test('resolves at once with an object that is in the state', async () => {
    await write('a');
    const object = await until(client, builtin.ConfigMap, name, (found) => found !== undefined);
    expect(object?.data).toEqual({ value: 'a' });
    expect(server.stats.watches(builtin.ConfigMap)).toBe(0);
  });

  test('waits for a state that is still to come, and for the end of an object', async () => {
    const reached = until(
      client,
      builtin.ConfigMap,
      name,
      (found) => found?.data?.['value'] === 'b',
    );
    await write('a');
    await write('b');
    expect((await reached)?.data).toEqual({ value: 'b' });
    const gone = until(client, builtin.ConfigMap, name, (found) => found === undefined);
    await client.delete(builtin.ConfigMap, name);
    expect(await gone).toBeUndefined();
  });

  test('gives up by name when the state does not come', async () => {
    const waiting = until(client, builtin.ConfigMap, name, (found) => found !== undefined, {
      timeout: 20,
    });
    await expect(waiting).rejects.toThrow('ConfigMap one is not as expected after 20 ms');
  });
});
