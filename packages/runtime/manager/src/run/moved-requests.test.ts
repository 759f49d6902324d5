import { expect, test } from '@jest/globals';
import { CauseSet } from '../reconcile/cause.ts';
import { loopOptions } from '../testing/request-loop.test-support.ts';
import { MovedRequests } from './moved-requests.ts';
import { ReconcileLoop } from './reconcile-loop.ts';
import type { ShardGate } from './shard-gate.ts';

type Place = ReturnType<ShardGate['placeOf']>;

/** A gate with a slot for each request, and the places of the slots. */
function placed(): { gate: ShardGate; places: Place[] } {
  const places: Place[] = [];
  const gate = {
    slotOf: (request: { slot: number }) => request.slot,
    placeOf: (slot: number) => places[slot],
  } as unknown as ShardGate;
  return { gate, places };
}

test.each<[Place, boolean, boolean]>([
  ['here', false, true],
  ['soon', false, false],
  ['soon', true, true],
  ['elsewhere', true, false],
])('a request that runs %s and may wait (%s) is admitted (%s)', (place, mayWait, isAdmitted) => {
  const { gate, places } = placed();
  const moved = new MovedRequests(gate);
  places[0] = place;
  expect(moved.admits({ slot: 0 }, 'key', mayWait)).toBe(isAdmitted);
  expect(moved.waits('key')).toBe(place === 'soon' && mayWait);
});

test('the requests of a slot wait until it starts or moves elsewhere, or they leave the queue', () => {
  const { gate, places } = placed();
  const moved = new MovedRequests(gate);
  places.push('soon', 'soon', 'soon', 'soon');
  for (const slot of [0, 1, 2, 3]) moved.admits({ slot }, `${slot}`, true);
  moved.left('3');
  places.splice(0, 4, 'here', 'elsewhere', 'soon', 'here');
  expect([[...moved.end('here')], [...moved.end('elsewhere')]]).toEqual([['0'], ['1']]);
  expect([moved.size, moved.waits('2')]).toEqual([1, true]);
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
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
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
