import { describe, expect, test } from '@jest/globals';
import type { Clock } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import { CauseSet } from '../reconcile/cause.ts';
import { PendingRequests } from '../sources/iterables/pending-requests.ts';
import { loopOptions } from '../testing/request-loop.test-support.ts';
import { ReconcileLoop, type ReconcileLoopOptions } from './reconcile-loop.ts';
import type { ShardPlace } from './shard-gate.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

interface ClusterName {
  readonly cluster: string;
  readonly name: string;
}

const keys = ['x/1', 'x/2', 'x/3', 'x/4', 'y/1', 'y/2', 'z/1'] as const;
/** More sources than the causes that an entry of the queue keeps. The last ones are iterables. */
const SOURCES = 12;
const FEEDS = [10, 11] as const;
const MAX_PENDING = 2;
const BACKOFF_MS = 50;
/** The key that a run of an earlier controller has at first. */
const EARLIER = 'y/2';

type Key = (typeof keys)[number];
/**
 * - `leave`: another replica is to run the slot, also one that this replica has claimed only.
 * - `settle`: another replica runs the slot.
 * - `unsettle`: the slot of another replica begins to move.
 * - `claim`, `start`: this replica takes the slot over.
 * - `return`: the slot comes back, and its last run here may not have ended.
 */
type Move = 'leave' | 'settle' | 'unsettle' | 'claim' | 'start' | 'return';
interface MoveStep {
  readonly do: Move;
  readonly key: Key;
}

type Step =
  | { readonly do: 'add'; readonly key: Key; readonly by: readonly number[]; readonly rank: number }
  | { readonly do: 'value' | 'delete'; readonly key: Key; readonly by: number }
  | {
      readonly do: 'succeed' | 'fail' | 'pause' | 'resume';
      readonly key: Key;
    }
  | MoveStep
  | { readonly do: 'remove' | 'replace'; readonly by: number }
  /** Both in one turn of the event loop. */
  | {
      readonly do: 'remove, then value';
      readonly by: number;
      readonly key: Key;
      readonly feed: number;
    }
  | { readonly do: 'workers'; readonly count: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'pause all' | 'resume all' | 'end earlier' };

/** A clock that the test moves. */
class SteppedClock implements Clock {
  #now = 0;
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  random(): number {
    return 0;
  }

  startTimer(milliseconds: number, fire: () => void): () => void {
    const own = (): void => fire();
    this.#timers.set(own, this.#now + milliseconds);
    return () => void this.#timers.delete(own);
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
    for (const [fire, at] of this.#timers) {
      if (at > this.#now) continue;
      this.#timers.delete(fire);
      fire();
    }
  }
}

interface Queued {
  readonly owners: Set<number>;
  /** The sources that count the request as one that waits for a worker. */
  readonly counted: Set<number>;
  due: number;
  priority: number;
  /** The earliest time of an add; `Infinity` for a retry. */
  wanted: number;
}

interface Window {
  readonly failures: number;
  readonly deadline: number;
  hadEarlyRun: boolean;
}

interface Running {
  readonly owners: Set<number>;
  readonly priority: number;
  readonly end: PromiseWithResolvers<undefined>;
}

/** A loop beside the rules of its queue, pauses and shares in their simplest form. */
class World {
  readonly #clock = new SteppedClock();
  readonly #options: ReconcileLoopOptions<ClusterName>;
  readonly #loop: ReconcileLoop<ClusterName>;
  readonly #sources = Array.from({ length: SOURCES }, (_, at) => new CauseSet(`${at}`));
  readonly #feeds = new Map(FEEDS.map((at) => [at as number, new PendingRequests(MAX_PENDING)]));
  readonly #earlier = Promise.withResolvers<void>();
  readonly #queued = new Map<string, Queued>();
  readonly #running = new Map<string, Running>();
  readonly #windows = new Map<string, Window>();
  readonly #paused = new Set<string>();
  /** The places of the slots; each key has one of its own. */
  readonly #places: ShardPlace[] = keys.map(() => 'here');
  #hasEarlierRun = true;
  #isPaused = false;
  #workers = 3;
  readonly #faults: string[] = [];

