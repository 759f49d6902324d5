import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { WorkQueue } from '../index.ts';

interface Model {
  readonly queued: Map<string, Set<string>>;
  readonly held: Set<string>;
}

const keys = ['a', 'b', 'c'] as const;
const sources = ['x', 'y'] as const;
const step = fc.record({
  does: fc.constantFrom('add', 'later', 'take', 'done', 'withdraw', 'purge'),
  key: fc.constantFrom(...keys),
  source: fc.constantFrom(...sources),
});

describe('WorkQueue.has', () => {
  test('is true while a key is ready, waits or is held, and false however it leaves', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new WorkQueue<string>();
        const { queued, held }: Model = { queued: new Map(), held: new Set() };
        for (const { does, key, source } of steps) {
          if (does === 'add' || does === 'later') {
            queue.add(key, { cause: source, after: does === 'add' ? 0 : 60_000 });
            queued.set(key, (queued.get(key) ?? new Set()).add(source));
          } else if (does === 'take') {
            const taken = queue.take()?.item;
            if (taken !== undefined) {
              queued.delete(taken);
              held.add(taken);
            }
          } else if (does === 'done') {
            queue.done(key);
            held.delete(key);
          } else if (does === 'withdraw') {
            queue.withdraw((one) => one === source);
            for (const [known, causes] of queued)
              if (causes.delete(source) && causes.size === 0) queued.delete(known);
          } else {
            queue.purge((one) => one === key);
            queued.delete(key);
          }
          for (const one of keys) expect(queue.has(one)).toBe(queued.has(one) || held.has(one));
        }
        void queue.shutDown();
        for (const one of keys) expect(queue.has(one)).toBe(held.has(one));
      }),
    );
  });
});
