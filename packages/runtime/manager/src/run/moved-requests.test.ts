import { expect, test } from '@jest/globals';
import { CauseSet, type CauseReason } from '../reconcile/cause.ts';
import { loopOptions } from '../testing/request-loop.test-support.ts';
import { MovedRequests } from './moved-requests.ts';
import { ReconcileLoop } from './reconcile-loop.ts';
import type { ShardGate, ShardPlace } from './shard-gate.ts';

/** A gate with a slot for each request, and the places of the slots. */
function placed(): { gate: ShardGate; places: ShardPlace[] } {
  const places: ShardPlace[] = [];
  const gate = {
    slotOf: (request: { slot: number }) => request.slot,
    placeOf: (slot: number) => places[slot],
  } as unknown as ShardGate;
  return { gate, places };
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A loop with a run of the slot 0, and functions that end its runs. */
async function running() {
  const { gate, places } = placed();
  places[0] = 'here';
  const ends: (() => void)[] = [];
  const options = loopOptions<{ slot: number }>({
    identify: (request) => ({ key: `${request.slot}`, request }),
    reconcile: () => new Promise<undefined>((resolve) => void ends.push(() => resolve(undefined))),
  });
  const loop = new ReconcileLoop({ ...options, shards: gate });
  loop.start();
  const causes = new CauseSet('source').by;
  loop.add({ slot: 0 }, { cause: causes.updated });
  await turn();
  return { loop, places, ends, causes };
}

test.each<[ShardPlace, CauseReason | undefined, boolean]>([
  ['here', 'updated', true],
  ['here', undefined, true],
  ['soon', 'updated', false],
  ['soon', undefined, false],
  ['soon', 'deleted', true],
  ['soon', 'manual', true],
  ['soon', 'value', true],
  ['moving', 'updated', false],
  ['moving', 'deleted', true],
  ['moving', 'manual', true],
  ['moving', 'value', false],
  ['elsewhere', 'deleted', false],
])('a request that runs %s with the cause %s is admitted: %s', (place, reason, isAdmitted) => {
  const { gate, places } = placed();
  const moved = new MovedRequests(gate);
  places[0] = place;
  expect(moved.admits({ slot: 0 }, 'key', reason)).toBe(isAdmitted);
  expect(moved.runsHere({ slot: 0 }, 'key')).toBe(place === 'here');
  expect(moved.waits('key')).toBe(isAdmitted && place !== 'here');
});

test('the requests of a slot wait until it starts or another replica runs it, or they leave the queue', () => {
  const { gate, places } = placed();
  const moved = new MovedRequests(gate);
  places.push('soon', 'moving', 'soon', 'soon', 'moving', 'moving');
  for (const slot of places.keys()) moved.admits({ slot }, `${slot}`, 'deleted');
  moved.left('3');
  places.splice(0, 6, 'here', 'elsewhere', 'moving', 'here', 'soon', 'here');
  expect([[...moved.end('here')], [...moved.end('elsewhere')]]).toEqual([['0', '5'], ['1']]);
  expect([moved.size, moved.waits('2'), moved.waits('4')]).toEqual([2, true, true]);
});

test('a request waits for its slot although its former source is removed in the same turn', async () => {
  const { gate, places } = placed();
  places[0] = 'soon';
  const ran: object[] = [];
  const options = loopOptions<{ slot: number }>({
    identify: (request) => ({ key: `${request.slot}`, request }),
    reconcile: (request) => void ran.push(request),
  });
  const loop = new ReconcileLoop({ ...options, shards: gate });
  loop.start();
  const [former, other] = [new CauseSet('former'), new CauseSet('other')];
  loop.add({ slot: 0 }, { cause: former.by.deleted });
  await turn();
  loop.withdraw(new Set([former]));
  expect(loop.add({ slot: 0 }, { cause: other.by.manual })).toBe('0');
  await turn();
  expect([ran, loop.length]).toEqual([[], 1]);
  places[0] = 'here';
  loop.startMoved();
  await turn();
  expect([ran, loop.length]).toEqual([[{ slot: 0 }], 0]);
  await loop.stop(0);
});

test('a deletion waits while its slot drains, and runs once after the former run if the slot returns', async () => {
  const { loop, places, ends, causes } = await running();
  places[0] = 'moving';
  expect(loop.leaveSlots(new Set([0]))).toHaveLength(1);
  expect(loop.add({ slot: 0 }, { cause: causes.updated })).toBeUndefined();
  expect(loop.add({ slot: 0 }, { cause: causes.deleted })).toBe('0');
  places[0] = 'here';
  expect([...loop.startMoved()]).toEqual(['0']);
  await turn();
  // The former run has not ended.
  expect([ends.length, loop.length]).toEqual([1, 1]);
  ends[0]?.();
  await turn();
  expect([ends.length, loop.length]).toEqual([2, 0]);
  ends[1]?.();
  await turn();
  expect([ends.length, loop.length]).toEqual([2, 0]);
  await loop.stop(0);
});

test('a deletion does not run after the former run while its slot moves, and is dropped once another replica runs it', async () => {
  const { loop, places, ends, causes } = await running();
  places[0] = 'moving';
  loop.leaveSlots(new Set([0]));
  loop.add({ slot: 0 }, { cause: causes.deleted });
  ends[0]?.();
  await turn();
  expect([ends.length, loop.length]).toEqual([1, 1]);
  places[0] = 'elsewhere';
  loop.dropMoved();
  await turn();
  expect([ends.length, loop.length]).toEqual([1, 0]);
  await loop.stop(0);
});