  constructor() {
    const earlierRuns = new Map([[EARLIER, this.#earlier.promise]]);
    void this.#earlier.promise.then(() => earlierRuns.delete(EARLIER));
    const options = loopOptions<ClusterName>({
      clock: this.#clock,
      identify: (request) => ({ key: `${request.cluster}/${request.name}`, request }),
      reconcile: (request, { attempt, priority }) =>
        this.#began(`${request.cluster}/${request.name}`, attempt, priority),
    });
    this.#options = {
      ...options,
      spansClusters: true,
      shards: {
        slotOf: (_request, key) => slotOf(key),
        placeOf: (slot) => this.#places[slot] ?? 'elsewhere',
        slotOfCluster: () => undefined,
        partOf: () => undefined,
        replicas: { claimantsOf: () => [] },
        usesLabels: false,
      },
      earlierRuns,
      settings: { ...options.settings, backoff: { base: BACKOFF_MS, max: BACKOFF_MS } },
    };
    this.#loop = new ReconcileLoop(this.#options);
    const own = new CauseSet('controller');
    const left = (key: string): void => this.#feeds.forEach((feed) => feed.left(key));
    const iterables = { all: new Set(FEEDS), left, pending: () => new Map<string, number>() };
    const repeatsOf = ({ cluster, name }: ClusterName): CauseSet | undefined =>
      this.#places[slotOf(`${cluster}/${name}`)] === 'here' ? own : undefined;
    const rules = { exists: () => false, isOwn: () => false, repeatsOf };
    this.#loop.connect({ ...rules, repeated: () => [], iterables }, undefined);
    this.#loop.start();
  }

  async apply(step: Step): Promise<void> {
    this.#play(step);
    await turns();
    this.#check();
  }

  /** Ends the pauses and all runs. Every request must run. */
  async end(): Promise<void> {
    const resumes = keys.flatMap((key): Step[] => [
      { do: 'start', key },
      { do: 'return', key },
      { do: 'resume', key },
    ]);
    for (const step of [
      { do: 'end earlier' } as const,
      { do: 'resume all' } as const,
      ...resumes,
    ]) {
      await this.apply(step);
    }
    await this.apply({ do: 'wait', ms: BACKOFF_MS });
    while (this.#running.size > 0) {
      const [key] = this.#running.keys();
      await this.apply({ do: 'succeed', key: key as Key });
    }
    expect([this.#queued.size, this.#loop.length]).toEqual([0, 0]);
    await this.#loop.stop(0);
  }

  #play(step: Step): void {
    if (step.do === 'add') for (const by of step.by) this.#add(step.key, by, step.rank);
    else if (step.do === 'value') this.#value(step.key, step.by);
    else if (step.do === 'delete') this.#add(step.key, step.by, 0, 'deleted');
    else if (step.do === 'succeed') this.#succeed(step.key);
    else if (step.do === 'fail') this.#fail(step.key);
    else if (isMove(step)) this.#move(step.do, step.key);
    else if (step.do === 'remove') this.#remove(step.by);
    else if (step.do === 'replace') this.#replace(step.by);
    else if (step.do === 'remove, then value') {
      this.#remove(step.by);
      this.#value(step.key, step.feed);
    } else if (step.do === 'workers') this.#reconfigure(step.count);
    else if (step.do === 'wait') this.#clock.pass(step.ms);
    else if (step.do === 'end earlier') this.#endEarlier();
    else this.#pause(step.do, 'key' in step ? step.key : undefined);
  }

  #pause(act: 'pause' | 'resume' | 'pause all' | 'resume all', key: Key | undefined): void {
    const pauses = act === 'pause' || act === 'pause all';
    if (key === undefined) this.#isPaused = pauses;
    else if (pauses) this.#paused.add(key);
    else this.#paused.delete(key);
    if (pauses) this.#loop.pause(key);
    else this.#loop.resume(key);
  }

  /** Moves the slot of a key, unless it is in another place than the move needs. */
  #move(move: Move, key: Key): void {
    const slot = slotOf(key);
    const from = this.#places[slot] as ShardPlace;
    const { to, when } = moves[move];
    // This replica claims a slot after the end of its last run here.
    if (!when.includes(from) || (move === 'claim' && this.#running.has(key))) return;
    this.#places[slot] = to;
    if (to === 'here') this.#loop.startMoved();
    else if (from === 'here') this.#loop.leaveSlots(new Set([slot]));
    else this.#loop.dropMoved();
    if (from !== 'here' && to !== 'elsewhere') return;
    this.#queued.delete(key);
    if (!this.#running.has(key)) this.#windows.delete(key);
  }

  #endEarlier(): void {
    this.#hasEarlierRun = false;
    this.#earlier.resolve();
  }

  #reconfigure(concurrency: number): void {
    this.#workers = concurrency;
    this.#loop.configure({ ...this.#options.settings, concurrency }, undefined);
  }

  /** Returns false for a request that is dropped. */
  #add(key: Key, by: number, priority: number, reason = this.#reasonOf(by)): boolean {
    const isAdmitted = admitted[this.#places[slotOf(key)] as ShardPlace].includes(reason);
    if (isAdmitted) this.#expect(key, by, priority);
    const [cluster, name] = key.split('/') as [string, string];
    const cause = (this.#sources[by] as CauseSet).by[reason];
    const queued = this.#loop.add({ cluster, name }, { priority, cause });
    expect(queued).toBe(isAdmitted ? key : undefined);
    return isAdmitted;
  }

  #reasonOf(by: number): Reason {
    return this.#feeds.has(by) ? 'value' : 'updated';
  }

  /** Records an add in the model. */
  #expect(key: Key, by: number, priority: number): void {
    const now = this.#clock.now();
    const window = this.#windows.get(key);
    const waits = window?.hadEarlyRun === true && now < window.deadline;
    this.#queue(key, {
      owners: new Set([by]),
      counted: new Set(),
      due: waits ? window.deadline : now,
      priority,
      wanted: now,
    });
  }

