import type { Logger } from '../logging/logger.ts';
import { forEachPhase, phases, type Phase } from './phase.ts';
import { RunnableGroup, type RunnableGroupOptions } from './runnable-group.ts';
import type { Runnable } from './runnable.ts';
import { StopDeadline } from './stop-deadline.ts';

/** The work of a phase beside its runnables: how the phase starts and ends. */
export interface PhaseSteps {
  start(): Promise<void> | void;
  /**
   * Ends the user's work within this many milliseconds. `stillRunning` names the components of earlier steps of the
   * stop that did not end in time.
   */
  drain(milliseconds: number, stillRunning: readonly string[]): Promise<void>;
  /** The names of the components that still run after `drain`. */
  busy(): string[];
  /** Closes Keelson's own components after `drain`, within this many milliseconds. */
  close(milliseconds: number): Promise<void>;
}

export interface PhaseSequenceOptions {
  readonly steps: Partial<Readonly<Record<Phase, Partial<PhaseSteps>>>>;
  readonly runnables: (phase: Phase) => RunnableGroupOptions;
  readonly log: Logger;
  /** Milliseconds that the whole stop may take. */
  readonly gracePeriod: number;
}

/** The components that did not end in time, and the errors of a stop. */
export interface StopReport {
  readonly stillRunning: readonly string[];
  readonly errors: readonly unknown[];
}

/**
 * The fraction of the remaining time in which a phase must end; later phases get the time that it does not use.
 * Most of it is for `leader` and `shards`, where most reconciles run; `always` has half of what they leave.
 */
const fractions: Readonly<Record<Phase, number>> = {
  leader: 0.8,
  shards: 0.8,
  always: 0.5,
  caches: 0.5,
  servers: 1,
};

/**
 * The least time in milliseconds for the close of a phase, even without a grace period, so that no socket stays open.
 */
const LEAST_CLOSE_MS = 500;

/** Starts the phases of a manager in order, then stops them in reverse order. Each happens once. */
export class PhaseSequence {
  readonly #options: PhaseSequenceOptions;
  readonly #groups: Readonly<Record<Phase, RunnableGroup>>;
  readonly #begun = new Set<Phase>();
  #entering: Phase | undefined;
  #isStopping = false;
  readonly #cut = new AbortController();
  #started: Promise<void> = Promise.resolve();
  readonly #stillRunning: string[] = [];
  readonly #errors: unknown[] = [];

  constructor(options: PhaseSequenceOptions) {
    this.#options = options;
    this.#groups = forEachPhase((phase) => new RunnableGroup(options.runnables(phase)));
  }

  /** True once a phase has begun to start, even after it has stopped. */
  hasBegun(phase: Phase): boolean {
    return this.#begun.has(phase);
  }

  /** Adds a runnable, which starts with its phase, or at once if the phase has started. */
  add(runnable: Runnable): void {
    this.#groups[runnable.phase ?? 'leader'].add(runnable);
  }

  /** Starts the phases. Resolves when every phase has started or the stop has begun. */
  start(): Promise<void> {
    this.#started = this.#startPhases();
    return this.#started;
  }

  /** Stops the phases. Resolves within the grace period, even if components still run. */
  async stop(): Promise<StopReport> {
    this.#isStopping = true;
    const deadline = new StopDeadline(this.#options.gracePeriod, this.#cut.signal);
    for (const phase of phases.toReversed()) {
      const ofPhase = deadline.fraction(fractions[phase]);
      await this.#drain(phase, ofPhase);
      // No phase starts after the pending start has ended. It can end now, because all controllers that it may await
      // have stopped: those of the phases from this one on.
      if (phase === this.#entering) await this.#endOfStart(ofPhase);
      await this.#close(phase, ofPhase);
    }
    return { stillRunning: this.#stillRunning, errors: this.#errors };
  }

  /** Ends the grace period of a stop at once, now or when it begins. */
  hurry(): void {
    this.#cut.abort();
  }

  async #startPhases(): Promise<void> {
    for (const phase of phases) {
      if (this.#isStopping) return;
      this.#begun.add(phase);
      this.#entering = phase;
      await this.#options.steps[phase]?.start?.();
      if (!this.#isStopping) this.#groups[phase].start();
    }
  }

  async #drain(phase: Phase, deadline: StopDeadline): Promise<void> {
    const { drain, busy, close } = this.#options.steps[phase] ?? {};
    const group = this.#groups[phase];
    const ofDrain = close === undefined ? deadline : deadline.fraction(1 / 2);
    const drained = this.#collected(async () => {
      await Promise.all([group.stop(), drain?.(ofDrain.left, this.#stillRunning)]);
    });
    await ofDrain.awaits(drained);
    this.#report(phase, [...(busy?.() ?? []), ...group.running]);
  }

  /** Waits for a pending start, which must not delay the stop without limit. */
  async #endOfStart(deadline: StopDeadline): Promise<void> {
    const ended = await deadline.awaits(this.#started, LEAST_CLOSE_MS);
    if (!ended && this.#entering !== undefined) {
      this.#report(this.#entering, [`start of ${this.#entering}`]);
    }
  }

  async #close(phase: Phase, deadline: StopDeadline): Promise<void> {
    const { close } = this.#options.steps[phase] ?? {};
    if (close === undefined) return;
    const closed = this.#collected(() => close(deadline.left));
    if (await deadline.awaits(closed, LEAST_CLOSE_MS)) return;
    this.#report(phase, [`end of ${phase}`]);
  }

  /** Collects an error, so that the other phases stop too. */
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
