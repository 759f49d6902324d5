import { describe, expect } from '@jest/globals';
import { builtin, isNotFound, type ObjectOf } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createManager } from '@keelson/manager';
import { EventHistory, stateOf } from './event-history.ts';
import { openCache } from './open-cache.ts';
import { Outage, type ControlPlaneFault } from './control-plane-outage.ts';
import { runManager } from './running-manager.ts';
import { openSuite, testWithControls } from './suite.ts';

const suite = openSuite();
const labels = { churn: 'yes' };
const selection = { labelSelector: 'churn=yes' };
/** Timeout of a request to a paused server, in milliseconds: a running control plane responds faster. */
const TIMEOUT_MS = 500;

const faults: readonly ControlPlaneFault[] = (['kube-apiserver', 'etcd'] as const).flatMap(
  (process) => [
    {
      what: `a restart of ${process}`,
      end: (controls) => controls.restart(process),
    },
    {
      what: `the loss and return of ${process}`,
      begin: (controls) => controls.stop(process),
      end: (controls) => controls.start(process),
    },
    {
      what: `a freeze of ${process}`,
      begin: (controls) => controls.pause(process),
      end: (controls) => controls.resume(process),
    },
  ],
);
const forgotten: ControlPlaneFault = {
  what: 'a compaction of the history',
  end: (controls) => controls.compact(),
};

/** Repeats a request until it succeeds. */
type Through = <Result>(ask: () => Promise<Result>) => Promise<Result>;

const atOnce: Through = (ask) => ask();

describe.each([...faults, forgotten])('$what', (fault) => {
  const write = (
    namespace: string,
    name: string,
    value: string,
    through = atOnce,
  ): Promise<unknown> =>
    through(() =>
      suite.client.apply(builtin.ConfigMap, {
        metadata: { namespace, name, labels },
        data: { value },
      }),
    );

  const remove = (namespace: string, name: string, through: Through): Promise<unknown> =>
    through(async () => {
      try {
        await suite.client.delete(builtin.ConfigMap, { namespace, name });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });

  const writeRound = async (namespace: string, round: number, through = atOnce): Promise<void> => {
    for (let index = 0; index < 20; index++) {
      const name = `c-${index}`;
      await write(namespace, name, String(round), through);
      if (index % 5 === round) await remove(namespace, name, through);
      if (index % 10 === round) await write(namespace, name, 'again', through);
    }
  };

  /** Runs an operation during the fault; the operation must succeed. */
  const endure = async (during: (through: Through) => Promise<unknown>): Promise<void> => {
    const outage = new Outage(fault, suite.controls);
    await using impatient = createClient({ cluster: suite.cluster, retry: false });
    await outage.begin(() =>
      impatient.get(builtin.Namespace, { name: 'default' }, { timeout: TIMEOUT_MS }),
    );
    await Promise.all([during(outage.outlast), outage.end()]);
  };

  testWithControls('SI36 an informer loses no event and emits no false event', async () => {
    const namespace = await suite.namespace();
    await using opened = openCache(suite.cluster);
    const query = { resource: builtin.ConfigMap, namespace, ...selection };
    using handle = opened.cache.acquire(query, { owner: 'suite' });
    const history = new EventHistory();
    handle.addEventHandler(history.handler);
    await handle.synced;
    await writeRound(namespace, 0);
    await endure((through) => writeRound(namespace, 1, through));
    await writeRound(namespace, 2);
    await write(namespace, 'last', 'last');
    await history.received(`${namespace}/last`);
    const { items } = await suite.client.list(builtin.ConfigMap, { namespace, ...selection });
    expect(history.state).toEqual(stateOf(items));
    expect(stateOf(handle.store.list() as typeof items)).toEqual(stateOf(items));
    expect(history.complaints).toEqual([]);
  });

  testWithControls('a manager continues to reconcile', async () => {
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
    await endure(async (through) => {
      await write(namespace, 'before', '2', through);
      await write(namespace, 'during', '1', through);
    });
    await write(namespace, 'after', '1');
    await Promise.all([copied('before', '2'), copied('during', '1'), copied('after', '1')]);
  });
});
