import type { WorkQueueObserver } from '@keelson/workqueue';
import { BoundedLabel } from './bounded-label.ts';
import type {
  ControllerObserver,
  ControllerReading,
  ReconcileResult,
} from '../run/controller-observer.ts';
import type { CallRole } from '../event-loop/user-calls.ts';
import type { SeriesScope } from './series-scope.ts';
import type { CountedSeries, ObservedSeries } from './series.ts';

/** The number of priorities with their own series, as in controller-runtime. */
const EXACT_PRIORITIES = 25;
/** The number of pairs of field managers with their own series. */
const EXACT_PAIRS = 25;

/** The sums over the reconciles of a controller since its start. */
export interface ControllerTotals {
  readonly reconciles: number;
  readonly errors: number;
  readonly seconds: number;
}

/** The metric series of one controller: each starts at 0, and all are removed with the controller. */
export class ControllerMetrics implements ControllerObserver {
  readonly queue: WorkQueueObserver;
  readonly #scope: SeriesScope;
  readonly #onRemoved: () => void;
  readonly #priorities = new BoundedLabel(EXACT_PRIORITIES, 'other');
  readonly #results: Readonly<Record<ReconcileResult, CountedSeries>>;
  readonly #failures: Readonly<
    Record<
      'error' | 'terminal' | 'panic' | 'invalid' | 'timeout' | 'deadLetter' | 'queueFunction',
      CountedSeries
    >
  >;
  readonly #pairs = new BoundedLabel<string>(EXACT_PAIRS, 'other\nother');
  readonly #handlerErrors: CountedSeries;
  readonly #delayedEvents: CountedSeries;
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
      deadLetter: scope.counter('deadLetters'),
      queueFunction: scope.counter('queueFunctionErrors'),
      invalid: scope.counter('invalidResults'),
      timeout: scope.counter('timeouts'),
    };
    this.#handlerErrors = scope.counter('handlerErrors');
    this.#delayedEvents = scope.counter('delayedEvents');
    this.#reconcileTime = scope.histogram('reconcileTime');
    this.#apiToReconcile = scope.histogram('apiToReconcile');
    this.#handlerDuration = scope.histogram('handlerDuration');
    this.queue = queueObserver(scope, purged);
    // Priority 0 has a series before the first request.
    this.#priorities.of(0);
  }

  /** The numbers of reconciles and of failed ones since the start, and the seconds that they took. */
  get totals(): ControllerTotals {
    const results = Object.values(this.#results);
    return {
      reconciles: results.reduce((sum, { count }) => sum + count, 0),
      errors: this.#failures.error.count,
      seconds: this.#reconcileTime.sum,
    };
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

  deadLetter(): void {
    this.#failures.deadLetter.inc();
  }

  queueFunctionFailed(): void {
    this.#failures.queueFunction.inc();
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

  eventDelayed(): void {
    this.#delayedEvents.inc();
  }

  fieldManagersFight(managers: readonly [string, string]): void {
    const [manager = '', other = ''] = this.#pairs.of(managers.join('\n')).split('\n');
    this.#scope.counter('managerFights', { manager, other_manager: other }).inc();
  }

  /** The series of a role exists from its first report on, because most controllers have none. */
  blocked(role: CallRole, ms: number): void {
    this.#scope.histogram('eventLoopBlocked', { role }).observe(ms / 1000);
  }

  removed(): void {
    this.#scope.close();
    this.#onRemoved();
  }

  /** The current numbers of the controller; `undefined` until it can be read. */
  get reading(): ControllerReading | undefined {
    return this.#reading;
  }

  /** The number of ready requests by the label of their priority. A priority that occurred once stays, with 0. */
  depths(): ReadonlyMap<string, number> {
    const depths = new Map(Array.from(this.#priorities.seen(), (label) => [label, 0]));
    for (const [priority, depth] of this.#reading?.depths() ?? []) {
      const label = this.#priorities.of(priority);
      depths.set(label, (depths.get(label) ?? 0) + depth);
    }
    return depths;
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
