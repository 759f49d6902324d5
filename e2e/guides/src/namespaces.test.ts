import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { eventually, running, silent } from './testing/fixtures.test-support.ts';

describe('the guide to namespaces', () => {
  test('watches the namespaces of the text only', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    for (const name of ['shop', 'warehouse', 'other']) {
      await client.create(builtin.Namespace, { metadata: { name } });
      await client.create(builtin.ConfigMap, { metadata: { namespace: name, name: 'a' } });
    }
    const seen: string[] = [];
    const options = { cluster: server.cluster, logger: silent, stopSignals: [] };
    const manager = createOperator('shop, warehouse', options);
    manager.addController({
      name: 'maps',
      for: builtin.ConfigMap,
      async reconcile({ namespace = '' }) {
        seen.push(namespace);
      },
    });
    await running(manager);
    await eventually(() => seen.includes('shop') && seen.includes('warehouse'));
    const { sources } = manager.declaredAccess();
    const watched = sources.map(({ namespace = '' }) => namespace);
    expect(new Set(watched)).toEqual(new Set(['shop', 'warehouse']));
    await manager.stop();
    expect(seen).not.toContain('other');
  });
});

import {
  builtin,
  createManager,
  watchNamespaces,
  type Manager,
  type ManagerOptions,
} from '@keelson/manager';

// #region create
function createOperator(names: string | undefined, options: ManagerOptions): Manager {
  return createManager({ ...watchNamespaces(names), ...options });
}
// #endregion
