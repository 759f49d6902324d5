import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import type { Controller } from './controller.ts';
import type { DynamicWatch } from '../source-set/dynamic-watch.ts';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import { eventually, ManagerPool, objectOf, running } from '../testing/fixtures.test-support.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const { ConfigMap, Secret, Service } = builtin;
const kinds = [ConfigMap, Secret, Service] as const;

type Names = readonly string[];

/** The actions of a run before its end. */
type Plan =
  | { readonly do: 'succeed' | 'fail'; readonly turns: number }
  | { readonly do: 'remove' | 'remove and fail'; readonly turns: number; readonly at: number }
  | { readonly do: 'change'; readonly turns: number; readonly at: number; readonly in: Names };

type Step =
  | { readonly do: 'watch'; readonly kind: number; readonly in: Names }
  | { readonly do: 'remove'; readonly at: number }
  | { readonly do: 'change'; readonly at: number; readonly in: Names }
  | { readonly do: 'event'; readonly kind: number; readonly name: number; readonly in: string }
  | { readonly do: 'turn' };

/** A watch, and the number of each of its namespaces. A namespace that returns has a new number. */
interface Watched {
  readonly watch: DynamicWatch;
  readonly ids: Map<string, number>;
}

interface Run {
  /** The watches that queued the run and were not removed. */
  readonly owners: Set<number>;
  /** The watches that queued the run. */
  readonly queuedBy: ReadonlySet<number>;
  hasEnded: boolean;
  /** True once the run has waited in a barrier. */
  enteredBarrier: boolean;
}

/** A controller, and a model of which watches queued which requests. */
class Churn {
  readonly storage = new AsyncLocalStorage<string>();
  readonly differences: string[] = [];
  readonly removals: Promise<void>[] = [];
  readonly #controller: Controller;
  readonly #cache: FakeCache;
  readonly #plans: readonly Plan[];
  readonly #watches: Watched[] = [];
  /** The watches with events since the last run, by the name of the request. */
  readonly #queuedBy = new Map<string, Set<number>>();
  readonly #failed = new Map<string, number>();
  readonly #running = new Map<string, Run>();
  /** The runs that failed in this turn, by name. The controller may not have queued their retries yet. */
  readonly #failing = new Map<string, Run>();
  /** The names whose failures a removal in that turn may have reset. */
  readonly #uncertain = new Set<string>();
  #runs = 0;
  #watchIds = 0;

