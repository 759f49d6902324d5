import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { WorkQueue } from '../index.ts';
import { AGE_AFTER, groupOf, weightOf } from '../testing/ready-model.test-support.ts';
import { BASE, LONGEST, QueueModel, type ModelAdd } from '../testing/queue-model.test-support.ts';

type Step =
  | ({ readonly do: 'add' } & ModelAdd)
  | { readonly do: 'take'; readonly refused?: readonly string[] }
  | { readonly do: 'resume'; readonly key: string }
  | { readonly do: 'done'; readonly key: string }
  | { readonly do: 'forget'; readonly key: string }
  | { readonly do: 'fail'; readonly key: string }
  | { readonly do: 'succeed'; readonly key: string }
  | { readonly do: 'withdraw'; readonly source: string }
  | { readonly do: 'purge'; readonly key: string }
  | { readonly do: 'burst' }
  | { readonly do: 'wait'; readonly ms: number };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
/** More sources than the eight causes that an entry keeps. */
const allSources = Array.from({ length: 12 }, (_, index) => `source-${index}`);
const source = fc.constantFrom(...allSources);
const sources = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 5, arbitrary: fc.array(source, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constant(allSources) },
);

const add: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('add' as const),
  key,
  priority: fc.integer({ min: -2, max: 2 }),
  after: fc.constantFrom(0, 0, 0, -5, 1, 3, 3, 10),
  rateLimited: fc.oneof(
    { weight: 4, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  backoff: fc.constantFrom(undefined, undefined, 0, 2, 9),
  debounce: fc.constantFrom(
    undefined,
    undefined,
    { wait: 3, maxWait: 8 },
    { wait: 2, maxWait: 30 },
    { wait: 0, maxWait: 0 },
  ),
  sources,
});
const ofKey = (act: 'done' | 'forget' | 'fail' | 'purge' | 'resume'): fc.Arbitrary<Step> =>
  key.map((of) => ({ do: act, key: of }));
const usual: fc.WeightedArbitrary<Step>[] = [
  { weight: 8, arbitrary: add },
  { weight: 8, arbitrary: fc.constant<Step>({ do: 'take' }) },
  { weight: 2, arbitrary: refusing(['a', 'b', 'c', 'd', 'e', 'f']) },
  { weight: 3, arbitrary: ofKey('resume') },
  { weight: 6, arbitrary: ofKey('done') },
  { weight: 4, arbitrary: ofKey('fail') },
  { weight: 1, arbitrary: ofKey('forget') },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('withdraw' as const), source }) },
  { weight: 1, arbitrary: ofKey('purge') },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 6 }) }),
  },
];
/** More ready items than are taken, for so long that they rise. */
const crowdedKey = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l');
const crowded: fc.WeightedArbitrary<Step>[] = [
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      key: crowdedKey,
      priority: fc.integer({ min: -1, max: 1 }),
      after: fc.constantFrom(0, 0, 0, 3),
      rateLimited: fc.constant(false),
      sources: fc.constantFrom([], [], ['source-0']),
    }),
  },
  { weight: 6, arbitrary: fc.constant<Step>({ do: 'take' }) },
  { weight: 1, arbitrary: refusing(['a', 'c', 'd', 'g', 'h', 'j']) },
  { weight: 2, arbitrary: crowdedKey.map((of) => ({ do: 'resume', key: of })) },
  { weight: 4, arbitrary: crowdedKey.map((of) => ({ do: 'done', key: of })) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'withdraw', source: 'source-0' }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 8 }) }),
  },
];
/** A key whose first run failed, and which runs early now: most adds fall into its backoff. */
const runsEarly: readonly Step[] = [
  plain('a'),
  { do: 'take' },
  { ...plain('a'), rateLimited: true, backoff: 60 },
  { do: 'done', key: 'a' },
  plain('a'),
  { do: 'take' },
];
const failing: fc.WeightedArbitrary<Step>[] = [
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      key: fc.constantFrom('a', 'a', 'a', 'd'),
      priority: fc.constantFrom(0, 0, 1),
      after: fc.constantFrom(0, 0, 0, 0, 3, 70),
      rateLimited: fc.constant(false),
      debounce: fc.constantFrom(
        undefined,
        { wait: 9, maxWait: 30 },
        { wait: 9, maxWait: 30 },
        { wait: 5, maxWait: 60 },
        { wait: 25, maxWait: 90 },
      ),
      sources: fc.constantFrom([], ['source-0'], ['source-1'], ['source-0', 'source-1']),
    }),
  },
  { weight: 3, arbitrary: fc.constant<Step>({ do: 'take' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'take', refused: ['a'] }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'resume', key: 'a' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'fail', key: 'a' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'succeed', key: 'a' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Step>(
      { do: 'forget', key: 'a' },
      { do: 'done', key: 'a' },
      { do: 'done', key: 'd' },
      { do: 'purge', key: 'a' },
      { do: 'withdraw', source: 'source-0' },
      { do: 'withdraw', source: 'source-1' },
    ),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 2, 3, 5, 9, 25),
    }),
  },
];
const burst: fc.WeightedArbitrary<Step> = { weight: 1, arbitrary: fc.constant({ do: 'burst' }) };

