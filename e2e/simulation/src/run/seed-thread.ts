import { Worker } from 'node:worker_threads';
import type { FailedSeed, SeedRange } from './seed-worker.ts';

/** Seconds of one seed after which it counts as endless: a run takes milliseconds. */
const MAX_SECONDS = 60;

/** The objects of a run are garbage after it, so a large young generation saves most of the collections. */
const YOUNG_MB = 32;

/** A thread that runs seeds. */
export class SeedThread {
  /** The seed that the thread runs now, which the thread writes. */
  readonly #current = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker: Worker;
  #last = { seed: 0, since: performance.now() };

  constructor() {
    const workerData = this.#current;
    this.#worker = new Worker(new URL('./seed-worker.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
  }

  /** Runs the seeds. A seed that does not end fails, and ends the range. */
  async run(range: SeedRange): Promise<readonly FailedSeed[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly FailedSeed[]>();
    this.#worker.once('message', resolve);
    this.#worker.once('error', reject);
    const watching = setInterval(() => {
      if (this.#isStuck()) resolve([this.#endless()]);
    }, 1_000);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(range);
    try {
      return await promise;
    } finally {
      clearInterval(watching);
      this.#worker.off('message', resolve).off('error', reject);
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #isStuck(): boolean {
    const seed = Atomics.load(this.#current, 0);
    const now = performance.now();
    if (seed !== this.#last.seed) this.#last = { seed, since: now };
    return now - this.#last.since > MAX_SECONDS * 1_000;
  }

  #endless(): FailedSeed {
    const message = `the process was busy for ${MAX_SECONDS} s without an end`;
    return { seed: this.#last.seed, invariant: 'pace', message };
  }
}
