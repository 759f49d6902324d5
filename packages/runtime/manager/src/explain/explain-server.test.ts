import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import { eventually, objectOf, running, silent } from '../testing/fixtures.test-support.ts';

const { ConfigMap } = builtin;

let server: ApiServer;
let manager: Manager;

beforeEach(async () => {
  server = await createApiServer({});
  manager = createManager({
    cluster: server.cluster,
    logger: silent,
    stopSignals: [],
    gracePeriod: 0,
  });
});

afterEach(async () => {
  await manager.stop();
  await server.close();
});

describe('explain with an API server', () => {
  test('names the requests of each run, and no requests of others', async () => {
    const request = { namespace: 'default', name: 'a' };
    const controller = manager.addController({
      name: 'config',
      for: ConfigMap,
      async reconcile({ namespace, name }, { client }) {
        await client.get(ConfigMap, { namespace, name });
        await client.get(ConfigMap, { namespace, name: 'missing' }).catch(() => undefined);
      },
    });
    await running(manager);
    await manager.client.create(ConfigMap, objectOf(ConfigMap, 'a'));
    await eventually(() => controller.explain(request).runs[0]?.duration !== undefined);
    expect(controller.explain(request).runs[0]).toMatchObject({
      callCount: 2,
      calls: [
        { verb: 'get', path: '/api/v1/namespaces/default/configmaps/a', code: 200 },
        { verb: 'get', path: '/api/v1/namespaces/default/configmaps/missing', code: 404 },
      ],
    });
    expect(controller.explain(request).text).toContain('configmaps/missing: 404');
    const [call] = controller.explain(request).runs[0]?.calls ?? [];
    Object.assign(call as object, { path: 'changed' });
    expect(controller.explain(request).text).not.toContain('changed');
  });

  test('reads the field managers of the objects on demand', async () => {
    const controller = manager.addController({
      name: 'config',
      for: ConfigMap,
      reconcile: () => undefined,
    });
    await running(manager);
    const writer = manager.client.withFieldManager('kubectl-edit');
    const request = { namespace: 'default', name: 'a' };
    await writer.apply(ConfigMap, objectOf(ConfigMap, 'a', { data: { a: '1' } }));
    await eventually(() => controller.explain(request).runs[0]?.duration !== undefined);
    expect(await controller.explain(request).writers()).toEqual([
      {
        source: 'for ConfigMap',
        object: 'default/a',
        resourceVersion: expect.any(String),
        managers: [expect.objectContaining({ manager: 'kubectl-edit', operation: 'Apply' })],
      },
    ]);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(controller.explain(request).writers({ signal })).rejects.toThrow('enough');
    await writer.delete(ConfigMap, request);
    expect(await controller.explain(request).writers()).toEqual([]);
  });
});
