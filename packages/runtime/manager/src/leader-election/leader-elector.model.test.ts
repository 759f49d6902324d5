import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { silent } from '../testing/fixtures.test-support.ts';
import { LeaseWorld, VirtualProcess, type Journey } from '../testing/lease-world.test-support.ts';
import { LeaderElector } from './leader-elector.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const timings = { leaseDuration: 15 * SECOND, renewDeadline: 10 * SECOND, retryPeriod: 2 * SECOND };

/** A generator of numbers from 0 to 1 with a seed (xorshift32). */
function generator(seed: number): () => number {
  let state = seed === 0 ? 1 : seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

interface Tally {
  /** Permitted writes while the server knew another holder. */
  readonly overlaps: string[];
  writes: number;
  leaders: number;
}

/** A process that becomes a candidate again after each loss, and writes while it is the leader. */
class Replica {
  readonly process: VirtualProcess;
  elector: LeaderElector | undefined;
  readonly #world: LeaseWorld;
  readonly #name: string;
  readonly #outcome: Tally;
  #run = 0;

  constructor(world: LeaseWorld, name: string, outcome: Tally) {
    this.#world = world;
    this.#name = name;
    this.#outcome = outcome;
    this.process = new VirtualProcess(world, (world.random() - 0.5) * 20 * MINUTE);
    this.start();
  }

  start(): void {
    this.#run += 1;
    const identity = `${this.#name}-${this.#run}`;
    const elector = new LeaderElector({
      lock: this.#world.server.lockFor(this.process),
      identity,
      timings,
      time: this.process,
      log: silent,
      observer: {
        lost: () => this.#restart(),
        slowPath: () => undefined,
      },
    });
    this.elector = elector;
    const elected = (): void => {
      this.#outcome.leaders += 1;
      this.#work(elector, identity);
    };
    elector.acquire(new AbortController().signal).then(elected, () => undefined);
  }

  /** Releases the Lease, as a replica that is replaced does. */
  release(): void {
    if (this.elector?.isLeader !== true) return;
    const restart = (): void => this.#restart();
    this.elector.release(new AbortController().signal).then(restart, restart);
  }

  #restart(): void {
    this.process.startTimer(SECOND, () => this.start());
  }

  /** Writes at random times, as reconciles do: after a check, in the same turn. */
  #work(elector: LeaderElector, identity: string): void {
    try {
      elector.check();
    } catch {
      return;
    }
    const holder = this.#world.server.record?.holder ?? '';
    this.#outcome.writes += 1;
    if (holder !== '' && holder !== identity) {
      this.#outcome.overlaps.push(`${identity} wrote at ${this.#world.now}, holder ${holder}`);
    }
    this.process.startTimer(this.#world.random() * 800, () => this.#work(elector, identity));
  }
}

async function simulate(seed: number): Promise<Tally> {
  const random = generator(seed);
  const world = new LeaseWorld(random);
  const outcome: Tally = { overlaps: [], writes: 0, leaders: 0 };
  world.server.refusesWatches = random() < 0.3;
  world.server.journey = () => journeyOf(random);
  if (random() < 0.4) world.server.lag = () => Math.floor(random() * 4);
  const replicas = ['a', 'b', 'c']
    .slice(0, 2 + Math.floor(random() * 2))
    .map((name) => new Replica(world, name, outcome));
  for (let moves = 0; moves < 12; moves += 1) {
    const replica = replicas[Math.floor(random() * replicas.length)] as Replica;
    const move = random();
    if (move < 0.4) replica.process.stall(random() * 40 * SECOND);
    else if (move < 0.6) replica.process.partitioned = !replica.process.partitioned;
    else if (move < 0.75) replica.release();
    await world.pass(random() * 15 * SECOND);
  }
  // After the last fault one of them leads.
  world.server.journey = () => ({ there: 1, back: 1 });
  world.server.lag = () => 0;
  for (const { process } of replicas) process.partitioned = false;
  await world.pass(90 * SECOND);
  expect(replicas.filter(({ elector }) => elector?.isLeader)).toHaveLength(1);
  return outcome;
}

function journeyOf(random: () => number): Journey {
  const slow = random() < 0.1 ? 6 * SECOND : 100;
  const fate = random();
  const lost =
    fate < 0.05 ? { lost: 'request' as const } : fate < 0.1 ? { lost: 'response' as const } : {};
  return { there: random() * slow, back: random() * slow, ...lost };
}

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

describe('LeaderElector under faults', () => {
  test('LE12 no permitted write overlaps with another leader, whatever stalls, partitions and clocks do', async () => {
    let writes = 0;
    let leaders = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
        const outcome = await simulate(seed);
        writes += outcome.writes;
        leaders += outcome.leaders;
        expect(outcome.overlaps).toEqual([]);
      }),
      { numRuns: Math.ceil(100 * multiple) },
    );
    // The property would hold without any write. A sample of the runs may have few.
    expect(writes).toBeGreaterThan(multiple < 1 ? 0 : 10_000 * multiple);
    expect(leaders).toBeGreaterThan(multiple < 1 ? 0 : 200 * multiple);
  });
});