class Run {
  readonly model = new QueueModel();
  readonly depth = new Map<number, number>();
  /** The queued keys, by the adds and by the reports of keys that leave. */
  readonly #queued = new Set<unknown>();
  readonly #errors: unknown[] = [];
  /** Waiting items that the model does not have. */
  #others = 0;
  readonly queue: WorkQueue<string, string>;

  constructor() {
    this.queue = new WorkQueue<string, string>({
      name: 'fuzz',
      clock: { now: () => this.model.now },
      backoff: { base: BASE, max: LONGEST },
      ageAfter: AGE_AFTER,
      groups: { groupOf, weightOf },
      onLeave: (left) => expect(this.#queued.delete(left)).toBe(true),
      onError: (error) => this.#errors.push(error),
      observer: { depthChanged: (priority, change) => this.#count(priority, change) },
    });
  }

  apply(step: Step): void {
    if (step.do === 'add') this.#add(step);
    else if (step.do === 'take') this.#take(step.refused);
    else if (step.do === 'resume') this.#resume(step.key);
    else if (step.do === 'done') this.#done(step.key);
    else if (step.do === 'fail') this.#fail(step.key);
    else if (step.do === 'succeed') this.#succeed(step.key);
    else if (step.do === 'forget') this.#forget(step.key);
    else if (step.do === 'withdraw') this.#withdraw(step.source);
    else if (step.do === 'purge') this.#purge(step.key);
    else if (step.do === 'burst') this.#burst();
    else this.model.now += step.ms;
  }

  check(): void {
    // No timer fires within one turn, so only `take` makes waiting entries ready.
    const { model, queue } = this;
    const ready = model.ready();
    expect(queue.length).toBe(ready.length);
    expect(queue.waiting).toBe(model.entries.size - ready.length + this.#others);
    const others = this.#others;
    expect(this.#errors).toEqual([]);
    for (const item of model.entries.keys()) expect(this.#queued.has(item)).toBe(true);
    expect(this.#queued.size).toBe(model.entries.size + others);
    const held = [...model.held.keys()];
    expect(queue.processing().map((work) => work.item)).toEqual(held);
    expect(held.filter((item) => queue.isWithdrawn(item))).toEqual(
      held.filter((item) => model.held.get(item)?.sources.size === 0),
    );
    for (const { key: item, isSuspended, ready: isReady } of model.entries.values()) {
      const { queued } = queue.stateOf(item) ?? {};
      expect(queued).toMatchObject({ isSuspended, isReady: isReady !== undefined });
    }
    for (const { earlyRuns } of model.backoffs.values()) expect(earlyRuns).toBeLessThanOrEqual(1);
    for (const item of 'abcdefghijkl') {
      expect(queue.failures(item)).toBe(model.backoffs.get(item)?.failures ?? 0);
    }
    const heldMs = [...model.held.values()].map(({ startedAt }) => model.now - startedAt);
    expect(queue.unfinishedMs()).toBe(heldMs.reduce((sum, ms) => sum + ms, 0));
    expect(queue.longestRunningMs()).toBe(Math.max(0, ...heldMs));
    this.#checkDepths(ready);
  }

  /**
   * Ends with a drain: ready items of held keys are handed out, failures during the drain are
   * dropped.
   */
  drain(): void {
    const { model, queue } = this;
    void queue.shutDown({ drain: true });
    model.drain();
    while (model.entries.size > 0 || model.held.size > 0) {
      for (const item of model.held.keys()) {
        queue.add(item, { rateLimited: true });
        this.#done(item);
      }
      this.#take();
    }
    expect([queue.length, queue.waiting, queue.held]).toEqual([0, 0, 0]);
  }

  #add({ key: item, sources: causes, ...given }: ModelAdd): void {
    const { priority, after, rateLimited, backoff, debounce } = given;
    const options = { priority, after, rateLimited, backoff, debounce };
    this.model.add({ key: item, sources: causes, ...options });
    this.#queued.add(item);
    this.queue.add(item, { causes, ...options });
  }

  #take(refused: readonly string[] = []): void {
    const expected = this.model.take(refused);
    const isRefused = (item: string): boolean => refused.includes(item);
    const work = this.queue.take(refused.length === 0 ? undefined : isRefused);
    if (work === undefined && expected === undefined) return;
    expect(work?.item).toBe(expected?.key);
    expect(work?.priority).toBe(expected?.priority);
    if (work === undefined || expected === undefined) return;
    expect(expected.readyAt).toBeLessThanOrEqual(this.model.now);
    expect(work.failures).toBe(this.model.backoffs.get(work.item)?.failures ?? 0);
    const named = [...expected.sources].filter((one) => one !== undefined);
    expect(work.causes.length).toBeLessThanOrEqual(8);
    expect(named).toEqual(expect.arrayContaining([...work.causes]));
  }

  #resume(item: string): void {
    expect(this.queue.resume(item)).toBe(this.model.resume(item));
  }

  #done(item: string): void {
    this.model.done(item);
    this.queue.done(item);
  }

  /** Reports a failed run, as the worker in the README does. */
  #fail(item: string): void {
    if (!this.model.held.has(item)) return;
    this.#add({ key: item, priority: 0, after: 0, rateLimited: true, sources: [] });
    this.#done(item);
  }

  #succeed(item: string): void {
    if (!this.model.held.has(item)) return;
    this.#forget(item);
    this.#done(item);
  }

