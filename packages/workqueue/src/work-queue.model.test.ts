import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { WorkQueue } from './index.ts';

interface ModelEntry {
  readonly key: string;
  priority: number;
  readyAt: number;
  /** Position among those that became ready; `undefined` while it waits. */
  ready: number | undefined;
  /** Position among the adds, which decides between equal deadlines. */
  added: number;
}

/** The queue as its rules say it, in the plainest form: one list, searched from end to end. */
class Model {
  now = 0;
  readonly entries = new Map<string, ModelEntry>();
  readonly locked = new Set<string>();
  #count = 0;

  add(key: string, priority: number, after: number): void {
    const entry = this.entries.get(key);
    if (entry === undefined) {
      this.entries.set(key, {
        key,
        priority,
        readyAt: this.now + Math.max(after, 0),
        ready: after > 0 ? undefined : this.#count++,
        added: this.#count++,
      });
      return;
    }
    if (priority > entry.priority) {
      entry.priority = priority;
      if (entry.ready !== undefined) entry.ready = this.#count++;
    }
    if (entry.ready !== undefined) return;
    entry.readyAt = Math.min(entry.readyAt, this.now + Math.max(after, 0));
    if (after <= 0) entry.ready = this.#count++;
  }

  take(): ModelEntry | undefined {
    this.#promote();
    const best = this.ready()
      .filter((entry) => !this.locked.has(entry.key))
      .toSorted((one, other) => other.priority - one.priority || this.#before(one, other))[0];
    if (best === undefined) return undefined;
    this.entries.delete(best.key);
    this.locked.add(best.key);
    return best;
  }

  #promote(): void {
    const due = [...this.entries.values()].filter(
      (entry) => entry.ready === undefined && entry.readyAt <= this.now,
    );
    due.sort((one, other) => one.readyAt - other.readyAt || one.added - other.added);
    for (const entry of due) entry.ready = this.#count++;
  }

  ready(): ModelEntry[] {
    return [...this.entries.values()].filter((entry) => entry.ready !== undefined);
  }

  #before(one: ModelEntry, other: ModelEntry): number {
    return (one.ready ?? Infinity) - (other.ready ?? Infinity);
  }
}

type Step =
  | { do: 'add'; key: string; priority: number; after: number }
  | { do: 'take' }
  | { do: 'done'; key: string }
  | { do: 'wait'; ms: number };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    key,
    priority: fc.integer({ min: -2, max: 2 }),
    after: fc.constantFrom(0, 0, 0, -5, 1, 3, 3, 10),
  }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('done' as const), key }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 6 }) }),
);

class Run {
  readonly model = new Model();
  readonly depth = new Map<number, number>();
  readonly queue: WorkQueue<string>;

  constructor() {
    this.queue = new WorkQueue<string>({
      name: 'fuzz',
      now: () => this.model.now,
      observer: { depthChanged: (priority, change) => this.#count(priority, change) },
    });
  }

  apply(what: Step): void {
    if (what.do === 'add') this.#add(what.key, what.priority, what.after);
    else if (what.do === 'take') this.#take();
    else if (what.do === 'done') this.#done(what.key);
    else this.model.now += what.ms;
  }

  check(): void {
    // No timer fires inside one turn, so that here only `take` makes waiting entries ready.
    const ready = this.model.ready();
    expect(this.queue.length).toBe(ready.length);
    expect(this.queue.waiting).toBe(this.model.entries.size - ready.length);
    expect(new Set(this.queue.processing().map((work) => work.item))).toEqual(this.model.locked);
    const depths = new Map<number, number>();
    for (const { priority } of ready) depths.set(priority, (depths.get(priority) ?? 0) + 1);
    expect(new Map([...this.depth].filter(([, depth]) => depth !== 0))).toEqual(depths);
    expect(this.queue.depths()).toEqual(depths);
  }

  drain(): void {
    this.model.now += 100;
    while (this.model.entries.size > 0 || this.model.locked.size > 0) {
      for (const locked of this.model.locked) this.#done(locked);
      this.#take();
    }
    expect([this.queue.length, this.queue.waiting, this.queue.held]).toEqual([0, 0, 0]);
  }

  #add(item: string, priority: number, after: number): void {
    this.model.add(item, priority, after);
    this.queue.add(item, { priority, after });
  }

  #take(): void {
    const expected = this.model.take();
    const work = this.queue.take();
    expect(work?.item).toBe(expected?.key);
    expect(work?.priority).toBe(expected?.priority);
    if (expected !== undefined) expect(expected.readyAt).toBeLessThanOrEqual(this.model.now);
  }

  #done(item: string): void {
    this.model.locked.delete(item);
    this.queue.done(item);
  }

  #count(priority: number, change: number): void {
    const depth = (this.depth.get(priority) ?? 0) + change;
    expect(depth).toBeGreaterThanOrEqual(0);
    this.depth.set(priority, depth);
  }
}

describe('WorkQueue beside its model', () => {
  test('PQ17 random adds, gets and dones: one holder, the highest priority asked, true depths, nothing early', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const run = new Run();
        for (const what of steps) {
          run.apply(what);
          if (what.do !== 'wait') run.check();
        }
        run.drain();
        void run.queue.shutDown();
      }),
      { numRuns: 2000 },
    );
  });
});
