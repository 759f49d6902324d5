// #region test
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestEnvironment, type TestEnvironment } from '@keelson/envtest';
import { builtin, createLogger, type Manager } from '@keelson/manager';
import { ConfigMapGenerator } from './custom-resource.ts';
import { createOperator } from './operator.ts';

let environment: TestEnvironment;
let operator: Manager;
let running: Promise<void>;

const startup = { timeout: 60_000 };

before(async () => {
  environment = await createTestEnvironment();
  await environment.installCrds(['crd.yaml']);
  operator = createOperator({
    cluster: environment.admin.cluster,
    logger: createLogger({ level: 'warn' }),
    stopSignals: [],
  });
  running = operator.start();
  await Promise.race([operator.started, running]);
}, startup);

after(async () => {
  await operator?.stop(); // nothing is there if `before` failed early
  await running;
  await environment?.stop();
});

test('a generator gets its ConfigMap', async () => {
  const { client } = operator;
  const metadata = { namespace: 'default', name: 'colours' };
  await client.create(ConfigMapGenerator, { metadata, spec: { entries: { sky: 'blue' } } });
  const only = { namespace: 'default', fieldSelector: 'metadata.name=colours' };
  for await (const event of client.watch(builtin.ConfigMap, only)) {
    if (event.type !== 'ADDED') continue;
    assert.deepEqual(event.object.data, { sky: 'blue' });
    break;
  }
});

test('a ConfigMap that is deleted comes back', async () => {
  const { client } = operator;
  const metadata = { namespace: 'default', name: 'shapes' };
  await client.create(ConfigMapGenerator, { metadata, spec: { entries: { sun: 'round' } } });
  const only = { namespace: 'default', fieldSelector: 'metadata.name=shapes' };
  let added = 0;
  for await (const event of client.watch(builtin.ConfigMap, only)) {
    if (event.type !== 'ADDED') continue;
    added += 1;
    if (added === 2) break;
    await client.delete(builtin.ConfigMap, metadata);
  }
  assert.equal(added, 2);
});
// #endregion
