import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { eventually, running, silent } from '../testing/fixtures.test-support.ts';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import type { Controller } from './controller.ts';

const { ConfigMap, Secret } = builtin;

const STREAMS = ['list', 'watch'];

interface World extends AsyncDisposable {
  readonly server: ApiServer;
  readonly manager: Manager;
  readonly controller: Controller;
  readonly seen: string[];
  /** Errors of the reads that reconciles and the test make. */
  readonly readErrors: unknown[];
  readonly read: () => void;
  readonly create: (name: string, tier: string, namespace?: string) => Promise<unknown>;
}

/** A controller of ConfigMaps on the in-memory server, which reads all of its kinds in every run. */
async function world(
  options: { readonly labelSelector?: string; readonly namespaces?: readonly string[] } = {},
): Promise<World> {
  const server = await createApiServer({});
  const manager = createManager({
    cluster: server.cluster,
    logger: silent,
    stopSignals: [],
    cache: { linger: 0 },
  });
  const seen: string[] = [];
  const readErrors: unknown[] = [];
  const { labelSelector, namespaces } = options;
  let caches: { list: (resource: typeof ConfigMap, options: object) => unknown } | undefined;
  const read = (): void => {
    try {
      caches?.list(ConfigMap, { namespace: 'default' });
    } catch (error) {
      readErrors.push(error);
    }
  };
  const controller = manager.addController({
    name: 'selecting',
    for: { resource: ConfigMap, ...(labelSelector !== undefined && { labelSelector }) },
    ...(namespaces !== undefined && { namespaces }),
    reads: [{ resource: Secret, namespace: 'default' }],
    reconcile({ name }, { cache }) {
      caches = cache;
      read();
      seen.push(name);
    },
  });
  return {
    server,
    manager,
    controller,
    seen,
    readErrors,
    read,
    create: (name, tier, namespace = 'default') =>
      manager.client.create(ConfigMap, { metadata: { namespace, name, labels: { tier } } }),
    [Symbol.asyncDispose]: async () => {
      await manager.stop();
      await server.close();
    },
  };
}

describe('the requests of a change of a live controller', () => {
  test('are those of the new watch only: one watch, and no request of the others', async () => {
    await using at = await world({ labelSelector: 'tier=a' });
    const { server, controller, seen } = at;
    await at.create('one', 'a');
    await at.create('two', 'b');
    await running(at.manager);
    await eventually(() => seen.includes('one'));
    server.stats.reset();
    await controller.reconfigure({ for: { resource: ConfigMap, labelSelector: 'tier=b' } });
    await eventually(() => seen.includes('two'));
    expect(server.stats.requests({ resource: ConfigMap, verb: STREAMS })).toBe(1);
    expect(server.stats.requests({ resource: Secret, verb: STREAMS })).toBe(0);
    await eventually(() => server.stats.openWatches(ConfigMap) === 1);
    expect([seen, at.readErrors]).toEqual([['one', 'two'], []]);
  });

  test('do not exist for namespaces that stay, and for changes without a new query', async () => {
    await using at = await world({ namespaces: ['default', 'kube-system'] });
    const { server, controller, seen } = at;
    await at.create('stays', 'a');
    await at.create('enters', 'a', 'kube-public');
    await running(at.manager);
    await eventually(() => seen.includes('stays'));
    server.stats.reset();
    await controller.reconfigure({ namespaces: ['default', 'kube-public'] });
    await eventually(() => seen.includes('enters'));
    expect(server.stats.requests({ namespace: 'default', verb: STREAMS })).toBe(0);
    expect(server.stats.requests({ namespace: 'kube-public', verb: STREAMS })).toBe(1);
    server.stats.reset();
    await controller.reconfigure({
      concurrency: 3,
      timeout: '1m',
      for: { resource: ConfigMap, priority: 5, resync: '1h' },
      reads: [{ resource: Secret, namespace: 'default' }],
    });
    expect(server.stats.requests({ verb: STREAMS })).toBe(0);
    await at.create('later', 'a');
    await eventually(() => seen.includes('later'));
    expect(seen.filter((name) => name !== 'kube-root-ca.crt')).toEqual([
      'stays',
      'enters',
      'later',
    ]);
    expect(at.readErrors).toEqual([]);
  });

  test('leave no gap for events and reads, while objects change all the time', async () => {
    await using at = await world({ labelSelector: 'tier in (a,b)' });
    const { controller, seen, read } = at;
    await at.create('first', 'a');
    await running(at.manager);
    await eventually(() => seen.includes('first'));
    const selectors = ['tier in (a,c)', 'tier=a', 'tier!=b', 'tier in (a,b)'];
    let created = 0;
    for (const labelSelector of selectors) {
      const change = controller.reconfigure({ for: { resource: ConfigMap, labelSelector } });
      const isChanged = change.then(() => true);
      do {
        created += 1;
        await at.create(`object-${created}`, 'a');
        read();
      } while (created < 2_000 && !(await Promise.race([isChanged, Promise.resolve(false)])));
      await change;
    }
    const names = Array.from({ length: created }, (_, index) => `object-${index + 1}`);
    await eventually(() => names.every((name) => seen.includes(name)));
    expect(at.readErrors).toEqual([]);
  });

  test('are refused for a forbidden watch: the former one stays until it is allowed', async () => {
    await using at = await world({ labelSelector: 'tier=a' });
    const { server, controller, seen } = at;
    await running(at.manager);
    using refusal = server.faults.forbid({ resource: Secret });
    const abort = new AbortController();
    const change = controller.reconfigure(
      { for: { resource: ConfigMap, labelSelector: 'tier=b' }, reads: [Secret] },
      { signal: abort.signal },
    );
    await eventually(() => server.stats.openWatches(ConfigMap) === 2);
    await at.create('still', 'a');
    await eventually(() => seen.includes('still'));
    abort.abort(new Error('given up'));
    await expect(change).rejects.toThrow('given up');
    await eventually(() => server.stats.openWatches(ConfigMap) === 1);
    await at.create('again', 'a');
    await at.create('other', 'b');
    await eventually(() => seen.includes('again'));
    expect([seen, refusal !== undefined, at.readErrors]).toEqual([['still', 'again'], true, []]);
  });
});
