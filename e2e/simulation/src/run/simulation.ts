import { VirtualClock } from '../clock/virtual-clock.ts';
import { kinds } from '../server/kind.ts';
import { Violation } from '../invariants/invariant.ts';
import { LINGER_MS, World } from '../world/world.ts';
import { actions, type Plan } from './plan.ts';
import { seeded } from './seeded.ts';

/** Milliseconds between a reading of a slow clock and the next one. */
const SLOW_READING_MS = 3;

/** The times that pass after the faults: longer than every backoff, and than every silence of a watch. */
const SETTLING_MS = [1_000, 60_000, 60_000, 100_000, 700_000, 700_000, 60_000] as const;

/** The time that always passes: longer than most backoffs, and than the interval of resyncs. */
const LEAST_SETTLING_MS = 200_000;

/** Actions after which the watches are counted. */
const STEPS_PER_INVENTORY = 4;

export interface RunOptions {
  /** Seeds the random numbers of the code under test, for its jitter. */
  readonly seed: number;
  /** Receives a line for each thing that happens. */
  readonly trace?: ((line: string) => void) | undefined;
}

/** Runs a plan. Returns the first invariant that it broke; `undefined` if all held. */
export async function run(plan: Plan, { seed, trace }: RunOptions): Promise<Violation | undefined> {
  const clock = new VirtualClock();
  const random = Math.random;
  Math.random = seeded(seed + 1);
  clock.install();
  const world = new World(clock, { ...plan, trace });
  const uncaught = (error: unknown): void =>
    world.report('defect', `an error was not caught: ${String(error)}`);
  clock.onError = uncaught;
  process.on('unhandledRejection', uncaught);
  try {
    await play(world, plan);
  } catch (error) {
    uncaught(error);
  } finally {
    process.off('unhandledRejection', uncaught);
    clock.uninstall();
    Math.random = random;
  }
  return world.violation;
}

async function play(world: World, plan: Plan): Promise<void> {
  world.clock.readingMs = plan.isSlow ? SLOW_READING_MS : 0;
  let steps = 0;
  for (const { does, n } of plan.steps) {
    const what = await actions[does]?.(world, n);
    steps++;
    if (what !== undefined) world.trace(`${does}: ${what}`);
    check(world);
    if (steps % STEPS_PER_INVENTORY === 0) checkIdentities(world);
    if (world.violation !== undefined) break;
  }
  if (world.violation === undefined) await settle(world, plan);
  if (world.violation === undefined) {
    for (const held of world.handles) held.checkConvergence(world.report);
    world.managed?.checkWakeUps(world.report);
  }
  await end(world);
}

function check(world: World): void {
  for (const held of world.handles) held.checkStore();
  for (const wait of world.waits) wait.check();
}

function checkIdentities(world: World): void {
  const identities = world.cache.inventory().map(({ identity }) => identity);
  const twice = identities.find((identity, at) => identities.indexOf(identity) < at);
  if (twice !== undefined) world.report('one watch', twice);
}

/** Ends the faults, and waits until every watch has noticed. */
async function settle(world: World, { settlesLong }: Plan): Promise<void> {
  const { server, clock } = world;
  world.trace('the faults end');
  server.faults.clear();
  server.isHeld = false;
  server.lag = 0;
  server.latency = 0;
  server.pageSize = 500;
  clock.readingMs = 0;
  for (const kind of kinds) server.serve(kind);
  world.managed?.calm();
  for (const held of world.live) held.calm();
  let passed = 0;
  for (const milliseconds of SETTLING_MS) {
    server.sendAll();
    for (const stream of server.streams) server.bookmark(stream);
    await clock.pass(milliseconds);
    check(world);
    checkIdentities(world);
    passed += milliseconds;
    if (!settlesLong && passed >= LEAST_SETTLING_MS && hasConverged(world)) break;
  }
}

/** True if no watch, handler or controller has anything left to do. */
function hasConverged(world: World): boolean {
  let isConverged = true;
  const report = (): void => void (isConverged = false);
  for (const held of world.live) held.checkConvergence(report);
  world.managed?.checkWakeUps(report);
  return isConverged;
}

/** Releases every handle. Then nothing may be left. */
async function end(world: World): Promise<void> {
  const { clock, server, cache } = world;
  for (const held of world.handles) held.release();
  await world.managed?.end();
  for (const wait of world.waits) wait.abort();
  await clock.pass(LINGER_MS);
  const open = [
    ...world.waits.filter(({ isOpen }) => isOpen),
    ...world.handles.flatMap(({ streams }) => streams.filter(({ isOpen }) => isOpen)),
  ];
  if (open.length > 0) world.report('closed', open.map(({ name }) => name).join(', '));
  const watches = cache.inventory();
  if (watches.length > 0) world.report('closed', `${watches.length} watches run without a handle`);
  if (server.openRequests > 0) world.report('closed', `${server.openRequests} requests are open`);
  if (clock.pending > 0) world.report('closed', `${clock.pending} timers wait`);
  await cache.close();
}
