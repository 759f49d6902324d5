import type { WorkQueueObserver } from '@keelson/workqueue';
import { BoundedLabel } from './bounded-label.ts';
import type {
  ControllerObserver,
  ControllerReading,
  ReconcileResult,
} from '../controller/controller-observer.ts';
import type { CountedSeries, ObservedSeries, SeriesScope, SetGauge } from './metric-set.ts';

/** Priorities that have a series of their own (controller-runtime's limit). */
const exactPriorities = 25;

/** The series of one controller: all there at 0 from the start, all gone when it is removed. */
export class ControllerMetrics implements ControllerObserver {
  readonly queue: WorkQueueObserver;
  readonly #scope: SeriesScope;
  readonly #onRemoved: () => void;
  readonly #priorities = new BoundedLabel(exactPriorities, 'other');
  readonly #results: Readonly<Record<ReconcileResult, CountedSeries>>;
  readonly #failures: Readonly<
    Record<'error' | 'terminal' | 'panic' | 'invalid' | 'timeout', CountedSeries>
  >;
  readonly #handlerErrors: CountedSeries;
  readonly #reconcileTime: ObservedSeries;
  readonly #apiToReconcile: ObservedSeries;
  readonly #handlerDuration: ObservedSeries;
  #reading: ControllerReading | undefined;

  constructor(scope: SeriesScope, purged: CountedSeries, onRemoved: () => void) {
    this.#scope = scope;
    this.#onRemoved = onRemoved;
    const result = (label: ReconcileResult): CountedSeries =>
      scope.counter('reconciles', { result: label });
    this.#results = {
      success: result('success'),
      error: result('error'),
      requeue: result('requeue'),
      requeue_after: result('requeue_after'),
    };
    this.#failures = {
      error: scope.counter('reconcileErrors'),
      terminal: scope.counter('terminalErrors'),
      panic: scope.counter('panics'),
      invalid: scope.counter('invalidResults'),
      timeout: scope.counter('timeouts'),
    };
    this.#handlerErrors = scope.counter('handlerErrors');
    this.#reconcileTime = scope.histogram('reconcileTime');
    this.#apiToReconcile = scope.histogram('apiToReconcile');
    this.#handlerDuration = scope.histogram('handlerDuration');
    this.queue = queueObserver(scope, purged);
    // The usual priority has a series before anything was queued.
    this.#priorities.of(0);
  }

  attach(reading: ControllerReading): void {
    this.#reading = reading;
  }

  reconcileStarted(waitedMs: number | undefined): void {
    if (waitedMs !== undefined) this.#apiToReconcile.observe(waitedMs / 1000);
  }

  reconcileEnded(result: ReconcileResult, durationMs: number): void {
    this.#results[result].inc();
    if (result === 'error') this.#failures.error.inc();
    this.#reconcileTime.observe(durationMs / 1000);
  }

  terminalError(): void {
    this.#failures.terminal.inc();
  }

  panic(): void {
    this.#failures.panic.inc();
  }

  invalidResult(): void {
    this.#failures.invalid.inc();
  }

  timedOut(): void {
    this.#failures.timeout.inc();
  }

  sourceError(): void {
    this.#handlerErrors.inc();
  }

  eventHandled(durationMs: number): void {
    this.#handlerDuration.observe(durationMs / 1000);
  }

  removed(): void {
    this.#scope.close();
    this.#onRemoved();
  }

  /** Reads one number off the controller into a gauge. */
  read(set: SetGauge, name: string, value: (reading: ControllerReading) => number): void {
    if (this.#reading !== undefined) set({ name, controller: name }, value(this.#reading));
  }

  /** Ready requests by priority; a priority that was seen keeps its series. */
  readDepths(set: SetGauge, name: string): void {
    const depths = new Map<string, number>();
    for (const [priority, depth] of this.#reading?.depths() ?? []) {
      const label = this.#priorities.of(priority);
      depths.set(label, (depths.get(label) ?? 0) + depth);
    }
    for (const priority of this.#priorities.seen()) {
      set({ name, controller: name, priority }, depths.get(priority) ?? 0);
    }
  }
}

function queueObserver(scope: SeriesScope, purged: CountedSeries): WorkQueueObserver {
  const adds = scope.counter('queueAdds');
  const retries = scope.counter('queueRetries');
  const queued = scope.histogram('queueDuration');
  const held = scope.histogram('workDuration');
  return {
    added: () => adds.inc(),
    retried: () => retries.inc(),
    taken: (_priority, queuedMs) => queued.observe(queuedMs / 1000),
    finished: (heldMs) => held.observe(heldMs / 1000),
    purged: (count) => purged.inc(count),
  };
}
