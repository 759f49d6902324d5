import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { ringOf, type Ring } from './ring.ts';
import { slotOf, SLOTS } from './slots.ts';

const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);
const keys = Array.from({ length: 20_000 }, (_, at) => `namespace-${at % 100}/object-${at}`);

function moved(before: Ring, after: Ring): number {
  const moves = keys.filter((key) => before.owners[slotOf(key)] !== after.owners[slotOf(key)]);
  return moves.length / keys.length;
}

describe('a ring', () => {
  test('without replicas no slot has an owner', () => {
    expect(ringOf([]).owners).toEqual(Array(SLOTS).fill(undefined));
  });

  test('does not depend on the order of the replicas', () => {
    expect(ringOf(['b', 'a', 'c', 'a'])).toEqual(ringOf(['a', 'b', 'c']));
  });

  test('at most 1/N + 5 % of the keys move if a replica joins or leaves, and only to or from it', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 12 }),
        fc.uuid(),
        (replicas, other) => {
          fc.pre(!replicas.includes(other));
          const before = ringOf(replicas);
          const after = ringOf([...replicas, other]);
          expect(moved(before, after)).toBeLessThan(1 / (replicas.length + 1) + 0.05);
          for (let slot = 0; slot < SLOTS; slot += 1) {
            const owners = [before.owners[slot], other];
            expect(owners).toContain(after.owners[slot]);
          }
        },
      ),
      { numRuns: Math.ceil(50 * multiple) },
    );
  });

  test('gives each of 2 to 8 replicas between 1/N - 5 % and 1/N + 5 % of the slots', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 8 }), (replicas) => {
        const { owners } = ringOf(replicas);
        for (const replica of replicas) {
          const share = owners.filter((owner) => owner === replica).length / SLOTS;
          expect(Math.abs(share - 1 / replicas.length)).toBeLessThan(0.05);
        }
      }),
      { numRuns: Math.ceil(200 * multiple) },
    );
  });

  test('spreads replicas whose names differ in one digit', () => {
    const replicas = Array.from({ length: 4 }, (_, at) => `web-${at}`);
    const { owners } = ringOf(replicas);
    for (const replica of replicas) {
      const count = owners.filter((owner) => owner === replica).length;
      expect(Math.abs(count - SLOTS / 4)).toBeLessThan(0.05 * SLOTS);
    }
  });
});
