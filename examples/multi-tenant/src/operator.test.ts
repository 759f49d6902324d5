import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiServer } from '@keelson/apiserver';
import { startExample, until, type StartedExample } from '@keelson/example-support';
import { builtin, type ApiResource, type Client, type Manager } from '@keelson/manager';
import { definitions } from './custom-resource-definitions.ts';
import { reported, services, Tenant, type Service } from './custom-resources.ts';
import { createOperator } from './operator.ts';
import type { Provision } from './service-controllers.ts';
import { tour } from './tour.ts';

const { ConfigMap, Namespace } = builtin;
const [App, Job] = services as [ApiResource<Service>, ApiResource<Service>];

describe('multi-tenant', () => {
  let example: StartedExample;
  let server: ApiServer;
  let client: Client;
  let manager: Manager;
  /** Called for each service. */
  let provision: Provision;

  beforeEach(async () => {
    provision = async () => {};
    example = await startExample({
      definitions,
      createOperator: (options) => createOperator(options, (...service) => provision(...service)),
    });
    ({ client, server, operator: manager } = example);
  });

  afterEach(async () => {
    await example[Symbol.asyncDispose]();
  });

  const addTenant = async (name: string, weight = 1): Promise<void> => {
    await client.create(Tenant, { metadata: { name }, spec: { weight } });
    await until(client, Namespace, { name }, (found) => found !== undefined);
  };
  const order = (kind: ApiResource<Service>, namespace: string, name: string): Promise<Service> =>
    client.create(kind, {
      metadata: { namespace, name, labels: { [reported]: 'true' } },
      spec: { size: 1 },
    });
  const untilReport = (namespace: string, data: object): Promise<unknown> =>
    until(client, ConfigMap, { namespace, name: 'report' }, (report) => {
      return isDeepStrictEqual(report?.data ?? {}, data);
    });

  test('R0-22, R0-26, R2-02 50 controllers for 30 kinds run with one watch per kind', async () => {
    const tenants = Array.from({ length: 19 }, (_, index) => `tenant-${index}`);
    for (const name of tenants) await addTenant(name);
    for (const kind of services) await order(kind, 'tenant-7', 'one');
    await untilReport('tenant-7', Object.fromEntries(services.map(({ plural }) => [plural, '1'])));
    expect(new Set(controllersOf(manager)).size).toBe(50);
    for (const kind of services) {
      expect(server.stats.watches(kind)).toBe(1);
      expect(server.stats.lists(kind)).toBe(0);
    }
  });

  test('R2-01, R2-07 a tenant sees its own services with the label, as a view', async () => {
    await addTenant('red');
    await addTenant('blue');
    await order(App, 'red', 'one');
    await order(App, 'blue', 'one');
    await order(Job, 'blue', 'two');
    await client.create(App, { metadata: { namespace: 'red', name: 'hidden' }, spec: { size: 1 } });
    await untilReport('red', { apps: '1' });
    await untilReport('blue', { apps: '1', jobs: '1' });
    const label = { type: 'merge', body: { metadata: { labels: { [reported]: null } } } } as const;
    await client.patch(App, { namespace: 'blue', name: 'one' }, label);
    await untilReport('blue', { jobs: '1' });
  });

  test('R0-27 a tenant is added and removed while the others continue without a list', async () => {
    await addTenant('stays');
    await order(App, 'stays', 'one');
    await untilReport('stays', { apps: '1' });
    await addTenant('leaves');
    await order(App, 'leaves', 'one');
    await untilReport('leaves', { apps: '1' });
    await client.delete(Tenant, { name: 'leaves' });
    await until(client, Tenant, { name: 'leaves' }, (found) => found === undefined);
    await order(App, 'stays', 'two');
    await untilReport('stays', { apps: '2' });
    expect(server.stats.watches(App)).toBe(1);
    expect(controllersOf(manager)).not.toContain('report-leaves');
    // The name is free: a tenant may come back.
    await addTenant('leaves');
    await untilReport('leaves', { apps: '1' });
  });

  test('R0-07 a tenant with one service does not wait for the hundred of another one', async () => {
    await addTenant('crowd');
    await addTenant('single');
    const handled: string[] = [];
    const gate = Promise.withResolvers<void>();
    const all = Promise.withResolvers<void>();
    provision = async (_, { metadata }) => {
      await gate.promise;
      if (handled.push(metadata?.namespace ?? '') === 101) all.resolve();
    };
    for (let index = 0; index < 100; index += 1) await order(App, 'crowd', `app-${index}`);
    await order(App, 'single', 'app');
    await untilReport('single', { apps: '1' });
    gate.resolve();
    await all.promise;
    // Two are in work before the gate opens; then the tenants take turns.
    expect(handled.indexOf('single')).toBeLessThan(5);
  });

  test('a tenant of weight 3 gets three requests for one of another tenant', async () => {
    await addTenant('gold', 3);
    await addTenant('iron', 1);
    const handled: string[] = [];
    const gate = Promise.withResolvers<void>();
    const all = Promise.withResolvers<void>();
    provision = async (_, { metadata }) => {
      await gate.promise;
      if (handled.push(metadata?.namespace ?? '') === 48) all.resolve();
    };
    for (let index = 0; index < 24; index += 1) {
      await order(App, 'iron', `app-${index}`);
      await order(App, 'gold', `app-${index}`);
    }
    await untilReport('gold', { apps: '24' });
    await untilReport('iron', { apps: '24' });
    gate.resolve();
    await all.promise;
    const early = handled.slice(2, 26);
    expect(early.filter((tenant) => tenant === 'gold').length).toBe(18);
  });

  test('the tour prints every step', async () => {
    const lines: string[] = [];
    await tour(client, (line) => lines.push(line));
    expect(lines).toHaveLength(4);
  });
});

/** The controllers that hold handles on watches. The owner of a handle is `CONTROLLER#…`. */
function controllersOf({ cache }: Manager): (string | undefined)[] {
  const handles = cache.inventory().flatMap((watch) => watch.handles);
  return handles.map(({ owner }) => owner.split('#')[0]);
}
