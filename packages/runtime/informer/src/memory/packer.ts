import { startTimer, TimeSlice } from '@keelson/apimachinery';
import { nodeUtil } from '../contract/node-util.ts';

/** Milliseconds between a change of a store and the compression of its new objects. */
const REST_MS = 1_000;

export interface PackerOptions {
  readonly now: () => number;
  /**
   * Compresses one object. Returns false if no object waits for it, and a promise if another thread
   * compresses it.
   */
  readonly packNext: () => boolean | Promise<void>;
}

/**
 * Compresses objects in slices of 5 ms, independently of the events that bring them. An object that changes all the
 * time is compressed at most once a second. After a failure, such as a lack of memory, it tries again a second later;
 * objects stay as they are until then.
 */
export class Packer {
  readonly #options: PackerOptions;
  #stopTimer: (() => void) | undefined;
  #isRunning = false;
  #isStopped = false;
  #hasFailed = false;

  constructor(options: PackerOptions) {
    this.#options = options;
  }

  /** Starts in a second, unless it runs or will start. */
  startLater(): void {
    if (this.#isStopped || this.#isRunning) return;
    this.#stopTimer ??= startTimer(REST_MS, () => this.start());
  }

  /** Starts with the next turn of the event loop. */
  start(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#isStopped || this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  async #run(): Promise<void> {
    try {
      await this.#packAll();
      this.#isRunning = false;
    } catch (error) {
      this.#isRunning = false;
      this.#warn(error);
      this.startLater();
    }
  }

  async #packAll(): Promise<void> {
    const slice = new TimeSlice(this.#options.now);
    await slice.pause();
    while (!this.#isStopped) {
      const packed = this.#options.packNext();
      if (packed === false) break;
      if (packed !== true) await packed;
      if (slice.isDue()) await slice.pause();
    }
  }

  /** Reports the first failure as a process warning, because no caller waits for the result. */
  #warn(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    process.emitWarning(`objects stay uncompressed: ${nodeUtil.inspect(error)}`, {
      type: 'KeelsonWarning',
      code: 'COMPRESSION_FAILED',
    });
  }
}
