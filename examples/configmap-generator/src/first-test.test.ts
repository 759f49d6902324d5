// #region test
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { builtin, createLogger, type Manager } from '@keelson/manager';
import { configMapGeneratorDefinition } from './custom-resource-definition.ts';
import { ConfigMapGenerator } from './custom-resource.ts';
import { createOperator } from './operator.ts';

let server: ApiServer;
let operator: Manager;
let running: Promise<void>;

beforeAll(async () => {
  server = await createApiServer();
  const logger = createLogger({ level: 'silent' });
  operator = createOperator({ cluster: server.cluster, logger, stopSignals: [] });
  await operator.client.create(builtin.CustomResourceDefinition, configMapGeneratorDefinition);
  running = operator.start();
  await operator.started;
});

afterAll(async () => {
  await operator.stop();
  await running;
  await server.close();
});

test('a generator gets its ConfigMap', async () => {
  const { client } = operator;
  const metadata = { namespace: 'default', name: 'colours' };
  await client.create(ConfigMapGenerator, { metadata, spec: { entries: { sky: 'blue' } } });
  for await (const event of client.watch(builtin.ConfigMap, { namespace: 'default' })) {
    if (event.type !== 'ADDED') continue;
    expect(event.object.data).toEqual({ sky: 'blue' });
    break;
  }
});
// #endregion
