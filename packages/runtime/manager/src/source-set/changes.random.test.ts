import { describe, expect, test } from '@jest/globals';
import { builtin, type ApiResource } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import type { ManagerCluster } from '../clusters/manager-cluster.ts';
import { createLogger } from '../logging/logger.ts';
import type { Manager } from '../manager/manager.ts';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import {
  eventually,
  ManagerPool,
  nothing,
  objectOf,
  running,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { Controller } from '../controller/controller.ts';
import type { DynamicWatch } from './dynamic-watch.ts';
import type { AnyWatchOptions } from './added-watch.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const kinds = [builtin.ConfigMap, builtin.Secret, builtin.Service] as const;
const colors = ['red', 'blue'] as const;
const spaces = ['a', 'b', 'c'] as const;
const far = 'far';

type Names = readonly string[];

/** A watch of the run time. Without namespaces it has those of the controller. */
interface Watched {
  readonly kind: number;
  readonly in: Names | undefined;
  readonly isFar: boolean;
}

/** The plan that the options of the controller name. */
interface Declared {
  /** The namespaces of the controller itself. */
  readonly own: Names | undefined;
  readonly colors: Names;
  readonly watches: readonly Watched[];
}

type Step =
  | { readonly do: 'watch'; readonly watch: Watched }
  | { readonly do: 'remove'; readonly at: number }
  | { readonly do: 'watch namespaces'; readonly at: number; readonly in: Names }
  | { readonly do: 'replace'; readonly set: string; readonly watches: readonly Watched[] }
  | { readonly do: 'namespaces' | 'manager namespaces'; readonly in: Names }
  | { readonly do: 'reconfigure'; readonly to: Partial<Declared> }
  | {
      readonly do: 'event' | 'delete';
      readonly kind: number;
      readonly in: string;
      readonly color: string;
    }
  | { readonly do: 'sync'; readonly count: number }
  | { readonly do: 'cluster' | 'abort' | 'turn' };

/** A change of the options. `isInForce` is known when it begins or is given up. */
interface OptionsChange {
  readonly to: Partial<Declared>;
  readonly abort: AbortController;
  isInForce: boolean;
}

/** A controller whose sources change in every way, and the plan that must be in force at the end. */
class World {
  readonly cache: FakeCache;
  readonly started: Promise<void>;
  readonly #manager: Manager;
  readonly #controller: Controller;
  readonly #calls: Promise<unknown>[] = [];
  /** The version of each object that its last run saw. */
  readonly #seen = new Map<string, string>();
  #shared: Names = ['a', 'b'];
  readonly #first: Declared = { own: undefined, colors: ['red'], watches: [] };
  /** The changes of the options in the order of their calls. */
  readonly #changes: OptionsChange[] = [];
  /** The calls of `reconfigure` that have neither begun nor been given up. */
  readonly #pending: OptionsChange[] = [];
  readonly #dynamic: { readonly watch: DynamicWatch; watched: Watched }[] = [];
  readonly #sets = new Map<string, readonly Watched[]>();
  #setAborts: AbortController[] = [];
  #cluster: ManagerCluster | undefined;
  /** True from the addition of the further cluster to its removal. Its watches never sync. */
  #hasFar = false;
  readonly differences: string[] = [];

  constructor(pool: ManagerPool) {
    const write = (line: string): void => {
      const first = line.includes('"controller reconfigured"') ? this.#pending.shift() : undefined;
      if (first !== undefined) first.isInForce = true;
    };
    const logger = createLogger({ level: 'info', write });
    const { manager, cache } = pool.make({ logger, namespaces: this.#shared });
    this.cache = cache;
    this.#manager = manager;
    this.#controller = manager.addController({
      name: 'changing',
      for: { resource: WebApp, labelSelector: selectorOf(this.#first) },
      reconcile: ({ namespace = '', name }) => this.#reconcile(namespace, name),
    });
    this.started = running(manager).then(() => void (cache.syncsAtOnce = false));
  }

  apply(step: Step): void {
    if (step.do === 'watch') this.#watch(step.watch);
    else if (step.do === 'remove') this.#remove(step.at);
    else if (step.do === 'watch namespaces') this.#changeWatch(step.at, step.in);
    else if (step.do === 'replace') this.#replace(step.set, step.watches);
    else if (step.do === 'namespaces') this.#setNamespaces(step.in);
    else if (step.do === 'manager namespaces') {
      this.#shared = step.in;
      this.#call(this.#manager.setNamespaces(step.in));
    } else if (step.do === 'reconfigure') this.#reconfigure(step.to);
    else if (step.do === 'event' || step.do === 'delete') this.#event(step);
    else if (step.do === 'sync') this.#sync(step.count);
    else if (step.do === 'cluster') this.#changeCluster();
    else if (step.do === 'abort') this.#abort();
  }

  /** Lets every change and every run end. */
  async settle(): Promise<void> {
    if (this.#hasFar) this.#changeCluster();
    let settled = false;
    void Promise.all(this.#calls).then(() => (settled = true));
    await eventually(() => {
      this.#sync(100);
      return settled && this.#controller.running === 0 && this.#controller.length === 0;
    });
    // A replacement that was given up ends its watches later, and no promise is left for them.
    const isInForce = (): boolean => String(this.#open()) === String(this.wanted().open);
    for (let turns = 0; turns < 1000 && !isInForce(); turns += 1) await turn();
  }

  /** The watches that a change without a difference keeps, and the open handles. */
  async present(): Promise<{ readonly kept: Names; readonly open: Names }> {
    const { kept, started, stopped } = await this.#controller.reconfigure({ timeout: '1m' });
    expect([started, stopped]).toEqual([[], []]);
    return { kept: kept.toSorted(), open: this.#open() };
  }

  /** The same of the reference. */
  wanted(): { readonly kept: Names; readonly open: Names } {
    const kept: string[] = [];
    const open: string[] = [];
    for (const { resource, role, in: namespaces, selector } of this.#sources()) {
      for (const namespace of namespaces) {
        open.push(textOf(resource, namespace, selector));
        const selected = selector === undefined ? '' : ` (${selector})`;
        kept.push(`${role} ${resource.kind} in ${namespace}${selected}`);
      }
    }
    return { kept: kept.toSorted(), open: open.toSorted() };
  }

  /** The objects of the last plan whose last state no run saw. */
  unseen(): Names {
    return this.#sources().flatMap(({ resource, in: namespaces, colors: wanted }) =>
      this.cache.objects(resource).flatMap((object) => {
        const { namespace = '', name = '', resourceVersion } = object.metadata ?? {};
        if (!namespaces.includes(namespace) || wanted?.includes(name) === false) return [];
        const key = textOf(resource, namespace, name);
        return this.#seen.get(key) === resourceVersion ? [] : [key];
      }),
    );
  }

  #sources(): readonly {
    readonly resource: ApiResource;
    readonly role: string;
    readonly in: Names;
    readonly selector?: string;
    readonly colors?: Names;
  }[] {
    const declared = this.#declared();
    const own = declared.own ?? this.#shared;
    const watches = [
      ...declared.watches.filter(({ isFar }) => !isFar),
      ...this.#dynamic.map(({ watched }) => watched),
      ...[...this.#sets.values()].flat(),
    ];
    const primary = { resource: WebApp, role: 'for', in: own, colors: declared.colors };
    return [
      { ...primary, selector: selectorOf(declared) },
      ...watches.map(({ kind, in: namespaces = own }) => ({
        resource: kindOf(kind),
        role: 'watch',
        in: namespaces,
      })),
    ];
  }

  #declared(): Declared {
    const inForce = this.#changes.filter(({ isInForce }) => isInForce);
    return Object.assign({}, this.#first, ...inForce.map(({ to }) => to)) as Declared;
  }

  #open(): Names {
    return Array.from(this.cache.handles, ({ query }) =>
      textOf(query.resource, query.namespace, query.labelSelector),
    ).toSorted();
  }

  #call(call: Promise<unknown>): void {
    this.#calls.push(call.catch(nothing));
  }

  #watch(watched: Watched): void {
    if (watched.isFar && !this.#hasFar) {
      expect(() => this.#controller.watch(optionsOf(watched))).toThrow(
        expect.objectContaining({ code: 'UNKNOWN_CLUSTER' }),
      );
      return;
    }
    const watch = this.#controller.watch(optionsOf(watched));
    this.#dynamic.push({ watch, watched });
  }

  #remove(at: number): void {
    const [found] = this.#dynamic.splice(at % Math.max(this.#dynamic.length, 1), 1);
    if (found !== undefined) this.#call(found.watch.remove());
  }

  #changeWatch(at: number, namespaces: Names): void {
    const found = this.#dynamic[at % Math.max(this.#dynamic.length, 1)];
    if (found === undefined) return;
    this.#call(found.watch.setNamespaces(namespaces));
    if (found.watched.in !== undefined) found.watched = { ...found.watched, in: namespaces };
  }

  #replace(set: string, watches: readonly Watched[]): void {
    const abort = new AbortController();
    this.#setAborts.push(abort);
    const { signal } = abort;
    this.#call(this.#controller.replaceWatches(set, watches.map(optionsOf), { signal }));
    const isServed = ({ isFar }: Watched): boolean => !isFar || this.#hasFar;
    this.#sets.set(set, watches.filter(isServed));
  }

  #setNamespaces(own: Names): void {
    const change = { to: { own }, abort: new AbortController(), isInForce: false };
    this.#changes.push(change);
    const call = this.#controller.setNamespaces(own);
    this.#call(call.then(() => (change.isInForce = true)));
  }

  #reconfigure(to: Partial<Declared>): void {
    if (isFarChange({ to }) && !this.#hasFar) return;
    const change = { to, abort: new AbortController(), isInForce: false };
    this.#changes.push(change);
    // The call may begin the change at once.
    this.#pending.push(change);
    const call = this.#controller.reconfigure(
      {
        ...(to.own && { namespaces: to.own }),
        ...(to.colors && { for: { resource: WebApp, labelSelector: selectorOf(to as Declared) } }),
        ...(to.watches && { watches: to.watches.map(optionsOf) }),
      },
      { signal: change.abort.signal },
    );
    this.#call(call);
    call.catch((error: unknown) => {
      if (this.#pending.includes(change)) this.differences.push(String(error));
    });
  }

  #event(step: Extract<Step, { do: 'event' | 'delete' }>): void {
    const resource = step.kind === kinds.length ? WebApp : kindOf(step.kind);
    const { color, in: namespace } = step;
    if (step.do === 'delete') {
      if (this.cache.get(resource, { namespace, name: color }) === undefined) return;
      this.cache.delete(resource, { namespace, name: color });
    } else {
      const metadata = { labels: { color } };
      this.cache.set(resource, objectOf(resource, color, { namespace, metadata }));
    }
  }

  #sync(count: number): void {
    const unsynced = [...this.cache.handles].filter(({ hasSynced }) => !hasSynced);
    for (const handle of unsynced.slice(0, count)) handle.sync();
  }

  /** Adds the cluster once, or removes it with its watches. */
  #changeCluster(): void {
    if (this.#cluster === undefined) {
      this.#cluster = this.#manager.addCluster(far, { server: 'http://127.0.0.1:1' });
      this.#hasFar = true;
      return;
    }
    this.#hasFar = false;
    // Changes that name the cluster and are not in force are refused.
    this.#pending.splice(
      0,
      this.#pending.length,
      ...this.#pending.filter((one) => !isFarChange(one)),
    );
    this.#call(this.#cluster.remove());
    const isNear = ({ isFar }: Watched): boolean => !isFar;
    for (const [set, watches] of this.#sets) this.#sets.set(set, watches.filter(isNear));
    const near = this.#dynamic.filter(({ watched }) => isNear(watched));
    this.#dynamic.splice(0, this.#dynamic.length, ...near);
  }

  /** Gives the last change of the options up, and ends the waits of the replacements. */
  #abort(): void {
    this.#pending.pop()?.abort.abort(new Error('given up'));
    for (const abort of this.#setAborts.splice(0)) abort.abort(new Error('enough'));
  }

  /** A request names the object that it sees. */
  async #reconcile(namespace: string, text: string): Promise<void> {
    const [kind, name = ''] = text.includes('.') ? text.split('.') : ['webapps', text];
    const all: readonly ApiResource[] = [...kinds, WebApp];
    const resource = all.find(({ plural }) => plural === kind) ?? WebApp;
    const object = this.cache.get(resource, { namespace, name });
    this.#seen.set(textOf(resource, namespace, name), object?.metadata?.resourceVersion ?? '');
    await turn();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function kindOf(kind: number): ApiResource {
  return kinds[kind] ?? builtin.Secret;
}

