import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { Controller } from './controller.ts';
import {
  eventually,
  gate,
  managersOfTest,
  objectOf,
  recordingLogger,
  running,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { Request } from '../reconcile/request.ts';

const { Secret } = builtin;

const managers = managersOfTest();

describe('a controller', () => {
  test('CT01 a reconcile receives its request and a signal that has not aborted', async () => {
    const { manager, cache } = managers.make();
    const seen: { request: Request; aborted: boolean }[] = [];
    manager.addController({
      name: 'web-app',
      for: WebApp,
      reconcile(request, { signal }) {
        seen.push({ request, aborted: signal.aborted });
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual([{ request: { namespace: 'default', name: 'a' }, aborted: false }]);
  });

  test('CT28 each reconcile has a unique id in its log facts', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    const ids: string[] = [];
    const controller = manager.addController({
      name: 'logs',
      reconcile(_request, { log, reconcileId }) {
        ids.push(reconcileId);
        log.info({ step: 'one' }, 'working');
      },
    });
    await running(manager);
    controller.enqueue({ namespace: 'n', name: 'a' });
    controller.enqueue({ namespace: 'n', name: 'b' });
    await eventually(() => ids.length === 2);
    const written = lines.filter((line) => line['message'] === 'working');
    expect(written.map((line) => line['reconcileId'])).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
    expect(written[0]).toMatchObject({
      controller: 'logs',
      namespace: 'n',
      name: 'a',
      step: 'one',
    });
  });

  test('CT29 a duplicate name throws; the name of a stopped controller is free', async () => {
    const { manager } = managers.make();
    const reconcile = (): void => undefined;
    const first = manager.addController({ name: 'one', reconcile });
    expect(() => manager.addController({ name: 'one', reconcile })).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_CONTROLLER', facts: { name: 'one' } }),
    );
    await first.stop();
    expect(manager.addController({ name: 'one', reconcile }).name).toBe('one');
  });

  test('CT38 100 events for a running key at concurrency 8 lead to exactly one more run, without overlap', async () => {
    const { manager, cache } = managers.make();
    const gates = [gate(), gate()];
    let runs = 0;
    let overlapping = 0;
    let mostOverlapping = 0;
    manager.addController({
      name: 'exclusive',
      for: WebApp,
      concurrency: 8,
      async reconcile() {
        overlapping += 1;
        mostOverlapping = Math.max(mostOverlapping, overlapping);
        const own = gates[runs];
        runs += 1;
        await own?.opened;
        overlapping -= 1;
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => runs === 1);
    for (let count = 0; count < 100; count += 1) cache.set(WebApp, objectOf(WebApp, 'a'));
    gates[0]?.open();
    await eventually(() => runs === 2);
    gates[1]?.open();
    await eventually(() => overlapping === 0);
    expect({ runs, mostOverlapping }).toEqual({ runs: 2, mostOverlapping: 1 });
  });

  test('CT38 a blocked key does not delay other keys, and a slow controller does not delay other controllers', async () => {
    const { manager } = managers.make();
    const end = gate();
    const done: string[] = [];
    const add = (name: string, concurrency: number): Controller =>
      manager.addController({
        name,
        concurrency,
        async reconcile(request) {
          if (request.name === 'blocked') await end.opened;
          done.push(`${name}/${request.name}`);
        },
      });
    const slow = add('slow', 2);
    const other = add('other', 1);
    await running(manager);
    slow.enqueue({ name: 'blocked' });
    await eventually(() => slow.running === 1);
    slow.enqueue({ name: 'blocked' });
    slow.enqueue({ name: 'free' });
    other.enqueue({ name: 'free' });
    await eventually(() => done.length === 2);
    expect(done.toSorted()).toEqual(['other/free', 'slow/free']);
    end.open();
    await eventually(() => done.length === 4);
  });

  test('CT41 an object that is deleted and re-created by one name is run again with failures reset', async () => {
    const { manager, cache } = managers.make({ controllers: { backoff: { base: '1h' } } });
    const attempts: number[] = [];
    const controller = manager.addController({
      name: 'reborn',
      for: WebApp,
      reconcile(_request, { attempt, cache: reader }) {
        attempts.push(attempt);
        if (reader.get(WebApp, { namespace: 'default', name: 'a' }) !== undefined) {
          throw new Error('always fails');
        }
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => attempts.length === 1 && controller.running === 0);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => attempts.length === 2 && controller.running === 0);
    cache.delete(WebApp, { namespace: 'default', name: 'a' });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => attempts.length === 3);
    expect(attempts).toEqual([1, 2, 1]);
  });

  test('CT42 a key whose object is deleted before its run can run again', async () => {
    const { manager, cache } = managers.make();
    const seen: boolean[] = [];
    const controller = manager.addController({
      name: 'late',
      for: WebApp,
      reconcile(request, { cache: reader }) {
        seen.push(reader.get(WebApp, request) !== undefined);
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    cache.delete(WebApp, { namespace: 'default', name: 'a' });
    await eventually(() => seen.length === 1 && controller.running === 0);
    expect(seen).toEqual([false]);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 2);
    expect(seen).toEqual([false, true]);
  });

  test('CT45 enqueue follows the rules of events, and throws on a stopped controller', async () => {
    const { manager } = managers.make();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'by-hand',
      reconcile({ name }, { causes, priority }) {
        seen.push(`${name} ${priority} ${causes[0]?.source} ${causes[0]?.reason}`);
      },
    });
    controller.enqueue({ name: 'early' });
    controller.enqueue({ name: 'early' }, { priority: 2 });
    await running(manager);
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['early 2 controller manual']);
    await controller.stop();
    expect(() => controller.enqueue({ name: 'late' })).toThrow(
      expect.objectContaining({ code: 'CONTROLLER_STOPPED' }),
    );
    expect(() => controller.watch({ resource: Secret, map: () => undefined })).toThrow(
      expect.objectContaining({ code: 'CONTROLLER_STOPPED' }),
    );
  });

  test.each([1, 4])(
    'long queues of quick reconciles in %i controllers let the event loop turn',
    async (count) => {
      const { manager } = managers.make();
      let runs = 0;
      for (let number = 0; number < count; number += 1) {
        const controller = manager.addController({
          name: `quick-${number}`,
          reconcile() {
            runs += 1;
            const until = performance.now() + 1;
            while (performance.now() < until);
          },
        });
        for (let at = 0; at < 100 / count; at += 1) controller.enqueue({ name: `n${at}` });
      }
      manager.start().catch(() => undefined);
      let turns = 0;
      await eventually(() => {
        if (runs > 0) turns += 1;
        return runs === 100;
      });
      expect(turns).toBeGreaterThanOrEqual(10);
    },
  );

  test('CT38 the metadata of an object, a mapper with a uid and an event give the same request', async () => {
    const { manager, cache } = managers.make();
    const end = gate();
    const requests: Request[] = [];
    let together = 0;
    const controller = manager.addController({
      name: 'one-key',
      for: WebApp,
      concurrency: 8,
      watches: [
        {
          resource: Secret,
          map: () => ({ namespace: 'default', name: 'a', uid: 'u', resourceVersion: '1' }),
        },
      ],
      async reconcile(request) {
        requests.push(request);
        together = Math.max(together, controller.running);
        await end.opened;
      },
    });
    await running(manager);
    const app = cache.set(WebApp, objectOf(WebApp, 'a', { metadata: { labels: { b: 'c' } } }));
    cache.set(Secret, objectOf(Secret, 's'));
    controller.enqueue(app.metadata as Request);
    await eventually(() => controller.running === 1);
    controller.enqueue({ ...app.metadata, labels: {} } as unknown as Request);
    cache.set(WebApp, app);
    expect(controller.length).toBe(1);
    end.open();
    await eventually(() => requests.length === 2 && controller.running === 0);
    expect(together).toBe(1);
    expect(requests).toEqual([
      { namespace: 'default', name: 'a' },
      { namespace: 'default', name: 'a' },
    ]);
  });

  test('a request object that the caller changes and enqueues again gives separate requests', async () => {
    const { manager } = managers.make();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'reused',
      reconcile: ({ name }) => void seen.push(name),
    });
    const request = { name: '' };
    for (const name of ['a', 'b', 'c']) {
      request.name = name;
      controller.enqueue(request);
    }
    await running(manager);
    await eventually(() => seen.length === 3);
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  test('a request with other members throws at enqueue without keyOf, and other requests continue', async () => {
    const { logger, lines } = recordingLogger();
    const { manager, cache } = managers.make({ logger });
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'shapeless',
      watches: [
        {
          resource: Secret,
          map: ({ name, uid }) => [{ name, uid } as Request, { name: 'plain' }],
        },
      ],
      reconcile: ({ name }) => void seen.push(name),
    });
    await running(manager);
    const wrong = { name: 'a', uid: 'u' } as Request;
    expect(() => controller.enqueue(wrong)).toThrow(/declare `keyOf`/);
    cache.set(Secret, objectOf(Secret, 's'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['plain']);
    const failure = lines.find(({ message }) => message === 'source failed');
    expect(failure?.['err']).toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('keyOf decides which requests are equal, and its error drops only one request', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    interface Versioned {
      readonly name: string;
      readonly version: string;
    }
    const controller = manager.addController({
      name: 'keyed',
      watches: [
        {
          resource: Secret,
          map: ({ name, resourceVersion }) => [
            { name: 'refused', version: '' },
            { name, version: resourceVersion },
          ],
        },
      ],
      keyOf({ name, version }) {
        if (version === '') throw new Error('no version');
        return name;
      },
      reconcile: ({ name }: Versioned) => void seen.push(name),
    });
    cache.set(Secret, objectOf(Secret, 's'));
    await running(manager);
    await eventually(() => seen.length === 1);
    controller.enqueue({ name: 's', version: '7' });
    controller.enqueue({ name: 's', version: '8' });
    expect(controller.length).toBe(1);
    expect(() => controller.enqueue({ name: 's', version: '' })).toThrow('no version');
    await eventually(() => seen.length === 2 && controller.length === 0);
    expect(seen).toEqual(['s', 's']);
  });
});
