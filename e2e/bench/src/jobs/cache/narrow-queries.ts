import { createClient } from '@keelson/client';
import { createInformerCache, type Sharing } from '@keelson/informer';
import { clusterFor } from '../../views/keelson-view.ts';
import { customKind } from '../../servers/custom-kind.ts';
import { cpuSeconds } from '../../processes/process-cost.ts';
import { countReceivedBytes } from '../../processes/sockets.ts';
import type { Job } from '../../servers/protocol.ts';

const MEGABYTE = 1024 * 1024;

/**
 * Measures narrow queries beside a wide one, as views of the wide watch or with a watch each: bytes that arrive and
 * processor time, first of their sync, then of one change of every object.
 */
export const narrowQueries: Job = async ({ options, server, ask }) => {
  const [queries, objects] = [Number(options['queries']), Number(options['objects'])];
  const sharing = String(options['sharing']) as Sharing;
  const received = countReceivedBytes();
  const client = createClient({ cluster: clusterFor({ server, tls: false }) });
  const cache = createInformerCache({ listerWatcher: (query) => client.listerWatcher(query) });
  const resource = customKind(0);
  const changed = Promise.withResolvers<void>();
  const expected = objects + (objects / 20) * queries;
  let changes = 0;
  const onEvent = ({ type }: { readonly type: string }): void => {
    if (type === 'updated' && ++changes === expected) changed.resolve();
  };
  const wide = cache.acquire({ resource }, { owner: 'wide' });
  await wide.addEventHandler(onEvent).synced;
  const measured = async (work: () => Promise<unknown>): Promise<[number, number]> => {
    const [bytes, cpu] = [received(), cpuSeconds()];
    await work();
    return [(received() - bytes) / MEGABYTE, cpuSeconds() - cpu];
  };
  const [syncMegabytes, syncCpu] = await measured(async () => {
    for (let n = 0; n < queries; n++) {
      const query = { resource, labelSelector: `app=app-${n}`, sharing };
      await cache.acquire(query, { owner: 'narrow' }).addEventHandler(onEvent).synced;
    }
  });
  const [changeMegabytes, changeCpu] = await measured(() =>
    Promise.all([ask({ name: 'burst' }), changed.promise]),
  );
  const changeMicros = (changeCpu * 1e6) / objects;
  return { syncMegabytes, syncCpu: syncCpu * 1000, changeMegabytes, changeMicros };
};
