import { progressText } from './progress.ts';
import type { CommandLine } from './command-line.ts';
import { SeedThread } from './seed-thread.ts';
import type { FailedSeed, SeedRange } from './seed-worker.ts';

/** The seeds that ran, and those that failed. */
export interface SeedResult {
  readonly done: number;
  readonly failed: readonly FailedSeed[];
  readonly seconds: number;
}

const SEEDS_PER_MESSAGE = 25;

/** No seed begins after this many failures: the first ones show what is wrong. */
const MAX_FAILURES = 5;

/** Runs seeds on threads, and reports the progress as a line each second. */
export class SeedRunner {
  readonly #options: CommandLine;
  readonly #report: (line: string) => void;
  readonly #failed: FailedSeed[] = [];
  readonly #startedAt = performance.now();
  #next: number;
  #done = 0;

  constructor(options: CommandLine, report: (line: string) => void) {
    this.#options = options;
    this.#report = report;
    this.#next = options.from;
  }

  async run(): Promise<SeedResult> {
    const reporting = setInterval(() => this.#report(this.#progress), 1_000);
    try {
      const { workers } = this.#options;
      await Promise.all(Array.from({ length: workers }, () => this.#runThread()));
    } finally {
      clearInterval(reporting);
    }
    return { done: this.#done, failed: this.#failed, seconds: this.#seconds };
  }

  get #seconds(): number {
    return (performance.now() - this.#startedAt) / 1_000;
  }

  get #progress(): string {
    const { seeds: total } = this.#options;
    const failures = this.#failed.length;
    return progressText({ done: this.#done, total, failures, seconds: this.#seconds });
  }

  async #runThread(): Promise<void> {
    let thread: SeedThread | undefined;
    for (let range = this.#take(); range !== undefined; range = this.#take()) {
      thread ??= new SeedThread();
      const failed = await thread.run(range);
      this.#failed.push(...failed);
      this.#done += range.to - range.from;
      if (failed.length > 0) {
        // The thread may still be busy with a seed that does not end.
        await thread.end();
        thread = undefined;
      }
    }
    await thread?.end();
  }

  #take(): SeedRange | undefined {
    const { from, seeds, seconds } = this.#options;
    const end = from + seeds;
    const isOver = this.#seconds > seconds || this.#failed.length >= MAX_FAILURES;
    if (isOver || this.#next >= end) return undefined;
    const range = { from: this.#next, to: Math.min(this.#next + SEEDS_PER_MESSAGE, end) };
    this.#next = range.to;
    return range;
  }
}
