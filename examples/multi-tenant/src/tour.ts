import { until } from '@keelson/example-support';
import { builtin, type Client } from '@keelson/manager';
import { reported, services, Tenant } from './custom-resources.ts';

/** Adds 19 tenants, orders services for two of them, and removes one while the others continue. */
export async function tour(client: Client, say: (line: string) => void): Promise<void> {
  const tenants = Array.from({ length: 19 }, (_, index) => `tenant-${index + 1}`);
  const untilReport = (namespace: string, orders: number): Promise<unknown> =>
    until(client, builtin.ConfigMap, { namespace, name: 'report' }, (report) => {
      const counts = Object.values(report?.data ?? {}).map(Number);
      return counts.reduce((sum, count) => sum + count, 0) === orders;
    });
  const order = async (namespace: string): Promise<void> => {
    for (const kind of services) {
      const metadata = { namespace, name: 'first', labels: { [reported]: 'true' } };
      await client.create(kind, { metadata, spec: { size: 1 } });
    }
    await untilReport(namespace, services.length);
  };

  for (const name of tenants)
    await client.create(Tenant, { metadata: { name }, spec: { weight: 1 } });
  for (const name of tenants) {
    await until(client, builtin.Namespace, { name }, (found) => found !== undefined);
  }
  say(
    `created ${tenants.length} tenants: with 30 kinds of services, 50 controllers run in one process`,
  );

  await order('tenant-1');
  say('tenant-1 ordered one service of each kind: all 30 are in its report');
  await order('tenant-2');
  say(
    'tenant-2 did the same: its report has 30 too, not 60, because it sees its own services only',
  );

  await client.delete(Tenant, { name: 'tenant-1' });
  await until(client, Tenant, { name: 'tenant-1' }, (found) => found === undefined);
  const [App] = services;
  if (App === undefined) return;
  await client.delete(App, { namespace: 'tenant-2', name: 'first' });
  await untilReport('tenant-2', services.length - 1);
  say('removed tenant-1: its controller has stopped, and that of tenant-2 continues');
}
