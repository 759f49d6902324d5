import { endsWithin } from '@keelson/apimachinery';
import type { Logger } from '../logging/logger.ts';
import { forEachPhase, phases, type Phase } from './phase.ts';
import { RunnableGroup, type RunnableGroupOptions } from './runnable-group.ts';
import type { Runnable } from './runnable.ts';
import { StopDeadline } from '../time/stop-deadline.ts';

/** How a phase begins and ends, beside its runnables. */
export interface Stage {
  start(): Promise<void> | void;
  /** Ends work of the user within so many milliseconds. */
  drain(milliseconds: number): Promise<void>;
  /** The names of what was drained and still runs. */
  busy(): string[];
  /** Then closes what Keelson runs itself, within so many milliseconds. */
  close(milliseconds: number): Promise<void>;
}

export interface PhaseWalkOptions {
  readonly stages: Partial<Readonly<Record<Phase, Partial<Stage>>>>;
  readonly runnables: RunnableGroupOptions;
  readonly log: Logger;
  /** Milliseconds that the whole way back may take. */
  readonly gracePeriod: number;
}

/** What went wrong on the way back. */
export interface StopReport {
  /** The names of what did not end in time. */
  readonly stillRunning: readonly string[];
  /** What was thrown. */
  readonly errors: readonly unknown[];
}

/**
 * The fraction of the remaining time in which a phase must end. What it does not use is left to the
 * phases after it. Reconciles run in `leader`, so it has most of the time.
 */
const fractions: Readonly<Record<Phase, number>> = {
  leader: 0.8,
  always: 0.5,
  caches: 0.5,
  servers: 1,
};

/** Closing takes milliseconds; it has this long even without a grace period, so that nothing stays open. */
const leastCloseMs = 500;

/** Walks the phases forwards, then backwards; each once. */
export class PhaseWalk {
  readonly #options: PhaseWalkOptions;
  readonly #groups: Readonly<Record<Phase, RunnableGroup>>;
  readonly #begun = new Set<Phase>();
  /** The phase that is being started. */
  #entering: Phase | undefined;
  #turnedBack = false;
  #forwards: Promise<void> = Promise.resolve();
  readonly #stillRunning: string[] = [];
  readonly #errors: unknown[] = [];

  constructor(options: PhaseWalkOptions) {
    this.#options = options;
    this.#groups = forEachPhase(() => new RunnableGroup(options.runnables));
  }

  /** True from the moment a phase begins, also after it was left. */
  hasBegun(phase: Phase): boolean {
    return this.#begun.has(phase);
  }

  /** Starts with its phase; at once if that has begun. */
  add(runnable: Runnable): void {
    this.#groups[runnable.phase ?? 'leader'].add(runnable);
  }

  /** Resolves when every phase has started, or the walk has turned back. */
  forwards(): Promise<void> {
    this.#forwards = this.#walkForwards();
    return this.#forwards;
  }

  /** Resolves within the grace period, whether or not everything has ended. */
  async backwards(): Promise<StopReport> {
    this.#turnedBack = true;
    const deadline = new StopDeadline(this.#options.gracePeriod);
    for (const phase of phases.toReversed()) {
      const ofPhase = deadline.fraction(fractions[phase]);
      await this.#drain(phase, ofPhase);
      // From here on nothing begins: the walk forwards was waiting for what has been stopped.
      if (phase === 'leader') await this.#endOfForwards(ofPhase);
      await this.#close(phase, ofPhase);
    }
    return { stillRunning: this.#stillRunning, errors: this.#errors };
  }

  async #walkForwards(): Promise<void> {
    for (const phase of phases) {
      if (this.#turnedBack) return;
      this.#begun.add(phase);
      this.#entering = phase;
      // Each phase builds on the one before.
      await this.#options.stages[phase]?.start?.();
      if (!this.#turnedBack) this.#groups[phase].start();
    }
  }

  async #drain(phase: Phase, deadline: StopDeadline): Promise<void> {
    const { drain, busy, close } = this.#options.stages[phase] ?? {};
    const group = this.#groups[phase];
    const { left } = close === undefined ? deadline : deadline.fraction(1 / 2);
    const drained = this.#collected(async () => {
      await Promise.all([group.stop(), drain?.(left)]);
    });
    await endsWithin(drained, left);
    this.#report(phase, [...(busy?.() ?? []), ...group.running]);
  }

  /** A start that hangs must not hold up the stop. */
  async #endOfForwards({ left }: StopDeadline): Promise<void> {
    const ended = await endsWithin(this.#forwards, Math.max(left, leastCloseMs));
    if (!ended && this.#entering !== undefined) {
      this.#report(this.#entering, [`start of ${this.#entering}`]);
    }
  }

  async #close(phase: Phase, { left }: StopDeadline): Promise<void> {
    const { close } = this.#options.stages[phase] ?? {};
    if (close === undefined) return;
    const closed = this.#collected(() => close(left));
    if (await endsWithin(closed, Math.max(left, leastCloseMs))) return;
    this.#report(phase, [`end of ${phase}`]);
  }

  /** An error of one phase does not keep the others from ending. */
  async #collected(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#errors.push(error);
    }
  }

  #report(phase: Phase, stillRunning: readonly string[]): void {
    if (stillRunning.length === 0) return;
    this.#stillRunning.push(...stillRunning);
    this.#options.log.warn({ phase, stillRunning }, 'phase did not end in time');
  }
}
