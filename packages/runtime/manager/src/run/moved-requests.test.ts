import { expect, test } from '@jest/globals';
import { MovedRequests } from './moved-requests.ts';
import type { ShardGate } from './shard-gate.ts';

/** A gate with one slot, which starts when the test calls `start`. */
function oneSlot(): { gate: ShardGate; start: () => void } {
  let place: 'here' | 'soon' = 'soon';
  const gate = { slotOf: () => 0, placeOf: () => place } as unknown as ShardGate;
  return { gate, start: () => void (place = 'here') };
}

test('a request that waits for its slot keeps the last add of each source', () => {
  const { gate, start } = oneSlot();
  const moved = new MovedRequests(gate);
  const queued: string[] = [];
  const add = (source: object, name: string): boolean =>
    moved.admits({}, 'key', { source, repeat: () => void queued.push(name) });
  const [one, other] = [{}, {}];
  expect([add(one, 'first'), add(other, 'other'), add(one, 'later')]).toEqual([
    false,
    false,
    false,
  ]);
  moved.start();
  expect(queued).toEqual([]);
  start();
  moved.start();
  moved.start();
  expect(queued).toEqual(['later', 'other']);
});
