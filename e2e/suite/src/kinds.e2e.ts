import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createManager } from '@keelson/manager';
import { customKind } from './custom-kind.ts';
import { EventHistory } from './event-history.ts';
import { openCache } from './open-cache.ts';
import { runManager } from './running-manager.ts';
import { ServiceAccount } from './service-account.ts';
import { openSharedSuite } from './suite.ts';
import { reachesState } from './reaches-state.ts';

const suite = openSharedSuite();

describe('a kind that is not served', () => {
  test('RC17 its watch parks until the kind is installed, emits deletes and parks when it is removed, and becomes live again', async () => {
    const namespace = await suite.namespace();
    const kind = customKind();
    const widgets = kind.resource();
    const definition = { name: kind.definition('v1').metadata?.name ?? '' };
    await using opened = openCache(suite.cluster);
    using handle = opened.cache.acquire(
      { resource: widgets, namespace },
      {
        owner: 'suite',
        required: false,
      },
    );
    const history = new EventHistory();
    handle.addEventHandler(history.handler);
    expect(await reachesState(handle, 'parked')).toMatchObject({
      state: 'parked',
      verb: undefined,
    });
    for (const name of ['first', 'again']) {
      const key = `${namespace}/${name}` as const;
      await suite.install(kind.definition('v1'));
      await reachesState(handle, 'live');
      await suite.client.create(widgets, { metadata: { namespace, name } });
      await history.received(key);
      await suite.client.delete(builtin.CustomResourceDefinition, definition);
      await history.received(key, 'gone');
      await reachesState(handle, 'parked');
    }
    expect(history.emitted).toEqual([
      `added ${namespace}/first`,
      `deleted ${namespace}/first`,
      `added ${namespace}/again`,
      `deleted ${namespace}/again`,
    ]);
    expect(history.complaints).toEqual([]);
  });

  test('RC17 its controller waits until the kind is installed; other controllers work meanwhile', async () => {
    const namespace = await suite.namespace();
    const kind = customKind();
    const widgets = kind.resource();
    const runs = new EventTarget();
    const run = (name: string): Promise<Event> =>
      new Promise((resolve) => runs.addEventListener(name, resolve, { once: true }));
    const configMapRun = run('configmap one');
    await using _ = await runManager(suite.cluster, (options) => {
      const manager = createManager(options);
      manager.addController({
        name: 'widgets',
        for: { resource: widgets, namespace, required: false },
        reconcile: ({ name }, { cache }) => {
          const found = cache.get(widgets, { namespace, name });
          runs.dispatchEvent(new Event(`${found === undefined ? 'no ' : ''}widget ${name}`));
        },
      });
      manager.addController({
        name: 'config-maps',
        for: { resource: builtin.ConfigMap, namespace },
        reconcile: ({ name }) => void runs.dispatchEvent(new Event(`configmap ${name}`)),
      });
      return manager;
    });
    const metadata = { namespace, name: 'one' };
    await suite.client.create(builtin.ConfigMap, { metadata });
    await configMapRun;
    const definition = { name: kind.definition('v1').metadata?.name ?? '' };
    for (const name of ['first', 'again']) {
      const there = run(`widget ${name}`);
      await suite.install(kind.definition('v1'));
      await suite.client.create(widgets, { metadata: { namespace, name } });
      await there;
      const gone = run(`no widget ${name}`);
      await suite.client.delete(builtin.CustomResourceDefinition, definition);
      await gone;
    }
  });
});

describe('a kind that is forbidden', () => {
  test('RC18 its watch reports the forbidden verb and kind, and becomes live when RBAC permits it', async () => {
    const namespace = await suite.namespace();
    const account = await ServiceAccount.create(suite, namespace);
    await account.allow({ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] });
    await using opened = openCache(account.as({ token: await account.token() }));
    const owner = 'suite';
    using allowed = opened.cache.acquire({ resource: builtin.ConfigMap, namespace }, { owner });
    using refused = opened.cache.acquire({ resource: builtin.Secret, namespace }, { owner });
    await reachesState(allowed, 'live');
    const health = await reachesState(refused, 'forbidden');
    expect(health.verb).toMatch(/^(list|watch)$/);
    expect(health.reason).toContain('secrets');
    await suite.client.create(builtin.Secret, { metadata: { namespace, name: 'one' } });
    await account.allow({
      apiGroups: [''],
      resources: ['configmaps', 'secrets'],
      verbs: ['list', 'watch'],
    });
    await reachesState(refused, 'live');
    expect(refused.store.has({ namespace, name: 'one' })).toBe(true);
  });
});
