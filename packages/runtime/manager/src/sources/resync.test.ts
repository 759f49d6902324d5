import { once } from 'node:events';
import { describe, expect, jest, test } from '@jest/globals';
import { builtin, StatusError } from '@keelson/apimachinery';
import { createInformerCache, type InformerCache, type ListerWatcher } from '@keelson/informer';
import {
  eventually,
  managersOfTest,
  nothing,
  running,
  toSelf,
  useFakeTime,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { ControllerOptions } from '../controller/controller-options.ts';
import type { Manager } from '../manager/manager.ts';

const { Secret, ConfigMap } = builtin;
const SECOND = 1_000;

const managers = managersOfTest();

/** A source of one object, `a`, which never changes. */
function oneObject(): ListerWatcher {
  const frame = { type: 'ADDED', format: undefined, from: 0, to: 0 } as const;
  const metadata = { name: 'a', namespace: 'default', uid: '1', resourceVersion: '1' };
  return {
    async *list() {
      const frames = [{ ...frame, buffer: new Uint8Array(), object: { metadata } }];
      yield { frames, receivedAt: 0, listMetadata: { resourceVersion: '1' } };
    },
    async *watch({ signal, sendInitialEvents }) {
      if (sendInitialEvents === true) {
        throw new StatusError({ kind: 'Status', code: 422, reason: 'Invalid' });
      }
      yield { frames: [], receivedAt: 0 };
      await once(signal, 'abort');
    },
  };
}

/** A cache of `oneObject`, whose clock the test advances. */
function cacheOf(): InformerCache {
  useFakeTime({ setImmediate: true });
  return createInformerCache({ listerWatcher: oneObject, random: () => 0.5 });
}

/** Adds a controller that records the source, the reason and the priority of each run. */
function recorded(manager: Manager, options: Partial<ControllerOptions>): string[] {
  const seen: string[] = [];
  manager.addController({
    name: 'recorded',
    ...options,
    reconcile(_request, { causes, priority }) {
      const texts = causes.map(({ source, reason }) => `${source} ${reason}`);
      seen.push(`${texts.join(', ')} ${priority}`);
    },
  });
  return seen;
}

async function pass(milliseconds: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(milliseconds);
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('the resync of a source', () => {
  test('queues every object again with the cause resync and the priority of initial objects', async () => {
    await using cache = cacheOf();
    const { manager } = managers.make({ cache });
    const seen = recorded(manager, { for: { resource: WebApp, resync: '10s' } });
    await running(manager);
    await eventually(() => seen.length === 1);
    await pass(10 * SECOND);
    await pass(10 * SECOND);
    expect(seen).toEqual([
      'for WebApp initial -100',
      'for WebApp resync -100',
      'for WebApp resync -100',
    ]);
  });

  test('overrides that of its controller, which overrides that of the manager; reads have none', async () => {
    await using cache = cacheOf();
    const { manager } = managers.make({ cache, controllers: { resync: '1h' } });
    const seen = recorded(manager, {
      for: { resource: WebApp, resync: 0 },
      watches: [
        { resource: Secret, map: toSelf },
        { resource: ConfigMap, map: toSelf, resync: '20s', labelSelector: '' },
      ],
      reads: [builtin.Service],
      resync: '30s',
    });
    const shared: string[] = [];
    manager.addController({
      name: 'shared',
      for: WebApp,
      reconcile: (_request, { causes }) => void shared.push(`${causes[0]?.reason}`),
    });
    await running(manager);
    await eventually(() => seen.length === 2);
    seen.length = 0;
    await pass(35 * SECOND);
    expect(seen).toEqual(['watch ConfigMap resync -100', 'watch Secret resync -100']);
    expect(shared).toEqual(['initial']);
    await pass(3_600 * SECOND);
    expect(shared).toEqual(['initial', 'resync']);
  });

  test('maps the object once, and predicates may drop it', async () => {
    await using cache = cacheOf();
    const { manager } = managers.make({ cache });
    let mapped = 0;
    const map = ({ name }: { name: string }): { name: string } => {
      mapped += 1;
      return { name };
    };
    let tested = 0;
    const predicates = [
      (event: { type: string }): boolean => {
        tested += 1;
        return event.type !== 'updated';
      },
    ];
    const seen = recorded(manager, {
      watches: [
        { resource: Secret, map },
        { resource: ConfigMap, map, predicates },
      ],
      resync: '10s',
    });
    await running(manager);
    await eventually(() => seen.length === 1);
    await pass(10 * SECOND);
    expect([mapped, tested]).toEqual([3, 2]);
  });

  test('ends with a dynamic watch and with the controller', async () => {
    await using cache = cacheOf();
    const { manager } = managers.make({ cache });
    const controller = manager.addController({
      name: 'ending',
      for: { resource: WebApp, resync: '10s' },
      reconcile: nothing,
    });
    await running(manager);
    await controller.synced;
    const watch = controller.watch({ resource: Secret, map: toSelf, resync: '10s' });
    await watch.synced;
    // The watch frees its slot of the start, which has a timer.
    await pass(0);
    let before = jest.getTimerCount();
    await watch.remove();
    // The linger of the cache has replaced the resync.
    expect(jest.getTimerCount()).toBe(before);
    before = jest.getTimerCount();
    await controller.stop();
    expect(jest.getTimerCount()).toBe(before);
  });

  test('of reads is refused with the cure', () => {
    const { manager } = managers.make();
    const reads = [{ resource: Secret, resync: '1h' }] as never;
    expect(() => manager.addController({ name: 'reading', reads, reconcile: nothing })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({
          option: 'addController.reads[0].resync',
          cure: expect.stringContaining('use `watches`'),
        }),
      }),
    );
  });
});
