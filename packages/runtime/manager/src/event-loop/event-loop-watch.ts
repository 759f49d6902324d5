import type { Logger } from '../logging/logger.ts';
import { AwaitTracer, type TracedRun } from './await-tracer.ts';
import type { BlockedSpan } from './blocked-span.ts';
import type { EventLoopSettings } from './event-loop-options.ts';
import { LoopWatchdog, type LateCheck } from './loop-watchdog.ts';
import { RunSlots } from './run-slots.ts';
import { UserCalls, type CallOwner } from './user-calls.ts';
import { WarningLimit } from './warning-limit.ts';
import type { WatchedRun } from './watched-run.ts';

export interface EventLoopWatchOptions {
  readonly settings: EventLoopSettings;
  readonly log: Logger;
  /** The run that the current code belongs to. */
  readonly origin: () => TracedRun | undefined;
  /** Receives the milliseconds for which unknown code blocked the event loop. */
  readonly blocked: (ms: number) => void;
  readonly now?: () => number;
}

/** The number of runs that a warning names, and of ended runs that are kept until the next check. */
const MAX_CANDIDATES = 16;
/** The slot of a run that is not watched. */
const NO_SLOT = -1;
/** The number of reported spans that are kept, so that no time is reported twice. */
const MAX_SPANS = 64;
/** Milliseconds: a shorter interval would cost more than it finds. */
const LEAST_INTERVAL_MS = 10;
/** Milliseconds: a longer interval would suspect runs that ended long before. `setInterval` also has a limit. */
const LONGEST_INTERVAL_MS = 1000;

/**
 * Reports user code that blocks the event loop. Calls that Keelson makes are timed one by one. For code after an await
 * a timer measures how late it fires, and the report names the runs that were active: one of them may be the cause.
 * With `traceAwaits` that code is timed too. The timer and the trace exist from the first run on; the timer ends when
 * no run is left.
 */
export class EventLoopWatch {
  /** Milliseconds from which a call is reported. */
  readonly warnAfter: number;
  readonly #options: EventLoopWatchOptions;
  readonly #limit: WarningLimit;
  readonly #watchdog: LoopWatchdog;
  readonly #tracer: AwaitTracer | undefined;
  readonly #running = new RunSlots<WatchedRun>();
  /** The last runs that ended since the last check, in a ring. */
  readonly #ended: WatchedRun[] = [];
  #endedCount = 0;
  /** The last reported spans since the last check. */
  readonly #spans: BlockedSpan[] = [];
  #isOn: boolean;

  constructor(options: EventLoopWatchOptions) {
    const { settings, origin, now = (): number => performance.now() } = options;
    const { warnAfter } = settings;
    this.#options = options;
    this.warnAfter = warnAfter;
    this.#isOn = warnAfter !== Infinity;
    this.#limit = new WarningLimit(now);
    this.#watchdog = new LoopWatchdog({
      interval: Math.min(LONGEST_INTERVAL_MS, Math.max(LEAST_INTERVAL_MS, warnAfter / 2)),
      now,
      check: (check) => this.#check(check),
    });
    if (settings.traceAwaits) this.#tracer = new AwaitTracer({ warnAfter, origin, now });
  }

  /** The reporter of the calls of one component. */
  calls(owner: CallOwner): UserCalls {
    return new UserCalls(this, owner);
  }

  /** Records that a run has begun. Returns its slot, for `ended`. */
  began(run: WatchedRun): number {
    if (!this.#isOn) return NO_SLOT;
    if (!this.#watchdog.isOn) {
      this.#watchdog.start();
      this.#tracer?.start();
    }
    return this.#running.add(run);
  }

  /** Records the end of the run in this slot. */
  ended(slot: number): void {
    const run = this.#running.remove(slot);
    if (run === undefined) return;
    this.#ended[this.#endedCount % MAX_CANDIDATES] = run;
    this.#endedCount += 1;
  }

  /** Ends the reports, also those of runs that outlive the manager. */
  stop(): void {
    this.#isOn = false;
    this.#watchdog.stop();
    this.#tracer?.stop();
    this.#running.clear();
    this.#forget();
  }

  /**
   * Returns the milliseconds of a span without the calls in it that were reported before; `undefined` if they are too
   * few for a report. Otherwise the span counts as reported. `busyMs` is the time in which the event loop was busy in
   * it; by default the whole span.
   */
  unreported(
    span: BlockedSpan,
    busyMs: number = span.endedAt - span.startedAt,
  ): number | undefined {
    if (!this.#isOn) return undefined;
    const ms = busyMs - this.#reportedIn(span);
    if (ms < this.warnAfter) return undefined;
    if (this.#spans.length === MAX_SPANS) this.#spans.shift();
    this.#spans.push(span);
    return ms;
  }

  /** The number of warnings of this name that were left out since its last one; `undefined` if this one is left out. */
  admit(name: string): number | undefined {
    return this.#limit.admit(name);
  }

  #reportedIn({ startedAt, endedAt }: BlockedSpan): number {
    let ms = 0;
    // Inner spans end first, so they were reported before this one.
    let from = endedAt;
    for (const inner of this.#spans.toReversed()) {
      if (inner.endedAt > from || inner.startedAt < startedAt) continue;
      ms += inner.endedAt - inner.startedAt;
      from = inner.startedAt;
    }
    return ms;
  }

  #check({ lateMs, cpuMs, ...span }: LateCheck): boolean {
    const ms = lateMs < this.warnAfter ? undefined : this.unreported(span, lateMs);
    if (ms !== undefined) this.#reportUnknown(ms, cpuMs);
    this.#forget();
    return this.#running.size > 0;
  }

  #reportUnknown(ms: number, cpuMs: number): void {
    const { log, blocked } = this.#options;
    blocked(ms);
    const suppressed = this.admit('');
    if (suppressed === undefined) return;
    const runs = [...this.#running, ...this.#ended];
    const facts = {
      blockedMs: Math.round(ms),
      cpuMs: Math.round(cpuMs),
      candidates: runs.slice(0, MAX_CANDIDATES).map(({ title }) => title),
      others: Math.max(0, this.#running.size + this.#endedCount - MAX_CANDIDATES),
      suppressed,
    };
    log.warn(facts, 'event loop was blocked, perhaps by one of these runs');
  }

  #forget(): void {
    this.#ended.length = 0;
    this.#endedCount = 0;
    this.#spans.length = 0;
  }
}