  #forget(item: string): void {
    this.model.forget(item);
    this.queue.forget(item);
  }

  #withdraw(gone: string): void {
    expect(this.queue.withdraw((one) => one === gone)).toBe(this.model.withdraw(gone));
    const held = this.queue.processingFor((one) => one === gone).map(({ item }) => item);
    expect([...this.model.held.keys()]).toEqual(expect.arrayContaining(held));
  }

  #purge(gone: string): void {
    expect(this.queue.purge((item) => item === gone)).toBe(this.model.purge(gone));
  }

  /**
   * Makes the table shrink and grow while items are queued and held. The other items stay until the
   * next burst, so that later items get high slots and their rows move.
   */
  #burst(): void {
    expect(this.queue.withdraw((one) => one === 'burst')).toBe(this.#others);
    this.#others = 0;
    this.check();
    for (; this.#others < 2100; this.#others += 1) {
      const after = 1_000_000 + (this.#others % 2);
      this.#queued.add(`burst-${this.#others}`);
      this.queue.add(`burst-${this.#others}`, { cause: 'burst', after, priority: 1 });
    }
  }

  #checkDepths(ready: readonly { readonly priority: number }[]): void {
    const depths = new Map<number, number>();
    for (const { priority } of ready) depths.set(priority, (depths.get(priority) ?? 0) + 1);
    expect(new Map([...this.depth].filter(([, depth]) => depth !== 0))).toEqual(depths);
    expect(this.queue.depths()).toEqual(depths);
  }

  #count(priority: number, change: number): void {
    const depth = (this.depth.get(priority) ?? 0) + change;
    expect(depth).toBeGreaterThanOrEqual(0);
    this.depth.set(priority, depth);
  }
}

