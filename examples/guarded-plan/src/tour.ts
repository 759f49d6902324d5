import { until } from '@keelson/example-support';
import { isConflict, type Client } from '@keelson/manager';
import { GuardedService } from './custom-resource.ts';

const KEY = { namespace: 'default', name: 'shop' };

/** Starts a plan, tries to change it while it runs, and changes it after its end. `open` lets the batches continue. */
export async function tour(
  client: Client,
  open: () => void,
  say: (line: string) => void,
): Promise<void> {
  const change = (version: string): Promise<GuardedService> =>
    client.patch(GuardedService, KEY, { type: 'merge', body: { spec: { version } } });
  await client.create(GuardedService, { metadata: KEY, spec: { version: '1', batches: 2 } });
  await until(client, GuardedService, KEY, (found) => found?.status?.phase === 'Running');
  say('created shop in version 1: its plan runs');
  const refused: unknown = await change('2').catch((error: unknown) => error);
  if (!isConflict(refused)) throw new Error('the change was not refused');
  say(`changed it to version 2: ${String(refused)}`);
  open();
  await until(client, GuardedService, KEY, (found) => found?.status?.phase === 'Complete');
  say('the plan is complete');
  await change('2');
  await until(client, GuardedService, KEY, (found) => {
    return found?.status?.version === '2' && found.status.phase === 'Complete';
  });
  say('changed it to version 2: a plan ran, and is complete');
}
