import { describe, expect, jest, test } from '@jest/globals';
import { builtin, type ApiResource } from '@keelson/apimachinery';
import {
  managersOfTest,
  nothing,
  objectOf,
  running,
  useFakeTime,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import type { Manager } from '../manager/manager.ts';
import type { Controller } from './controller.ts';
import type { WatchOptions } from '../sources/source-options.ts';
import type { ControllerOptions } from './controller-options.ts';

const { ConfigMap } = builtin;

const managers = managersOfTest();

const red = { resource: WebApp, labelSelector: 'color=red' } as const;
const blue = { resource: WebApp, labelSelector: 'color=blue' } as const;
const anyColor = { resource: WebApp, labelSelector: 'color in (red,blue)' } as const;

/** A running controller in the namespaces `a` and `b` of its manager, and the requests that ran. */
async function noting(
  options: Partial<ControllerOptions<WebApp>>,
): Promise<{ manager: Manager; cache: FakeCache; controller: Controller; seen: string[] }> {
  const { manager, cache } = managers.make({ namespaces: ['a', 'b'] });
  const seen: string[] = [];
  const controller = manager.addController({
    name: 'noting',
    reconcile: ({ namespace, name }) => void seen.push(`${namespace}/${name}`),
    ...options,
  });
  await running(manager);
  await turns();
  return { manager, cache, controller, seen };
}

function create(cache: FakeCache, resource: ApiResource, name: string): void {
  cache.set(
    resource,
    objectOf(resource, name, { namespace: 'b', metadata: { labels: { color: name } } }),
  );
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('a namespace that leaves the manager, and that a pending change of a controller names', () => {
  test('keeps a queued request of an object that the new watch has', async () => {
    const { manager, cache, controller, seen } = await noting({ for: red });
    create(cache, WebApp, 'red');
    const change = controller.reconfigure({ namespaces: ['b'], for: anyColor });
    const left = manager.setNamespaces(['a']);
    await Promise.all([change, left]);
    await turns();
    expect(seen).toEqual(['b/red']);
  });

  test('keeps a queued request of a watch with a mapper', async () => {
    const watched: WatchOptions = {
      ...anyColor,
      resource: ConfigMap,
      map: ({ namespace, name }) => ({ ...(namespace && { namespace }), name: `for-${name}` }),
    };
    const { manager, cache, controller, seen } = await noting({
      watches: [{ ...watched, labelSelector: 'color=red' }],
    });
    create(cache, ConfigMap, 'red');
    const change = controller.reconfigure({ namespaces: ['b'], watches: [watched] });
    const left = manager.setNamespaces(['a']);
    await Promise.all([change, left]);
    await turns();
    expect(seen).toEqual(['b/for-red']);
  });

  test('keeps the next run of an object that the new watch has', async () => {
    const seen: string[] = [];
    const { manager, cache, controller } = await noting({
      for: red,
      reconcile: ({ name }) => {
        seen.push(name);
        return { requeueAfter: '1m' };
      },
    });
    useFakeTime();
    create(cache, WebApp, 'red');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(seen).toEqual(['red']);
    const change = controller.reconfigure({ namespaces: ['b'], for: anyColor });
    const left = manager.setNamespaces(['a']);
    await Promise.all([change, left]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(seen).toEqual(['red', 'red']);
  });

  test('drops a queued request of an object that the new watch does not select', async () => {
    const { manager, cache, controller, seen } = await noting({ for: red });
    create(cache, WebApp, 'red');
    const change = controller.reconfigure({ namespaces: ['b'], for: blue });
    const left = manager.setNamespaces(['a']);
    await Promise.all([change, left]);
    await turns();
    expect(seen).toEqual([]);
  });

  test('drops a queued request if the change is given up', async () => {
    const { manager, cache, controller, seen } = await noting({ for: red });
    const abort = new AbortController();
    controller.pause();
    create(cache, WebApp, 'red');
    const { signal } = abort;
    const change = controller.reconfigure({ namespaces: ['b'], for: anyColor }, { signal });
    change.catch(nothing);
    const left = manager.setNamespaces(['a']);
    abort.abort(new Error('given up'));
    await expect(change).rejects.toThrow('given up');
    await left;
    controller.resume();
    await turns();
    expect(seen).toEqual([]);
  });
});

describe('a namespace that enters the manager during a change of a controller', () => {
  test('keeps the queued requests of its objects at each step of the change', async () => {
    for (let steps = 0; steps < 40; steps += 1) {
      const { manager, cache, controller, seen } = await noting({ for: red });
      await manager.setNamespaces(['a']);
      cache.set(
        WebApp,
        objectOf(WebApp, 'old', { namespace: 'a', metadata: { labels: { color: 'red' } } }),
      );
      create(cache, WebApp, 'red');
      const change = controller.reconfigure({ for: anyColor });
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      const entered = manager.setNamespaces(['a', 'b']);
      await Promise.all([change, entered]);
      await turns();
      expect([steps, ...seen]).toEqual([steps, 'a/old', 'b/red']);
      await manager.stop();
    }
  });
});
