import { describe, expect, test } from '@jest/globals';
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  oneof,
  record,
  boolean,
  constant,
} from 'fast-check';
import {
  DoubtfulServer,
  honest,
  type ListManner,
  type Manners,
  type WatchManner,
} from '../testing/doubtful-server.test-support.ts';
import { Harness, namesIn } from '../testing/harness.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

stopTheClock();

/** The longest time until the store is equal to the server again: two silent watches and their delays. */
const CATCH_UP_MS = 45 * 60_000;
/** The most requests in that time: two in three seconds. */
const MOST_REQUESTS = CATCH_UP_MS / 1_500;

const lists: readonly ListManner[] = [
  'right',
  'exact',
  'stale',
  'fails',
  'throttled',
  'forbidden',
  'hangs',
  'cut',
];
const watches: readonly WatchManner[] = [
  'right',
  'held',
  'buffered',
  'flushed',
  'expired',
  'instant',
  'cut',
  'reset',
  'unavailable',
  'throttled',
  'forbidden',
  'faulty',
  'refused',
];

const manners = record<Manners>({
  listAtZero: constantFrom(...lists),
  listAtVersion: constantFrom(...lists),
  newest: constantFrom('right', 'late', 'flaky'),
  watch: constantFrom(...watches),
  watchList: constantFrom(...watches, 'stale'),
  isPaged: boolean(),
});

type Act = 'change' | 'restart' | 'wait' | Manners;
const act = oneof(
  { arbitrary: constantFrom<Act>('change', 'restart', 'wait'), weight: 4 },
  { arbitrary: manners, weight: 1 },
);

describe('the progress of a reflector', () => {
  test('the store becomes equal to a server whose responses may be stale, exact, late, buffered or wrong', async () => {
    await assert(
      asyncProperty(
        oneof(manners, constant(honest)),
        array(act, { maxLength: 12 }),
        async (first, acts) => {
          const server = new DoubtfulServer(first);
          await using harness = new Harness({ listerWatcher: () => server, linger: 0 });
          const handle = harness.acquire();
          for (const [n, next] of acts.entries()) {
            if (next === 'change') server.change(`o${n % 3}`);
            else if (next === 'restart') server.restart();
            else if (next === 'wait') await pass(60_000);
            else server.manners = next;
            await pass(0);
          }
          const before = server.requests.length;
          await pass(CATCH_UP_MS);
          expect(namesIn(handle)).toEqual(server.objects.toSorted());
          expect(server.requests.length - before).toBeLessThan(MOST_REQUESTS);
          expect(harness.observer.of('loop')).toEqual([]);
        },
      ),
      { numRuns: Math.ceil(150 * multiple) },
    );
  });
});
