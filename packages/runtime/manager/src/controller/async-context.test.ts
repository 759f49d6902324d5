import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { DynamicWatch } from '../source-set/dynamic-watch.ts';
import {
  eventually,
  managersOfTest,
  objectOf,
  running,
  toSelf,
  useFakeTime,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import { UserCode } from '../user-code/user-code.ts';

const { ConfigMap, Secret } = builtin;

const managers = managersOfTest();

/** A store that each piece of user code enters, and that no other code may see. */
class Trace {
  readonly storage = new AsyncLocalStorage<string>();
  readonly seen: string[] = [];

  /** Records the store that the code sees, then enters a new one. */
  readonly visit = (where: string): void => {
    this.seen.push(`${where}: ${this.storage.getStore() ?? 'none'}`);
    this.storage.enterWith(`left by ${where}`);
  };

  /** The places whose code saw a store. */
  get leaks(): string[] {
    return this.seen.filter((line) => !line.endsWith(': none'));
  }
}

describe('the async context of user code', () => {
  test('a store that a reconcile enters is invisible in later reconciles, after every outcome', async () => {
    const trace = new Trace();
    const { manager } = managers.make({ controllers: { backoff: { base: 1 }, concurrency: 2 } });
    const controller = manager.addController({
      name: 'tracing',
      async reconcile({ name }, { attempt }) {
        trace.visit(`${name} ${attempt}`);
        await Promise.resolve();
        if (attempt === 1 && name !== 'c') throw new Error('again');
        return name === 'c' ? { requeueAfter: 1 } : undefined;
      },
    });
    await running(manager);
    for (const name of ['a', 'b', 'c', 'd']) controller.enqueue({ name });
    await eventually(() => trace.seen.length > 10);
    expect(trace.leaks).toEqual([]);
  });

  test('a reconcile keeps its own store across its awaits', async () => {
    const storage = new AsyncLocalStorage<string>();
    const { manager } = managers.make();
    const seen: (string | undefined)[] = [];
    const controller = manager.addController({
      name: 'own',
      concurrency: 3,
      async reconcile({ name }) {
        storage.enterWith(name);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(storage.getStore() === name ? name : 'another');
      },
    });
    await running(manager);
    for (const name of ['a', 'b', 'c']) controller.enqueue({ name });
    await eventually(() => seen.length === 3);
    expect(new Set(seen)).toEqual(new Set(['a', 'b', 'c']));
  });

  test('the store of code that enqueues, adds a watch or stops is invisible in the code it triggers', async () => {
    const trace = new Trace();
    const { manager, cache } = managers.make();
    const watches: DynamicWatch[] = [];
    const controller = manager.addController({
      name: 'callers',
      for: { resource: WebApp, predicates: [() => (trace.visit('predicate of for'), true)] },
      reconcile({ name }) {
        trace.visit(`reconcile ${name}`);
        if (name !== 'first') return;
        watches.push(
          controller.watch({
            resource: ConfigMap,
            predicates: [
              () => (trace.visit('predicate'), true),
              () => {
                trace.visit('throwing predicate');
                throw new Error('counts as true');
              },
            ],
            *map(object) {
              trace.visit('mapper');
              yield toSelf(object);
              trace.visit('mapper');
            },
          }),
        );
      },
    });
    await running(manager);
    trace.storage.run('caller', () => controller.enqueue({ name: 'first' }));
    await eventually(() => watches.length === 1);
    trace.storage.run('caller', () => {
      cache.set(ConfigMap, objectOf(ConfigMap, 'second'));
      cache.set(ConfigMap, objectOf(ConfigMap, 'second'));
      cache.set(WebApp, objectOf(WebApp, 'third'));
    });
    await eventually(() => trace.seen.includes('reconcile third: none'));
    await eventually(() => trace.seen.includes('reconcile second: none'));
    expect(trace.leaks.filter((line) => !line.startsWith('mapper: left by mapper'))).toEqual([]);
    expect(trace.seen.filter((line) => line === 'mapper: none').length).toBeGreaterThan(1);
  });

  test('a watch that a reconcile adds is acquired and released in the context of the controller', async () => {
    const storage = new AsyncLocalStorage<string>();
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const acquire = cache.acquire.bind(cache);
    jest.spyOn(cache, 'acquire').mockImplementation((query, holder) => {
      seen.push(`acquire ${query.resource.kind}: ${storage.getStore() ?? 'none'}`);
      const handle = acquire(query, holder);
      const release = handle.release.bind(handle);
      handle.release = () => {
        seen.push(`release ${query.resource.kind}: ${storage.getStore() ?? 'none'}`);
        release();
      };
      return handle;
    });
    const controller = manager.addController({
      name: 'adding',
      async reconcile({ name }) {
        await storage.run(`reconcile ${name}`, async () => {
          const watch = controller.watch({ resource: Secret, map: toSelf });
          await watch.remove();
        });
      },
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['acquire Secret: none', 'release Secret: none']);
  });

  test('an async-iterable source is opened, read and closed in separate contexts', async () => {
    const trace = new Trace();
    const { manager } = managers.make();
    let ended = false;
    const controller = manager.addController({
      name: 'iterating',
      sources: [
        {
          name: 'ticks',
          requests(signal) {
            trace.visit('open');
            let count = 0;
            return {
              [Symbol.asyncIterator]() {
                trace.visit('iterator');
                return {
                  async next() {
                    trace.visit('next');
                    count += 1;
                    if (count > 3) await once(signal, 'abort');
                    return { done: false, value: { name: `tick-${count}` } };
                  },
                  async return() {
                    trace.visit('return');
                    ended = true;
                    return { done: true, value: undefined };
                  },
                };
              },
            };
          },
        },
      ],
      reconcile: ({ name }) => trace.visit(`reconcile ${name}`),
    });
    await trace.storage.run('starter', () => running(manager));
    await eventually(() => trace.seen.includes('reconcile tick-3: none'));
    await trace.storage.run('stopper', () => controller.stop());
    await eventually(() => ended);
    // `open` and `iterator` are one call of the user's function and its result.
    expect(trace.leaks).toEqual(['iterator: left by open']);
  });

  test('the timeout of a run and a delayed request run in the context of the controller', async () => {
    useFakeTime();
    const trace = new Trace();
    const { manager } = managers.make();
    const controller = manager.addController({
      name: 'timed',
      timeout: 50,
      async reconcile({ name }, { signal }) {
        trace.visit(`reconcile ${name}`);
        if (name !== 'slow') return;
        await new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            trace.visit('abort');
            resolve(undefined);
          });
        });
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    trace.storage.run('caller', () => {
      controller.enqueue({ name: 'slow' });
      controller.enqueue({ name: 'delayed' }, { after: 10 });
      controller.enqueue({ name: 'later' }, { after: 100 });
    });
    await jest.advanceTimersByTimeAsync(200);
    expect(trace.seen).toHaveLength(4);
    expect(trace.leaks).toEqual([]);
  });

  test('user code begins with the context in which the controller was created', async () => {
    const storage = new AsyncLocalStorage<string>();
    const { manager, cache } = managers.make();
    const seen: (string | undefined)[] = [];
    storage.run('creator', () => {
      manager.addController({
        name: 'created',
        watches: [
          {
            resource: ConfigMap,
            map(object) {
              seen.push(storage.getStore());
              return toSelf(object);
            },
          },
        ],
        reconcile: () => void seen.push(storage.getStore()),
      });
    });
    await running(manager);
    storage.run('event', () => cache.set(ConfigMap, objectOf(ConfigMap, 'a')));
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['creator', 'creator']);
  });

  test('UserCode.call returns results and throws errors; attempt reports an error and returns undefined', () => {
    const userCode = new UserCode();
    expect(userCode.call((a: number, b: number) => a + b, 1, 2)).toBe(3);
    const fail = (): never => {
      throw new Error('no');
    };
    expect(() => userCode.call(fail)).toThrow('no');
    const errors: unknown[] = [];
    expect(userCode.attempt(fail, (error) => errors.push(error))).toBeUndefined();
    expect(
      userCode.attempt(
        () => 'yes',
        (error) => errors.push(error),
      ),
    ).toBe('yes');
    expect(errors).toEqual([new Error('no')]);
  });
});