function textOf({ kind }: ApiResource, namespace = '', rest = ''): string {
  return `${kind} ${namespace} ${rest}`;
}

function selectorOf({ colors: wanted }: Pick<Declared, 'colors'>): string {
  return `color in (${wanted.join(',')})`;
}

function optionsOf({ kind, in: namespaces, isFar }: Watched): AnyWatchOptions<{ name: string }> {
  const resource = kindOf(kind);
  return {
    resource,
    ...(namespaces && { namespaces }),
    ...(isFar && { cluster: far }),
    map: ({ namespace = '', name }) => ({ namespace, name: `${resource.plural}.${name}` }),
  };
}

function isFarChange({ to }: Pick<OptionsChange, 'to'>): boolean {
  return to.watches?.some(({ isFar }) => isFar) === true;
}

const at = fc.nat({ max: 20 });
const names = fc.subarray([...spaces], { minLength: 1 });
const watched: fc.Arbitrary<Watched> = fc.record({
  kind: fc.nat({ max: kinds.length - 1 }),
  in: fc.option(names, { nil: undefined }),
  isFar: fc.integer({ min: 0, max: 7 }).map((share) => share === 0),
});
const someWatches = fc.uniqueArray(watched, {
  maxLength: 3,
  selector: ({ kind, isFar }) => `${kind} ${isFar}`,
});
const declared = fc.record(
  { own: names, colors: fc.subarray([...colors], { minLength: 1 }), watches: someWatches },
  { requiredKeys: [] },
);
const object = {
  kind: fc.nat({ max: kinds.length }),
  in: fc.constantFrom(...spaces),
  color: fc.constantFrom(...colors),
};
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('watch' as const), watch: watched }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), at }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('watch namespaces' as const), at, in: names }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('replace' as const),
      set: fc.constantFrom('x', 'y'),
      watches: someWatches,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('namespaces' as const, 'manager namespaces' as const),
      in: names,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reconfigure' as const), to: declared }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('event' as const), ...object }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), ...object }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('sync' as const),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 5, arbitrary: fc.constant<Step>({ do: 'turn' }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'cluster' }, { do: 'abort' }) },
);

