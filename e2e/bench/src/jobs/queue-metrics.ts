import type { WorkQueueObserver } from '@keelson/workqueue';

const BUCKETS = Array.from({ length: 12 }, (_, power) => 1e-8 * 10 ** power);

/** A histogram with the buckets of the metrics of a queue. */
class Histogram {
  readonly #counts = new Float64Array(BUCKETS.length + 1);
  sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.sum += seconds;
  }
}

/** Keeps the metrics that a manager keeps of each queue. */
export class QueueMetrics implements WorkQueueObserver {
  adds = 0;
  retries = 0;
  readonly queued: Histogram = new Histogram();
  readonly held: Histogram = new Histogram();

  added(): void {
    this.adds++;
  }

  retried(): void {
    this.retries++;
  }

  taken(_priority: number, queuedMs: number): void {
    this.queued.observe(queuedMs / 1000);
  }

  finished(heldMs: number): void {
    this.held.observe(heldMs / 1000);
  }
}
