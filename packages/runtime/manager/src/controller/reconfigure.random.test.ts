import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import type { Controller } from './controller.ts';
import type { Reconfiguration } from './reconfiguration.ts';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import {
  eventually,
  ManagerPool,
  nothing,
  objectOf,
  running,
  toSelf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import { createLogger } from '../logging/logger.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const { Secret } = builtin;

/** The color of an object is its name, and never changes. */
const colors = ['red', 'blue', 'green'] as const;
const spaces = ['a', 'b', 'c'] as const;

interface Config {
  readonly colors: readonly string[];
  readonly namespaces: readonly string[];
  readonly reads: boolean;
  readonly concurrency: number;
  /** Options that change no watch. */
  readonly rules: Pick<
    Reconfiguration<WebApp>,
    'ageAfter' | 'eventRate' | 'maxReconcileInterval' | 'resync'
  >;
}

type Step =
  | { readonly do: 'change'; readonly to: Partial<Config> }
  | { readonly do: 'event' | 'delete'; readonly color: string; readonly in: string }
  | { readonly do: 'sync'; readonly count: number }
  | { readonly do: 'abort' | 'turn' | 'stop' };

interface Pending {
  readonly to: Partial<Config>;
  readonly abort: AbortController;
}

/** A controller that changes at random, and a model of what is in force. */
class Changes {
  readonly differences: string[] = [];
  readonly cache: FakeCache;
  readonly #controller: Controller;
  readonly #pending: Pending[] = [];
  readonly #givenUp = new Set<Pending>();
  readonly #calls: Promise<unknown>[] = [];
  /** The version of each object that its last run saw; 0 for a run without the object. */
  readonly #seen = new Map<string, string>();
  /** Objects that were deleted and must have a run, because every configuration since then selects them. */
  readonly #deleted = new Set<string>();
  /**
   * Objects whose deletion a watch in force saw and no run has seen. Their requests stay when a change no longer selects
   * them, even if such an object is created again before the run.
   */
  readonly #queuedDeletions = new Set<string>();
  #config: Config = { colors: ['red'], namespaces: ['a'], reads: false, concurrency: 1, rules: {} };
  #isStopped = false;
  readonly started: Promise<void>;

  constructor(pool: ManagerPool) {
    const write = (line: string): void => {
      if (line.includes('"controller reconfigured"')) this.#committed();
    };
    const { manager, cache } = pool.make({ logger: createLogger({ level: 'info', write }) });
    this.cache = cache;
    const { namespaces } = this.#config;
    this.#controller = manager.addController({
      name: 'random',
      for: { resource: WebApp, labelSelector: selectorOf(this.#config) },
      namespaces,
      watches: [{ resource: Secret, map: toSelf, namespace: 'default' }],
      reconcile: ({ namespace = '', name }) => this.#reconcile(namespace, name),
    });
    this.started = running(manager).then(() => void (cache.syncsAtOnce = false));
  }

  apply(step: Step): void {
    if (step.do === 'change') this.#change(step.to);
    else if (step.do === 'event') this.#event(step.in, step.color);
    else if (step.do === 'delete') this.#delete(step.in, step.color);
    else if (step.do === 'sync') this.#sync(step.count);
    else if (step.do === 'abort') this.#abort();
    else if (step.do === 'stop') this.#stop();
  }

  async settle(): Promise<void> {
    let settled = false;
    void Promise.allSettled(this.#calls).then(() => (settled = true));
    await eventually(() => {
      this.#sync(100);
      return settled && this.#controller.running === 0 && this.#controller.length === 0;
    });
  }

  /** The selectors and namespaces of the open watches of WebApps, and those that the configuration names. */
  watches(): [open: string[], wanted: string[]] {
    const open = Array.from(
      this.cache.handles,
      ({ query }) => `${query.resource.kind} ${query.namespace} ${query.labelSelector ?? ''}`,
    ).toSorted();
    if (this.#isStopped) return [open, []];
    const { namespaces, reads } = this.#config;
    const selector = selectorOf(this.#config);
    const wanted = namespaces.map((namespace) => `WebApp ${namespace} ${selector}`);
    return [
      open,
      [...wanted, 'Secret default ', ...(reads ? ['ConfigMap default '] : [])].toSorted(),
    ];
  }

  /** The objects of the configuration whose last state no run saw. */
  unseen(): string[] {
    if (this.#isStopped) return [];
    const unseen = this.cache.objects(WebApp).flatMap(({ metadata }) => {
      const [namespace = '', name = ''] = [metadata?.namespace, metadata?.name];
      const key = `${namespace}/${name}`;
      const isWanted = selects(this.#config, namespace, name);
      return isWanted && this.#seen.get(key) !== metadata?.resourceVersion ? [key] : [];
    });
    return [...unseen, ...[...this.#deleted].map((key) => `deletion of ${key}`)];
  }

  #change(to: Partial<Config>): void {
    const abort = new AbortController();
    const pending = { to, abort };
    this.#pending.push(pending);
    const next = { ...this.#config, ...to };
    const call = this.#controller.reconfigure(
      {
        ...(to.colors && { for: { resource: WebApp, labelSelector: selectorOf(next) } }),
        ...(to.namespaces && { namespaces: to.namespaces }),
        ...(to.reads !== undefined && {
          reads: to.reads ? [{ resource: builtin.ConfigMap, namespace: 'default' }] : [],
        }),
        ...(to.concurrency && { concurrency: to.concurrency }),
        ...to.rules,
      },
      { signal: abort.signal },
    );
    call.catch(nothing);
    this.#calls.push(call);
  }

  /** Called when the controller begins the first pending change. */
  #committed(): void {
    const first = this.#pending.shift();
    if (first === undefined) this.differences.push('a change that was given up is in force');
    this.#config = { ...this.#config, ...first?.to };
    for (const key of this.#deleted) {
      const [namespace = '', name = ''] = key.split('/');
      if (!selects(this.#config, namespace, name)) this.#deleted.delete(key);
    }
  }

  #event(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    this.#deleted.delete(key);
    if (selects(this.#config, namespace, name)) this.#queuedDeletions.delete(key);
    this.cache.set(
      WebApp,
      objectOf(WebApp, name, { namespace, metadata: { labels: { color: name } } }),
    );
  }

  #delete(namespace: string, name: string): void {
    if (this.cache.get(WebApp, { namespace, name }) === undefined) return;
    if (selects(this.#config, namespace, name)) {
      this.#deleted.add(`${namespace}/${name}`);
      this.#queuedDeletions.add(`${namespace}/${name}`);
    }
    this.cache.delete(WebApp, { namespace, name });
  }

  #sync(count: number): void {
    const unsynced = [...this.cache.handles].filter(({ hasSynced }) => !hasSynced);
    for (const handle of unsynced.slice(0, count)) handle.sync();
  }

  #abort(): void {
    const last = this.#pending.pop();
    if (last === undefined) return;
    last.abort.abort(new Error('given up'));
    // A request that its watches had queued before may run in this turn.
    this.#givenUp.add(last);
    setImmediate(() => this.#givenUp.delete(last));
  }

  #stop(): void {
    this.#isStopped = true;
    this.#pending.length = 0;
    this.#calls.push(this.#controller.stop());
  }

  async #reconcile(namespace: string, name: string): Promise<void> {
    const key = `${namespace}/${name}`;
    const object = this.cache.get(WebApp, { namespace, name });
    this.#deleted.delete(key);
    const isOfDeletion = this.#queuedDeletions.delete(key);
    this.#seen.set(key, object?.metadata?.resourceVersion ?? '0');
    const isWanted = [{}, ...[...this.#pending, ...this.#givenUp].map(({ to }) => to)].some(
      (_, at, all) => {
        const config = Object.assign({}, this.#config, ...all.slice(0, at + 1)) as Config;
        return selects(config, namespace, name);
      },
    );
    if (object !== undefined && !isWanted && !isOfDeletion)
      this.differences.push(`a run of ${key}, which has left`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function selectorOf({ colors: wanted }: Config): string {
  return `color in (${wanted.join(',')})`;
}

function selects(config: Config, namespace: string, color: string): boolean {
  return config.namespaces.includes(namespace) && config.colors.includes(color);
}

const subset = (values: readonly string[]): fc.Arbitrary<string[]> =>
  fc.subarray([...values], { minLength: 1 });
const place = { color: fc.constantFrom(...colors), in: fc.constantFrom(...spaces) };
const change: fc.Arbitrary<Partial<Config>> = fc.record(
  {
    colors: subset(colors),
    namespaces: subset(spaces),
    reads: fc.boolean(),
    concurrency: fc.integer({ min: 1, max: 3 }),
    rules: fc.record(
      {
        ageAfter: fc.constantFrom(0, 1, '10s' as const),
        eventRate: fc.constantFrom(false as const, { burst: 1000 }, { burst: 2000 }),
        maxReconcileInterval: fc.constantFrom(0, '1h' as const, '2h' as const),
        resync: fc.constantFrom(0, '1h' as const),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('change' as const), to: change }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('event' as const), ...place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), ...place }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('sync' as const),
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const) }) },
);

describe('a live controller that changes at random', () => {
  test('RC09 random changes, aborts, syncs, events and stops end with the watches of the last configuration, and lose no event', async () => {
    const steps = fc.array(step, { minLength: 10, maxLength: 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (given, stops) => {
        const pool = new ManagerPool();
        try {
          const changes = new Changes(pool);
          await changes.started;
          for (const one of given) {
            changes.apply(one);
            // The watches of a change that is given up end in the same turn.
            if (one.do !== 'turn' && one.do !== 'abort') continue;
            await new Promise((resolve) => setImmediate(resolve));
          }
          if (stops) changes.apply({ do: 'stop' });
          await changes.settle();
          const [open, wanted] = changes.watches();
          expect({ open, unseen: changes.unseen(), differences: changes.differences }).toEqual({
            open: wanted,
            unseen: [],
            differences: [],
          });
        } finally {
          await pool.stopAll();
        }
      }),
      { numRuns: Math.ceil(300 * multiple) },
    );
  });
});
