import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, jest, test } from '@jest/globals';
import type { Controller } from '../controller/controller.ts';
import type { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import type { Request } from '../reconcile/request.ts';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import {
  eventually,
  gate,
  managersOfTest,
  objectOf,
  recordingLogger,
  running,
  useFakeTime,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { DaemonContext, DaemonTask } from './daemons.ts';

const managers = managersOfTest();

type Step = (
  context: ReconcileContext,
  request: Request,
) => Promise<Outcome | void> | Outcome | void;

interface WorldOptions extends ManagerOptions {
  /** Those of the controller. */
  readonly namespaces?: readonly string[];
}

/** A running controller of WebApps whose runs call `step`. */
class World {
  readonly manager: Manager;
  readonly cache: FakeCache;
  readonly controller: Controller;
  readonly lines: Record<string, unknown>[];
  /** What daemons did, in order. */
  readonly events: string[] = [];
  step: Step;
  runs = 0;

  constructor(step: Step, { namespaces, ...options }: WorldOptions = {}) {
    const { logger, lines } = recordingLogger();
    this.lines = lines;
    this.step = step;
    ({ manager: this.manager, cache: this.cache } = managers.make({ logger, ...options }));
    this.controller = this.manager.addController({
      name: 'app',
      for: WebApp,
      ...(namespaces !== undefined && { namespaces }),
      backoff: { base: '1ms', max: '1ms' },
      reconcile: async (request, context) => {
        try {
          return await this.step(context, request);
        } finally {
          this.runs += 1;
        }
      },
    });
  }

  put(name: string, namespace = 'default'): void {
    this.cache.set(WebApp, objectOf(WebApp, name, { namespace }));
  }

  /** Waits for this number of runs, and for the daemons that they start. */
  async ran(runs: number): Promise<void> {
    await eventually(() => this.runs >= runs && this.controller.running === 0);
  }

  /** A task that records its begin and its end, and runs until it is aborted. */
  readonly forever =
    (name: string) =>
    async ({ signal }: DaemonContext): Promise<void> => {
      this.events.push(`${name} begins`);
      await aborted(signal);
      this.events.push(`${name} ends`);
    };

  daemons(): Promise<number | undefined> {
    return valueOf(this.manager, 'keelson_daemons', { controller: 'app' });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

async function startedWorld(step: Step, options: WorldOptions = {}): Promise<World> {
  const world = new World(step, options);
  await running(world.manager);
  return world;
}

/** A world whose runs keep one daemon for each object that exists. */
async function withDaemon(options: WorldOptions = {}): Promise<World> {
  const world = await startedWorld(({ daemons, cache }, request) => {
    if (cache.get(WebApp, request) === undefined) return;
    daemons.run('pump', world.forever(`pump of ${request.name}`));
  }, options);
  return world;
}

describe('a daemon', () => {
  test('begins with its object, continues between runs, and ends when the object is deleted', async () => {
    const world = await withDaemon();
    world.put('a');
    await world.ran(1);
    world.controller.enqueue({ namespace: 'default', name: 'a' });
    await world.ran(2);
    await eventually(() => world.events.length > 0);
    expect(world.events).toEqual(['pump of a begins']);
    expect(await world.daemons()).toBe(1);
    world.cache.delete(WebApp, { namespace: 'default', name: 'a' });
    await eventually(() => world.events.length === 2);
    expect(world.events).toEqual(['pump of a begins', 'pump of a ends']);
    await eventually(async () => (await world.daemons()) === 0);
  });

  test('ends although the runs of its deleted object fail', async () => {
    const world = await withDaemon();
    world.put('a');
    await eventually(() => world.events.length === 1);
    world.step = () => Promise.reject(new Error('failed'));
    world.cache.delete(WebApp, { namespace: 'default', name: 'a' });
    await eventually(() => world.events.length === 2);
  });

  test('ends after a run that succeeds without it, and not after one that fails', async () => {
    const world = await withDaemon();
    world.put('a');
    await eventually(() => world.events.length === 1);
    world.step = () => {
      if (world.runs === 1) throw new Error('failed');
      expect(world.events).toEqual(['pump of a begins']);
    };
    world.controller.enqueue({ namespace: 'default', name: 'a' });
    await world.ran(3);
    await eventually(() => world.events.length === 2);
    expect(world.events[1]).toBe('pump of a ends');
  });

  test('with another version begins when the former one has ended', async () => {
    const end = gate();
    const world = await startedWorld(({ daemons }) => {
      const version = world.runs;
      const task = async ({ signal }: DaemonContext): Promise<void> => {
        world.events.push(`${version} begins`);
        await aborted(signal);
        await end.opened;
        world.events.push(`${version} ends`);
      };
      daemons.run('pump', task, { version });
      daemons.run('other', world.forever('other'));
    });
    world.put('a');
    await eventually(() => world.events.length === 2);
    world.controller.enqueue({ namespace: 'default', name: 'a' });
    await world.ran(2);
    await new Promise(setImmediate);
    expect(world.events).toEqual(['0 begins', 'other begins']);
    end.open();
    await eventually(() => world.events.length === 4);
    expect(world.events.slice(2)).toEqual(['0 ends', '1 begins']);
  });

  test('that ignores its signal makes one daemon wait, however often its version changes', async () => {
    const stuck = gate();
    let version = 0;
    const world = await startedWorld(({ daemons }) => {
      const own = (version += 1);
      const task = async (): Promise<void> => {
        world.events.push(`${own} begins`);
        if (own === 1) await stuck.opened;
      };
      daemons.run('pump', task, { version: own });
    });
    world.put('a');
    await eventually(() => world.events.length === 1);
    for (let runs = 2; runs <= 20; runs += 1) {
      world.controller.enqueue({ namespace: 'default', name: 'a' });
      await world.ran(runs);
    }
    expect(await world.daemons()).toBe(2);
    stuck.open();
    await eventually(() => world.events.length === 2);
    expect(world.events).toEqual(['1 begins', '20 begins']);
  });

  test('with the version NaN is kept by a run with the same version', async () => {
    const world = await startedWorld(({ daemons }) => {
      daemons.run('pump', world.forever('pump'), { version: NaN });
      daemons.run(`other ${world.runs}`, world.forever(`other ${world.runs}`));
    });
    world.put('a');
    await eventually(() => world.events.length === 2);
    world.controller.enqueue({ namespace: 'default', name: 'a' });
    await eventually(() => world.events.includes('other 0 ends'));
    expect(world.events.filter((event) => event.startsWith('pump'))).toEqual(['pump begins']);
  });

  test('that has returned does not begin again, unless with another version', async () => {
    let version = 'a';
    const world = await startedWorld(({ daemons }) => {
      daemons.run('once', () => void world.events.push(version), { version });
    });
    world.put('a');
    await eventually(() => world.events.length === 1);
    world.controller.enqueue({ namespace: 'default', name: 'a' });
    await world.ran(2);
    version = 'b';
    world.controller.enqueue({ namespace: 'default', name: 'a' });
    await world.ran(3);
    await eventually(() => world.events.length === 2);
    expect(world.events).toEqual(['a', 'b']);
  });

  test('with `every` runs again that long after each success, with the task of the latest run', async () => {
    useFakeTime({ setImmediate: true });
    let task = 'first';
    const world = await startedWorld(({ daemons }) => {
      const name = task;
      daemons.run('timer', () => void world.events.push(name), { every: '1m' });
    });
    world.put('a');
    await eventually(() => world.events.length === 1);
    await jest.advanceTimersByTimeAsync(59_999);
    expect(world.events).toEqual(['first']);
    task = 'second';
    world.controller.enqueue({ namespace: 'default', name: 'a' });
    await world.ran(2);
    await jest.advanceTimersByTimeAsync(1);
    expect(world.events).toEqual(['first', 'second']);
    await world.controller.stop();
    await jest.advanceTimersByTimeAsync(120_000);
    expect(world.events).toHaveLength(2);
  });

  test('that throws begins again after 1, 2, 4 and at most 60 seconds, and is logged and counted', async () => {
    useFakeTime({ setImmediate: true });
    const attempts: [attempt: number, at: number][] = [];
    const begin = Date.now();
    const world = await startedWorld(({ daemons }) => {
      daemons.run('faulty', ({ attempt, clock }) => {
        attempts.push([attempt, clock.now() - begin]);
        if (attempt < 9) throw new Error(`failed ${attempt}`);
      });
    });
    world.put('a');
    await eventually(() => attempts.length === 1);
    await jest.advanceTimersByTimeAsync(300_000);
    const delays = attempts.map(([, at], index) => at - (attempts[index - 1]?.[1] ?? at));
    expect(attempts.map(([attempt]) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(delays).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000));
    const logged = world.lines.filter(({ message }) => message === 'daemon failed');
    expect(logged).toHaveLength(8);
    expect(logged[0]).toMatchObject({
      level: 'error',
      controller: 'app',
      namespace: 'default',
      name: 'a',
      daemon: 'faulty',
      delay: 1000,
      err: { message: 'failed 1' },
    });
    const labels = { controller: 'app' };
    expect(await valueOf(world.manager, 'keelson_handler_errors_total', labels)).toBe(8);
  });

  test('that fails after it has run for a minute counts as the first failure', async () => {
    useFakeTime({ setImmediate: true });
    const attempts: number[] = [];
    const world = await startedWorld(({ daemons }) => {
      daemons.run('faulty', async ({ attempt, sleep }) => {
        attempts.push(attempt);
        if (attempts.length === 3) await sleep('1m');
        throw new Error('failed');
      });
    });
    world.put('a');
    await eventually(() => attempts.length === 1);
    await jest.advanceTimersByTimeAsync(64_500);
    expect(attempts).toEqual([1, 2, 3, 2]);
  });

  test('is awaited by daemons.end, such as before a finalizer is removed', async () => {
    const world = await withDaemon();
    const end = gate();
    world.step = ({ daemons }) => {
      daemons.run('pump', async ({ signal }) => {
        await aborted(signal);
        await end.opened;
        world.events.push('pump ends');
      });
      daemons.run('other', world.forever('other'));
    };
    world.put('a');
    await world.ran(1);
    world.step = async ({ daemons }) => {
      await daemons.end('pump');
      world.events.push('cleaned up');
      await daemons.end();
      await daemons.end('unknown');
      world.events.push('all');
    };
    world.controller.enqueue({ namespace: 'default', name: 'a' });
    await eventually(() => world.controller.running === 1);
    expect(world.events).toEqual(['other begins']);
    end.open();
    await world.ran(2);
    expect(world.events).toEqual(['other begins', 'pump ends', 'cleaned up', 'other ends', 'all']);
    expect(await world.daemons()).toBe(0);
  });

  test('may be started again in the run that ended it', async () => {
    const world = await withDaemon();
    world.put('a');
    await eventually(() => world.events.length === 1);
    world.step = async ({ daemons }) => {
      void daemons.end();
      daemons.run('pump', world.forever('second'));
    };
    world.controller.enqueue({ namespace: 'default', name: 'a' });
    await eventually(() => world.events.length === 3);
    expect(world.events).toEqual(['pump of a begins', 'pump of a ends', 'second begins']);
    expect(await world.daemons()).toBe(1);
  });

  test.each<[string, (world: World) => Promise<void>]>([
    ['its controller', ({ controller }) => controller.stop()],
    ['the manager', ({ manager }) => manager.stop()],
  ])('is aborted and awaited by a stop of %s', async (_, stop) => {
    const world = await withDaemon({ gracePeriod: '5s' });
    world.step = ({ daemons, cache }) => {
      daemons.run('pump', async ({ signal }) => {
        await aborted(signal);
        expect(signal.reason).toMatchObject({ code: 'STOPPING', facts: { daemon: 'pump' } });
        for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
        world.events.push('pump ends');
      });
      void cache;
    };
    world.put('a');
    await world.ran(1);
    await stop(world);
    expect(world.events).toEqual(['pump ends']);
  });

  test('that ignores its abort delays a stop no longer than the grace period, and is logged', async () => {
    const world = await withDaemon({ gracePeriod: '10ms' });
    const end = gate();
    world.step = ({ daemons }) => daemons.run('pump', () => end.opened);
    world.put('a');
    await world.ran(1);
    await world.controller.stop();
    const message = 'daemons still run after the stop';
    expect(world.lines).toContainEqual(expect.objectContaining({ message, daemons: 1 }));
    end.open();
  });

  test('reports an error after its abort, except the reason of the abort', async () => {
    const world = await startedWorld(({ daemons }) => {
      daemons.run('sleeping', ({ sleep }) => sleep('1h'));
      daemons.run('closing', async ({ signal }) => {
        await aborted(signal);
        throw new Error('not closed');
      });
    });
    world.put('a');
    await world.ran(1);
    await new Promise(setImmediate);
    await world.controller.stop();
    const failed = world.lines.filter(({ message }) => message === 'daemon failed');
    expect(failed).toMatchObject([{ daemon: 'closing', err: { message: 'not closed' } }]);
    expect(failed[0]).not.toHaveProperty('delay');
  });

  const THEN = ['th', 'en'].join('');
  const thenable = (then: { value?: unknown; get?: () => never }): never =>
    Object.defineProperty({}, THEN, then) as never;
  const boom = new Error('boom');
  const fail = (): never => {
    throw boom;
  };

  test.each<[string, (world: World) => DaemonTask]>([
    ['throws', () => fail],
    ['rejects', () => () => Promise.reject(boom)],
    [
      'returns a thenable that rejects',
      () => () =>
        thenable({ value: (_: unknown, reject: (error: unknown) => void) => reject(boom) }),
    ],
    ['returns a thenable whose then throws', () => () => thenable({ get: fail })],
    [
      'stops its own controller, and fails after that',
      ({ controller }) =>
        async ({ signal }) => {
          void controller.stop();
          expect(signal.aborted).toBe(true);
          return Promise.reject(boom);
        },
    ],
  ])('that %s fails nothing else', async (_, taskOf) => {
    const unhandled: unknown[] = [];
    const listener = (error: unknown): number => unhandled.push(error);
    process.on('unhandledRejection', listener);
    const world = await startedWorld(({ daemons }) => {
      daemons.run('other', world.forever('other'));
      daemons.run('faulty', taskOf(world));
    });
    world.put('a');
    await eventually(() => world.lines.some(({ message }) => message === 'daemon failed'));
    expect(world.events[0]).toBe('other begins');
    await world.controller.stop();
    expect(world.events).toEqual(['other begins', 'other ends']);
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });

  test('ends when its namespace leaves the controller', async () => {
    const world = await withDaemon({ namespaces: ['one', 'two'] });
    world.put('a', 'one');
    world.put('b', 'two');
    await eventually(() => world.events.length === 2);
    await world.controller.setNamespaces(['two']);
    await eventually(() => world.events.length === 3);
    expect(world.events[2]).toBe('pump of a ends');
  });

  test('of code that a run left behind does not begin', async () => {
    const world = await startedWorld(async ({ daemons }) => {
      setImmediate(() => daemons.run('late', world.forever('late')));
    });
    const rest: ReconcileContext[] = [];
    world.put('a');
    await world.ran(1);
    world.step = (context) => void rest.push(context);
    world.controller.enqueue({ namespace: 'default', name: 'a' });
    await world.ran(2);
    rest[0]?.daemons.run('later', world.forever('later'));
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(world.events).toEqual([]);
  });

  test("that ends its request's daemons after the run does not wait for itself", async () => {
    const begun = gate();
    const world = await startedWorld(({ daemons }) => {
      daemons.run('own', async ({ signal }) => {
        await begun.opened;
        await daemons.end();
        world.events.push(`ended by itself: ${signal.aborted}`);
        await aborted(signal);
      });
    });
    world.put('a');
    await world.ran(1);
    begun.open();
    await eventually(() => world.events.length === 1);
    expect(world.events).toEqual(['ended by itself: false']);
    await world.manager.stop();
  });

  test('runs outside of the async context of the run, and may run its request again', async () => {
    const storage = new AsyncLocalStorage<string>();
    const world = await startedWorld(({ daemons, causes }) => {
      world.events.push(`run: ${causes[0]?.reason}`);
      storage.enterWith('run');
      daemons.run('pump', async ({ enqueue, signal }) => {
        world.events.push(`daemon: ${storage.getStore()}`);
        enqueue();
        await aborted(signal);
        enqueue();
      });
    });
    world.put('a');
    await world.ran(2);
    expect(world.events).toEqual(['run: added', 'daemon: undefined', 'run: manual']);
    await world.controller.stop();
  });

  test('is refused beyond 32 of a request', async () => {
    const errors: unknown[] = [];
    const world = await startedWorld(({ daemons }) => {
      for (let count = 0; count < 33; count += 1) {
        try {
          daemons.run(`daemon ${count}`, world.forever('daemon'));
        } catch (error) {
          errors.push(error);
        }
      }
    });
    world.put('a');
    await world.ran(1);
    const facts = { controller: 'app', limit: 32 };
    expect(errors).toEqual([expect.objectContaining({ code: 'TOO_MANY_DAEMONS', facts })]);
    expect(await world.daemons()).toBe(32);
  });

  test.each<[string, readonly unknown[]]>([
    ['daemons.run.name', ['', () => undefined]],
    ['daemons.run.name', [1, () => undefined]],
    ['daemons.run.task', ['a', undefined]],
    ['daemons.run.options', ['a', () => undefined, { interval: 1 }]],
    ['daemons.run.options.every', ['a', () => undefined, { every: 0 }]],
    ['daemons.run.options.every', ['a', () => undefined, { every: 'soon' }]],
    ['daemons.run.options.version', ['a', () => undefined, { version: {} }]],
  ])('throws INVALID_OPTION for a wrong %s', async (option, given) => {
    const errors: unknown[] = [];
    const world = await startedWorld(({ daemons }) => {
      try {
        (daemons.run as (...all: readonly unknown[]) => void)(...given);
      } catch (error) {
        errors.push(error);
      }
    });
    world.put('a');
    await world.ran(1);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: expect.stringContaining(option) }),
      }),
    ]);
  });
});
