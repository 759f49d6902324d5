import { parentPort, workerData } from 'node:worker_threads';
import type { Invariant } from '../invariants/invariant.ts';
import { planOf } from './plan.ts';
import { run } from './simulation.ts';

/** A seed that broke an invariant. */
export interface FailedSeed {
  readonly seed: number;
  readonly invariant: Invariant;
  readonly message: string;
}

/** The first seed, and the one after the last. */
export interface SeedRange {
  readonly from: number;
  readonly to: number;
}

// A run creates thousands of errors, and no check reads their stacks.
Error.stackTraceLimit = 0;

/** The entry of a thread: runs each range of seeds that it receives. */
parentPort?.on('message', (range: SeedRange) => void runRange(range));

async function runRange({ from, to }: SeedRange): Promise<void> {
  const failed: FailedSeed[] = [];
  for (let seed = from; seed < to; seed++) {
    Atomics.store(workerData as Int32Array, 0, seed);
    // Objects of former runs are finalized in a turn of the real event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const violation = await run(planOf(seed), { seed });
    if (violation === undefined) continue;
    const { invariant, message } = violation;
    failed.push({ seed, invariant, message });
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(failed);
}