/** The replacement of a set is given up while its watches are not read, so that the former ones leave later. */
const givenUp: Step[] = [
  { do: 'reconfigure', to: { own: ['b'] } },
  { do: 'turn' },
  { do: 'reconfigure', to: {} },
  { do: 'namespaces', in: ['c'] },
  { do: 'replace', set: 'x', watches: [] },
  { do: 'replace', set: 'y', watches: [{ kind: 0, in: undefined, isFar: false }] },
  { do: 'event', kind: 0, in: 'a', color: 'red' },
  { do: 'sync', count: 1 },
  { do: 'replace', set: 'y', watches: [{ kind: 1, in: undefined, isFar: false }] },
  { do: 'abort' },
  { do: 'event', kind: 0, in: 'a', color: 'red' },
];

/** A namespace leaves the manager while the next watch of a controller has it. */
const leavesBefore: Step[] = [
  { do: 'event', kind: 3, in: 'b', color: 'red' },
  { do: 'reconfigure', to: { own: ['b'], colors: ['red', 'blue'] } },
  { do: 'sync', count: 1 },
  { do: 'manager namespaces', in: ['a'] },
  { do: 'turn' },
];

describe('the sources of a live controller', () => {
  test('RC09, RC15 random changes of every kind end with the watches of the last plan, and lose no event', async () => {
    const steps = fc.array(step, { minLength: 10, maxLength: 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const pool = new ManagerPool();
        try {
          const world = new World(pool);
          await world.started;
          for (const one of given) {
            world.apply(one);
            if (one.do === 'turn') await turn();
          }
          await world.settle();
          expect(await world.present()).toEqual(world.wanted());
          expect([world.unseen(), world.differences]).toEqual([[], []]);
          expect(world.cache.handlers).toBe(world.cache.handles.size);
        } finally {
          await pool.stopAll();
        }
      }),
      { numRuns: Math.ceil(200 * multiple), examples: [[givenUp], [leavesBefore]] },
    );
  });
});