/** A take that suspends some of the keys. */
function refusing(keys: string[]): fc.Arbitrary<Step> {
  return fc.subarray(keys, { minLength: 1 }).map((refused) => ({ do: 'take', refused }));
}

function plain(of: string): Step & { readonly do: 'add' } {
  return { do: 'add', key: of, priority: 0, after: 0, rateLimited: false, sources: [] };
}

function play(steps: readonly Step[]): void {
  const run = new Run();
  for (const step of steps) {
    run.apply(step);
    if (step.do !== 'wait') run.check();
  }
  run.drain();
}

/** Ends with a take at every millisecond, so that the time of each hand-out is exact. Checks the rest once: that costs more. */
function playFailing(steps: readonly Step[]): void {
  const run = new Run();
  for (const step of [...runsEarly, ...steps]) run.apply(step);
  run.check();
  while (run.model.entries.size > 0) {
    for (const step of ofTurn) run.apply(step);
  }
  run.drain();
}

/** One millisecond in which the held items succeed. */
const ofTurn: readonly Step[] = [
  { do: 'resume', key: 'a' },
  { do: 'succeed', key: 'a' },
  { do: 'succeed', key: 'd' },
  { do: 'wait', ms: 1 },
  { do: 'take' },
];

/** An add of a backoff that ends before its failed run is reported. */
const failsLate: Step[] = [
  plain('a'),
  { do: 'wait', ms: 75 },
  { do: 'fail', key: 'a' },
  { do: 'forget', key: 'a' },
];
/** A debounced add of a backoff, replaced after the deadline and before its own time. */
const replacedLate: Step[] = [
  { do: 'done', key: 'a' },
  { do: 'wait', ms: 55 },
  { ...plain('a'), debounce: { wait: 9, maxWait: 30 } },
  { do: 'wait', ms: 6 },
  { ...plain('a'), debounce: { wait: 9, maxWait: 30 } },
  { do: 'wait', ms: 1 },
  { do: 'forget', key: 'a' },
];

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

describe('WorkQueue beside its model', () => {
  test('PQ17, PQ31, PQ32, PQ33, PQ34 random adds, gets, failures and withdrawals: one worker per key, ageing, turns of groups, correct depths and gauges, exact owners, an exact account of the queued keys, two runs per window', () => {
    fc.assert(fc.property(fc.array(fc.oneof(...usual), { maxLength: 120 }), play), {
      numRuns: Math.ceil(150 * multiple),
    });
  });

  test('PQ33 random failures, early runs, debounced adds, purges and withdrawals of one key: exact times and attempts', () => {
    const steps = fc.array(fc.oneof(...failing), { minLength: 3, maxLength: 20 });
    fc.assert(fc.property(steps, playFailing), {
      numRuns: Math.ceil(300 * multiple),
      examples: [[failsLate], [replacedLate]],
    });
  });

  test('PQ31, PQ32 random adds with more ready items than are taken: ageing and turns of groups at once', () => {
    const steps = fc.array(fc.oneof(...crowded), { minLength: 40, maxLength: 120 });
    fc.assert(fc.property(steps, play), { numRuns: Math.ceil(6 * multiple) });
  });

  test('random steps with bursts between them: queued and held items survive that the table shrinks', () => {
    const steps = fc.array(fc.oneof(burst, ...usual), { minLength: 60, maxLength: 120 });
    fc.assert(fc.property(steps, play), { numRuns: Math.ceil(3 * multiple) });
  });
});
