import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { until } from '@keelson/example-support';
import { builtin, createClient, createLogger, type Client, type Manager } from '@keelson/manager';
import { createOperator } from './operator.ts';
import { Work } from './work.ts';

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

function replica(name: string): Manager {
  return createOperator(name, {
    cluster: { server: server.url },
    logger: createLogger({ level: 'silent' }),
    stopSignals: [],
    leaderElection: { lease: 'worker', namespace: 'default', identity: name },
  });
}

describe('the operator with two replicas', () => {
  test('one replica handles all objects, and the other continues after its stop', async () => {
    const work = new Work(client, 'default');
    const handled = async (name: string): Promise<string | undefined> => {
      const key = { namespace: 'default', name };
      const found = await until(client, builtin.ConfigMap, key, (object) => {
        return object?.data?.['handledBy'] !== undefined;
      });
      return found?.data?.['handledBy'];
    };
    await using first = replica('a');
    const firstEnded = first.start();
    await first.started;
    await using second = replica('b');
    const secondEnded = second.start();
    await work.add();
    expect(await handled('work-1')).toBe('a');
    await first.stop();
    await work.add();
    expect(await handled('work-2')).toBe('b');
    await second.stop();
    await Promise.all([firstEnded, secondEnded]);
  });
});