  /** A value of an iterable, which is not read while too many of its requests wait for a worker. */
  #value(key: Key, by: number): void {
    const feed = this.#feeds.get(by) as PendingRequests;
    if (feed.room() !== undefined) return;
    if (!this.#add(key, by, 0)) return;
    this.#queued.get(key)?.counted.add(by);
    feed.add(key);
  }

  #queue(key: string, added: Queued): void {
    const known = this.#queued.get(key);
    if (known === undefined) {
      this.#queued.set(key, added);
      return;
    }
    for (const owner of added.owners) known.owners.add(owner);
    known.due = Math.min(known.due, added.due);
    known.wanted = Math.min(known.wanted, added.wanted);
    known.priority = Math.max(known.priority, added.priority);
  }

  #began(key: string, attempt: number, priority: number): Promise<undefined> {
    const now = this.#clock.now();
    const queued = this.#queued.get(key);
    const window = this.#windows.get(key);
    const isDue = queued !== undefined && queued.due <= now && this.#mayRun(key);
    const expected = [true, (window?.failures ?? 0) + 1, queued?.priority].join();
    const actual = [isDue, attempt, priority].join();
    if (actual !== expected) this.#faults.push(`${key} began: ${actual} instead of ${expected}`);
    if (window !== undefined && now < window.deadline) window.hadEarlyRun = true;
    this.#queued.delete(key);
    const end = Promise.withResolvers<undefined>();
    this.#running.set(key, { owners: queued?.owners ?? new Set(), priority, end });
    return end.promise;
  }

  #succeed(key: Key): void {
    const run = this.#running.get(key);
    if (run === undefined) return;
    this.#running.delete(key);
    this.#forget(key);
    run.end.resolve(undefined);
  }

  #fail(key: Key): void {
    const run = this.#running.get(key);
    if (run === undefined) return;
    this.#running.delete(key);
    const { owners, priority } = run;
    if (owners.size === 0 || this.#places[slotOf(key)] !== 'here') this.#forget(key);
    else this.#retry(key, owners, priority);
    run.end.reject(new Error('no'));
  }

  #retry(key: Key, owners: Set<number>, priority: number): void {
    const now = this.#clock.now();
    const window = this.#windows.get(key);
    if (window === undefined || now >= window.deadline) {
      const failures = (window?.failures ?? 0) + 1;
      this.#windows.set(key, { failures, deadline: now + BACKOFF_MS, hadEarlyRun: false });
    }
    const due = (this.#windows.get(key) as Window).deadline;
    this.#queue(key, { owners, counted: new Set(), due, priority, wanted: Infinity });
  }

  #forget(key: string): void {
    this.#windows.delete(key);
    const queued = this.#queued.get(key);
    if (queued !== undefined) queued.due = Math.min(queued.due, queued.wanted);
  }

  /** Removes a source, and adds another one in its place. */
  #remove(by: number): void {
    for (const { owners } of this.#running.values()) owners.delete(by);
    for (const [key, { owners }] of this.#queued) {
      if (!owners.delete(by) || owners.size > 0) continue;
      this.#queued.delete(key);
      if (!this.#running.has(key)) this.#windows.delete(key);
    }
    const former = this.#sources[by] as CauseSet;
    this.#sources[by] = new CauseSet(`${by}`);
    this.#loop.withdraw(new Set([former]));
  }

  /** Passes the requests of a source to another one in its place. */
  #replace(by: number): void {
    const former = this.#sources[by] as CauseSet;
    const heir = new CauseSet(`${by}`);
    this.#sources[by] = heir;
    this.#loop.reassign(new Set([former]), () => [heir]);
  }

  /** True if nothing but the number of workers keeps a request from running. */
  #mayRun(key: string): boolean {
    if (this.#isPaused || this.#paused.has(key) || this.#running.has(key)) return false;
    if (this.#hasEarlierRun && key === EARLIER) return false;
    if (this.#places[slotOf(key)] !== 'here') return false;
    const cluster = key.slice(0, 2);
    const own = [...this.#running.keys()].filter((one) => one.startsWith(cluster)).length;
    return own === 0 || own + 1 <= this.#workers - this.#running.size - 1;
  }

  #check(): void {
    const now = this.#clock.now();
    expect(this.#faults).toEqual([]);
    const due = [...this.#queued].filter((one) => one[1].due <= now);
    const idle = due.filter(([key]) => this.#running.size < this.#workers && this.#mayRun(key));
    expect(idle).toEqual([]);
    expect(this.#loop.length).toBe(due.length);
    for (const [key, { due: at, priority }] of this.#queued) {
      const { queued } = this.#loop.stateOf(key).item ?? {};
      expect(queued).toMatchObject({ isReady: at <= now, priority, ...(at > now && { at }) });
    }
    for (const key of keys) {
      expect(this.#loop.holds(key)).toBe(this.#queued.has(key) || this.#running.has(key));
    }
    for (const [at, feed] of this.#feeds) {
      const counted = [...this.#queued.values()].filter((one) => one.counted.has(at));
      expect(feed.size).toBe(counted.length);
    }
  }
}

type Reason = 'updated' | 'value' | 'deleted';

/** The reasons of the requests that are queued in each place. */
const admitted: Readonly<Record<ShardPlace, readonly Reason[]>> = {
  here: ['updated', 'value', 'deleted'],
  soon: ['value', 'deleted'],
  moving: ['deleted'],
  elsewhere: [],
};

/** The places from which a slot moves, and the place to which it does. */
const moves: Readonly<Record<Move, { to: ShardPlace; when: readonly ShardPlace[] }>> = {
  leave: { to: 'moving', when: ['here', 'soon'] },
  settle: { to: 'elsewhere', when: ['moving', 'soon'] },
  unsettle: { to: 'moving', when: ['elsewhere'] },
  claim: { to: 'soon', when: ['moving', 'elsewhere'] },
  start: { to: 'here', when: ['soon'] },
  return: { to: 'here', when: ['moving'] },
};

function isMove(step: Step): step is MoveStep {
  return step.do in moves;
}

function slotOf(key: string): number {
  return (keys as readonly string[]).indexOf(key);
}

/** Lets the loop take the requests that are due. */
async function turns(): Promise<void> {
  for (let count = 0; count < 3; count += 1) await new Promise(setImmediate);
}

const key = fc.constantFrom(...keys);
const everySource = Array.from({ length: SOURCES }, (_, at) => at);
const by = fc.nat({ max: SOURCES - 1 });
const rank = fc.constantFrom(0, 0, 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      key,
      by: fc.oneof(
        { weight: 3, arbitrary: by.map((one) => [one]) },
        { weight: 1, arbitrary: fc.constant(everySource) },
      ),
      rank,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('value' as const), key, by: fc.constantFrom(...FEEDS) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...(['succeed', 'fail', 'fail', 'pause', 'pause', 'resume', 'resume'] as const),
      ),
      key,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...(['leave', 'leave', 'settle', 'unsettle', 'claim', 'claim', 'start', 'return'] as const),
      ),
      key,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('delete' as const),
      key,
      by: fc.nat({ max: FEEDS[0] - 1 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(...(['remove', 'remove', 'replace'] as const)),
      by,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('remove, then value' as const),
      by: fc.constantFrom(...FEEDS),
      key,
      feed: fc.constantFrom(...FEEDS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('workers' as const),
      count: fc.integer({ min: 1, max: 8 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 10, 30, 55) }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...(['pause all', 'resume all', 'resume all', 'end earlier'] as const))
      .map((act): Step => ({ do: act })),
  },
);

describe('requests that are paused, or wait for their slot, their cluster or an earlier run', () => {
  test('random pauses, failures, values, removals and moves of slots: each request keeps its sources, its early run, its priority and its place in maxPending, and runs as soon as it may', async () => {
    const steps = fc.array(step, { minLength: 5, maxLength: 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const world = new World();
        for (const one of given) await world.apply(one);
        await world.end();
      }),
      { numRuns: Math.ceil(100 * multiple) },
    );
  });
});
