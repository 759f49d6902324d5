import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import type { Controller } from './controller.ts';
import type { DynamicWatch } from '../source-set/dynamic-watch.ts';
import {
  eventually,
  ManagerPool,
  managersOfTest,
  objectOf,
  running,
  watchOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const { ConfigMap, Secret, Service } = builtin;

const managers = managersOfTest();

describe('controllers that are added and stopped', () => {
  test('RC16 the predicates and mappers of a stopped controller no longer run; those of another one do', async () => {
    const { manager, cache } = managers.make();
    const calls: string[] = [];
    const add = (name: string): Controller =>
      manager.addController({
        name,
        watches: [
          {
            resource: Secret,
            predicates: [() => calls.push(`${name} predicate`) > 0],
            map(secret) {
              calls.push(`${name} map`);
              return { name: secret.name };
            },
          },
        ],
        reconcile: () => undefined,
      });
    const a = add('a');
    add('b');
    await running(manager);
    await a.stop();
    cache.set(Secret, objectOf(Secret, 's'));
    expect(calls).toEqual(['b predicate', 'b map']);
  });

  test('RC15 a controller may stop before its start, and a new one may start with its name', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const add = (tag: string): Controller =>
      manager.addController({
        name: 'same',
        for: WebApp,
        reconcile({ name }) {
          seen.push(`${tag} ${name}`);
        },
      });
    const first = add('first');
    await first.stop();
    add('second');
    await running(manager);
    expect([...cache.handles].map(({ owner }) => owner)).toEqual(['same#2: for WebApp']);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['second a']);
  });

  interface NamespacesStep {
    readonly act: 'namespaces';
    /** The controller, or the manager for 3. */
    readonly at: number;
    readonly names: readonly string[];
  }

  /** A change of a controller that exists. */
  type ChangeStep =
    | { readonly act: 'stop' | 'event'; readonly at: number }
    | {
        readonly act: 'watch' | 'remove' | 'replace';
        readonly at: number;
        readonly kinds: readonly number[];
        readonly required: boolean;
      };

  type Step =
    | ChangeStep
    | NamespacesStep
    | { readonly act: 'add'; readonly at: number }
    | { readonly act: 'turn' | 'sync' | 'start' };

  const kinds = [ConfigMap, Secret, Service] as const;
  const at = fc.nat({ max: 2 });
  const someKinds = fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 3 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ act: fc.constantFrom('add', 'stop', 'event'), at }),
    fc.record({
      act: fc.constantFrom('watch', 'remove', 'replace'),
      at,
      kinds: someKinds,
      required: fc.boolean(),
    }),
    fc.record({
      act: fc.constant('namespaces' as const),
      at: fc.nat({ max: 3 }),
      names: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
    }),
    fc.constantFrom<Step>({ act: 'turn' }, { act: 'sync' }, { act: 'start' }),
  );

  /** Applies the steps. Then the held watches must equal those of the model, and none is left at the end. */
  async function play(steps: readonly Step[]): Promise<void> {
    const pool = new ManagerPool();
    const { manager, cache } = pool.make({ namespaces: ['a'] });
    /** The namespaces of the manager, and those of the controller 0. The others follow the manager. */
    let shared: readonly string[] = ['a'];
    let own: readonly string[] = ['b', 'c'];
    cache.syncsAtOnce = false;
    const controllers: (Controller | undefined)[] = [];
    const watches = new Set<{ readonly owner: Controller; readonly watch: DynamicWatch }>();
    const pending: Promise<unknown>[] = [];
    const failures: unknown[] = [];
    const refusals: (string | undefined)[] = [];
    let hasStarted = false;
    const forget = (owner: Controller): void => {
      for (const entry of watches) if (entry.owner === owner) watches.delete(entry);
    };
    const sets = new Map<Controller, readonly number[]>();
    /** Each source has a handler in each namespace of its controller. */
    const handlersOf = (all: readonly (Controller | undefined)[]): number =>
      all.reduce((sum, controller, index) => {
        if (controller === undefined) return sum;
        const dynamic = [...watches].filter(({ owner }) => owner === controller).length;
        const sources = 1 + dynamic + (sets.get(controller)?.length ?? 0);
        return sum + sources * (index === 0 ? own : shared).length;
      }, 0);
    const perform = async (action: Step): Promise<void> => {
      switch (action.act) {
        case 'turn':
          await Promise.resolve();
          break;
        case 'sync':
          for (const kind of [...kinds, WebApp]) cache.sync(kind);
          break;
        case 'start':
          // No start fails, even if required watches are added and removed during it.
          if (!hasStarted) manager.start().catch((error: unknown) => failures.push(error));
          hasStarted = true;
          // Waits until the watches are open.
          await new Promise((resolve) => setImmediate(resolve));
          break;
        case 'namespaces':
          setNamespaces(action);
          break;
        case 'add':
          await add(action.at);
          break;
        default: {
          const controller = controllers[action.at];
          if (controller !== undefined) change(controller, action);
        }
      }
    };
    const setNamespaces = ({ at: index, names }: NamespacesStep): void => {
      const target = index === 3 ? manager : controllers[index];
      const done = target?.setNamespaces(names);
      if (index === 3) shared = names;
      if (index === 0 && target !== undefined) own = names;
      if (index === 0 || index === 3) pending.push(Promise.resolve(done));
      else done?.catch((error: { code?: string }) => refusals.push(error.code));
    };
    const add = async (index: number): Promise<void> => {
      if (controllers[index] !== undefined) return;
      // The name is free only when the controller that had it has ended.
      await Promise.all(pending.splice(0));
      controllers[index] = manager.addController({
        name: `c${index}`,
        for: WebApp,
        ...(index === 0 ? { namespaces: own } : {}),
        reconcile: () => undefined,
      });
    };
    const change = (controller: Controller, action: ChangeStep): void => {
      switch (action.act) {
        case 'stop':
          pending.push(controller.stop());
          forget(controller);
          sets.delete(controller);
          controllers[action.at] = undefined;
          break;
        case 'event':
          cache.set(kinds[action.at] ?? ConfigMap, objectOf(ConfigMap, 'x'));
          break;
        case 'watch':
          for (const kind of action.kinds) {
            const { required } = action;
            const watch = controller.watch({ ...watchOf(kinds[kind] ?? Secret), required });
            watches.add({ owner: controller, watch });
          }
          break;
        case 'remove':
          for (const entry of [...watches].filter(({ owner }) => owner === controller)) {
            pending.push(entry.watch.remove());
            watches.delete(entry);
          }
          break;
        case 'replace':
          pending.push(replaceWith(controller, action.kinds));
          sets.set(controller, action.kinds);
      }
    };
    for (const action of steps) {
      await perform(action);
      expect(cache.handlers).toBe(hasStarted ? handlersOf(controllers) : 0);
    }
    await Promise.all(pending);
    await pool.stopAll();
    expect(cache.handles.size).toBe(0);
    expect(cache.handlers).toBe(0);
    expect(failures).toEqual([]);
    expect(refusals.every((code) => code === 'INVALID_OPTION')).toBe(true);
  }

  function replaceWith(controller: Controller, set: readonly number[]): Promise<unknown> {
    return controller.replaceWatches(
      'set',
      set.map((kind) => watchOf(kinds[kind] ?? Secret)),
    );
  }

  test('RC15 random operations, 10 000 in .ci/run (add, start, watch, namespaces, remove, stop) leave no handler and no watch', async () => {
    let operations = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 40, maxLength: 60, size: 'max' }),
        async (steps) => {
          operations += steps.length;
          await play(steps);
        },
      ),
      { numRuns: Math.ceil(250 * multiple), seed: 20_261_121 },
    );
    expect(operations).toBeGreaterThanOrEqual(10_000 * multiple);
  });
});
