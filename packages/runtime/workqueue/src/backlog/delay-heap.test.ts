import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { DelayHeap } from './delay-heap.ts';
import { EntryTable, Place, type Entry } from '../entries/entry-table.ts';

interface Waiting {
  readonly entry: Entry<string, never>;
  deadline: number;
  readonly added: number;
}

type Step =
  | { readonly act: 'push' | 'reschedule'; readonly at: number; readonly deadline: number }
  | { readonly act: 'remove'; readonly at: number }
  | { readonly act: 'pop' };

const at = fc.nat({ max: 999 });
const deadline = fc.nat({ max: 50 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('push' as const), at, deadline }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('reschedule' as const), at, deadline }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('remove' as const), at }) },
  { weight: 1, arbitrary: fc.constant<Step>({ act: 'pop' }) },
);

/** A heap and a sorted list with the same entries. */
class Pair {
  readonly table = new EntryTable<string, never>();
  readonly heap = new DelayHeap(this.table);
  readonly list: Waiting[] = [];
  #count = 0;

  play(action: Step): void {
    if (action.act === 'push') this.#push(action.deadline);
    else if (action.act === 'pop') this.pop();
    else this.#change(action);
    expect(this.heap.size).toBe(this.list.length);
    expect(this.heap.deadline).toBe(this.#first()?.deadline ?? Infinity);
  }

  pop(): void {
    const first = this.#first();
    if (first === undefined) return;
    expect(this.heap.pop()).toBe(first.entry);
    this.#forget(first);
  }

  #push(moment: number): void {
    const added = this.#count++;
    const entry = this.table.claim(`item-${added}`, undefined, '', 0);
    this.heap.push(entry, moment);
    this.list.push({ entry, deadline: moment, added });
  }

  #change(action: Exclude<Step, { act: 'pop' }>): void {
    const waiting = this.list[action.at % this.list.length];
    if (waiting === undefined) return;
    if (action.act === 'remove') {
      this.heap.remove(waiting.entry);
      this.#forget(waiting);
    } else {
      this.heap.reschedule(waiting.entry, action.deadline);
      waiting.deadline = action.deadline;
      expect(waiting.entry.at).toBe(action.deadline);
    }
  }

  #forget(waiting: Waiting): void {
    this.list.splice(this.list.indexOf(waiting), 1);
    expect(waiting.entry.place).toBe(Place.none);
    this.table.release(waiting.entry);
  }

  #first(): Waiting | undefined {
    return this.list.toSorted((a, b) => a.deadline - b.deadline || a.added - b.added)[0];
  }
}

describe('DelayHeap', () => {
  test('PQ23 random pushes, earlier and later deadlines, and removals: the earliest deadline is first, equal ones in the order of their adds', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 100, maxLength: 200, size: 'max' }), (steps) => {
        const pair = new Pair();
        for (const action of steps) pair.play(action);
        while (pair.list.length > 0) pair.pop();
        expect(pair.heap.deadline).toBe(Infinity);
      }),
      { numRuns: 100, seed: 20_261_121 },
    );
  });
});