  constructor(pool: ManagerPool, plans: readonly Plan[]) {
    const { manager, cache } = pool.make({
      controllers: { backoff: { base: 1, max: 2 }, concurrency: 3 },
    });
    this.#cache = cache;
    this.#plans = plans;
    this.#controller = manager.addController({
      name: 'churn',
      reconcile: ({ name }, context) => this.#reconcile(name, context),
    });
    this.started = running(manager);
  }

  readonly started: Promise<void>;

  get isQuiet(): boolean {
    return this.#running.size === 0 && this.#queuedBy.size === 0;
  }

  apply(step: Step): void {
    if (step.do === 'watch') this.#watch(step.kind, step.in);
    else if (step.do === 'change') this.removals.push(this.#change(step.at, step.in));
    else if (step.do === 'remove') this.removals.push(this.#remove(step.at));
    else if (step.do === 'event') this.#event(step.kind, step.name, step.in);
  }

  removeAll(): Promise<unknown> {
    return Promise.all(this.#watches.map(() => this.#remove(0)));
  }

  #watch(kind: number, namespaces: Names): void {
    const ids = new Map(namespaces.map((namespace) => [namespace, this.#newId()]));
    const watch = this.storage.run('adder', () =>
      this.#controller.watch({
        resource: kinds[kind] ?? ConfigMap,
        namespaces,
        map: ({ namespace, name }) => {
          const id = ids.get(namespace);
          this.#visit(`map ${id}`);
          if (id === undefined) {
            this.differences.push(`an event of ${namespace} after it left`);
            return undefined;
          }
          const queuedBy = this.#queuedBy.get(name) ?? new Set();
          this.#queuedBy.set(name, queuedBy.add(id));
          return { name };
        },
      }),
    );
    this.#watches.push({ watch, ids });
  }

  #newId(): number {
    this.#watchIds += 1;
    return this.#watchIds;
  }

  #event(kind: number, name: number, namespace: string): void {
    const resource = kinds[kind] ?? ConfigMap;
    const object = objectOf(resource, `x${name}`, { namespace });
    this.storage.run('event', () => this.#cache.set(resource, object));
  }

  async #remove(at: number): Promise<void> {
    const [found] = this.#watches.splice(at % Math.max(this.#watches.length, 1), 1);
    if (found !== undefined) await this.#leave([...found.ids.values()], () => found.watch.remove());
  }

  async #change(at: number, namespaces: Names): Promise<void> {
    const found = this.#watches[at % Math.max(this.#watches.length, 1)];
    if (found === undefined) return;
    const { watch, ids } = found;
    const left = [...ids].filter(([namespace]) => !namespaces.includes(namespace));
    for (const namespace of namespaces) {
      if (!ids.has(namespace)) ids.set(namespace, this.#newId());
    }
    for (const [namespace] of left) ids.delete(namespace);
    await this.#leave(
      left.map(([, id]) => id),
      () => watch.setNamespaces(namespaces),
    );
  }

  /** Ends watches of single namespaces by `end`, whose promise must wait for the runs that they caused. */
  async #leave(ids: readonly number[], end: () => Promise<void>): Promise<void> {
    const isCause = ({ queuedBy }: Run): boolean => ids.some((id) => queuedBy.has(id));
    const caused = [...this.#running.values()].filter(isCause);
    const ended = end();
    for (const id of ids) this.#withdraw(id);
    await ended;
    const left = caused.filter((run) => !run.hasEnded && !run.enteredBarrier);
    if (left.length > 0) this.differences.push(`watches ${String(ids)} ended and a run continues`);
  }

  #withdraw(id: number): void {
    for (const run of this.#running.values()) run.owners.delete(id);
    for (const [name, { owners }] of this.#failing) {
      if (owners.delete(id) && owners.size === 0) this.#uncertain.add(name);
    }
    for (const [name, queuedBy] of this.#queuedBy) {
      if (!queuedBy.delete(id) || queuedBy.size > 0) continue;
      this.#queuedBy.delete(name);
      if (!this.#running.has(name)) this.#failed.delete(name);
    }
  }

  async #reconcile(name: string, { attempt, causes }: ReconcileContext): Promise<void> {
    this.#visit(`reconcile ${name}`);
    const queuedBy = this.#queuedBy.get(name);
    const isForgotten = this.#uncertain.delete(name) && attempt === 1;
    const failed = isForgotten ? 0 : (this.#failed.get(name) ?? 0);
    // A failure before the end of its backoff is not a new attempt.
    const isAgain = failed > 1 && attempt === failed;
    if (queuedBy === undefined) this.differences.push(`no watch queued the run of ${name}`);
    if (this.#running.has(name)) this.differences.push(`${name} runs twice`);
    if (attempt !== failed + 1 && !isAgain) {
      this.differences.push(`attempt ${attempt} after ${failed}`);
    }
    if (causes.length > 8) this.differences.push(`${causes.length} causes`);
    this.#queuedBy.delete(name);
    const owners = new Set(queuedBy);
    const run: Run = {
      owners,
      queuedBy: new Set(queuedBy),
      hasEnded: false,
      enteredBarrier: false,
    };
    this.#running.set(name, run);
    try {
      await this.#follow(this.#nextPlan(), run);
      this.#failed.delete(name);
    } catch (error) {
      this.#retry(name, attempt, run);
      throw error;
    } finally {
      run.hasEnded = true;
      this.#running.delete(name);
    }
  }

  /** A retry keeps the owners of the run; without an owner the run is not retried. */
  #retry(name: string, attempt: number, run: Run): void {
    const { owners } = run;
    if (owners.size === 0) {
      this.#failed.delete(name);
      return;
    }
    this.#failed.set(name, attempt);
    this.#failing.set(name, run);
    setImmediate(() => this.#failing.delete(name));
    const queuedBy = this.#queuedBy.get(name) ?? new Set();
    for (const owner of owners) queuedBy.add(owner);
    this.#queuedBy.set(name, queuedBy);
  }

  async #follow(plan: Plan, run: Run): Promise<void> {
    for (let turn = 0; turn < plan.turns; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (plan.do === 'remove' || plan.do === 'remove and fail') {
      run.enteredBarrier = true;
      await this.#remove(plan.at);
    }
    if (plan.do === 'change') {
      run.enteredBarrier = true;
      await this.#change(plan.at, plan.in);
    }
    if (plan.do === 'fail' || plan.do === 'remove and fail') throw new Error('planned');
  }

  /** Returns each plan once; later runs succeed, so that the controller becomes idle. */
  #nextPlan(): Plan {
    this.#runs += 1;
    return this.#plans[this.#runs - 1] ?? { do: 'succeed', turns: 0 };
  }

  #visit(where: string): void {
    const store = this.storage.getStore();
    if (store !== undefined) this.differences.push(`${where} sees the store ${store}`);
    this.storage.enterWith(where);
  }
}

const turns = fc.nat({ max: 3 });
const at = fc.nat({ max: 20 });
const namespace = fc.constantFrom('a', 'b', 'c');
const someNamespaces = fc.uniqueArray(namespace, { minLength: 1, maxLength: 3 });
const plan: fc.Arbitrary<Plan> = fc.oneof(
  fc.record({ do: fc.constantFrom('succeed' as const, 'fail' as const), turns }),
  fc.record({ do: fc.constantFrom('remove' as const, 'remove and fail' as const), turns, at }),
  fc.record({ do: fc.constant('change' as const), turns, at, in: someNamespaces }),
);
const kind = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('watch' as const), kind, in: someNamespaces }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('change' as const), at, in: someNamespaces }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), at }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('event' as const),
      kind,
      name: fc.nat({ max: 2 }),
      in: namespace,
    }),
  },
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'turn' }) },
);

describe('watches that are added and removed during reconciles', () => {
  test('RC14, PQ33 random watches, namespaces, events, failures and removals keep exact causes, one run per key, no leak and no deadlock', async () => {
    const steps = fc.array(step, { minLength: 30, maxLength: 80, size: 'max' });
    const plans = fc.array(plan, { maxLength: 40, size: 'max' });
    await fc.assert(
      fc.asyncProperty(steps, plans, async (chosen, planned) => {
        const pool = new ManagerPool();
        const churn = new Churn(pool, planned);
        await churn.started;
        for (const one of chosen) {
          if (one.do === 'turn') await new Promise((resolve) => setImmediate(resolve));
          else churn.apply(one);
        }
        await Promise.all(churn.removals);
        await eventually(() => churn.isQuiet);
        await churn.removeAll();
        await pool.stopAll();
        expect(churn.differences).toEqual([]);
      }),
      { numRuns: Math.ceil(150 * multiple) },
    );
  });
});
