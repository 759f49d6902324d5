import { describe, expect } from '@jest/globals';
import { builtin, hasCode, isNotFound, type ObjectOf } from '@keelson/apimachinery';
import type { ControlPlaneControls } from '@keelson/envtest';
import { createManager } from '@keelson/manager';
import { EventHistory, stateOf } from './event-history.ts';
import { openCache } from './open-cache.ts';
import { runManager } from './running-manager.ts';
import { openSuite, testWithControls } from './suite.ts';

const suite = openSuite();
const labels = { churn: 'yes' };
const selection = { labelSelector: 'churn=yes' };

/** What happens to the control plane while `busy` goes on writing. */
type Trouble = (controls: ControlPlaneControls, busy: () => Promise<void>) => Promise<void>;

const troubles: readonly (readonly [string, Trouble])[] = [
  [
    'a restart of the API server',
    async (controls, busy) => {
      await Promise.all([controls.restart('kube-apiserver'), busy()]);
    },
  ],
  [
    'an API server that is frozen for a while',
    async (controls, busy) => {
      await controls.pause('kube-apiserver');
      const writing = busy();
      await controls.resume('kube-apiserver');
      await writing;
    },
  ],
  [
    'the loss and return of etcd',
    async (controls, busy) => {
      await controls.stop('etcd');
      const writing = busy();
      await controls.start('etcd');
      await writing;
    },
  ],
  [
    'an etcd that is frozen for a while',
    async (controls, busy) => {
      await controls.pause('etcd');
      const writing = busy();
      await controls.resume('etcd');
      await writing;
    },
  ],
  [
    'a past that is forgotten',
    async (controls, busy) => {
      await Promise.all([controls.compact(), busy()]);
    },
  ],
];

/** Asks until the server has done it: meanwhile it may be away. */
async function persistently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    // After a test that has failed nobody is left to ask.
    if (hasCode(error, 'CLIENT_CLOSED')) throw error;
    return persistently(ask);
  }
}

describe.each(troubles)('%s', (_what, trouble) => {
  const write = (namespace: string, name: string, value: string): Promise<unknown> =>
    persistently(() =>
      suite.client.apply(builtin.ConfigMap, {
        metadata: { namespace, name, labels },
        data: { value },
      }),
    );

  const remove = (namespace: string, name: string): Promise<unknown> =>
    persistently(async () => {
      try {
        await suite.client.delete(builtin.ConfigMap, { namespace, name });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });

  const churn = async (namespace: string, round: number): Promise<void> => {
    for (let index = 0; index < 20; index++) {
      await write(namespace, `c-${index}`, String(round));
      if (index % 5 === round) await remove(namespace, `c-${index}`);
      if (index % 10 === round) await write(namespace, `c-${index}`, 'again');
    }
  };

  testWithControls('SI36 an informer loses nothing and invents nothing', async () => {
    const namespace = await suite.namespace();
    await using opened = openCache(suite.cluster);
    const query = { resource: builtin.ConfigMap, namespace, ...selection };
    using handle = opened.cache.acquire(query, { owner: 'suite' });
    const history = new EventHistory();
    handle.addEventHandler(history.handler);
    await handle.synced;
    await churn(namespace, 0);
    await trouble(suite.controls, () => churn(namespace, 1));
    await churn(namespace, 2);
    await write(namespace, 'last', 'last');
    await history.heard(`${namespace}/last`);
    const { items } = await suite.client.list(builtin.ConfigMap, { namespace, ...selection });
    expect(history.state).toEqual(stateOf(items));
    expect(stateOf(handle.store.list() as typeof items)).toEqual(stateOf(items));
    expect(history.complaints).toEqual([]);
  });

  testWithControls('a manager goes on reconciling', async () => {
    const namespace = await suite.namespace();
    await using _ = await runManager(suite.cluster, (options) => {
      const manager = createManager(options);
      manager.addController({
        name: 'copier',
        for: { resource: builtin.ConfigMap, namespace, ...selection },
        reconcile: async ({ name }, { cache, client, signal }) => {
          const data = cache.get(builtin.ConfigMap, { namespace, name })?.data;
          if (data === undefined) return;
          const metadata = { namespace, name: `${name}-copy` };
          await client.apply(builtin.ConfigMap, { metadata, data }, { signal });
        },
      });
      return manager;
    });
    await using opened = openCache(suite.cluster);
    const query = { resource: builtin.ConfigMap, namespace };
    using handle = opened.cache.acquire(query, { owner: 'suite' });
    const copies = new EventHistory<ObjectOf<typeof builtin.ConfigMap>>();
    handle.addEventHandler(copies.handler);
    const copied = (name: string, value: string): Promise<void> =>
      copies.until(() => {
        const copy = handle.store.get({ namespace, name: `${name}-copy` });
        return copy?.data?.['value'] === value;
      });
    await write(namespace, 'before', '1');
    await copied('before', '1');
    await trouble(suite.controls, async () => {
      await write(namespace, 'before', '2');
      await write(namespace, 'during', '1');
    });
    await write(namespace, 'after', '1');
    await Promise.all([copied('before', '2'), copied('during', '1'), copied('after', '1')]);
  });
});
