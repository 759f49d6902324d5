import { abortPatience, patienceAfter } from './abort-patience.ts';
import type { Logger } from './logger.ts';
import { forEachPhase, phases, type Phase } from './phase.ts';
import { RunnableGroup, type RunnableGroupOptions } from './runnable-group.ts';
import type { Runnable } from './runnable.ts';
import { endsWithin } from './timer.ts';

/** How a phase begins and ends, beside its runnables. */
export interface Stage {
  start(): Promise<void> | void;
  /** Ends what the user wrote; it has this much time. */
  drain(grace: number): Promise<void>;
  /** The names of what was drained and still runs. */
  busy(): string[];
  /** Then, what we run ourselves. */
  close(grace: number): Promise<void>;
}

export interface PhaseWalkOptions {
  readonly stages: Partial<Readonly<Record<Phase, Partial<Stage>>>>;
  readonly runnables: RunnableGroupOptions;
  readonly log: Logger;
  /** Milliseconds that what the user wrote has to end. */
  readonly gracePeriod: number;
}

/** Walks the phases forwards, then backwards; each once. */
export class PhaseWalk {
  readonly #options: PhaseWalkOptions;
  readonly #groups: Readonly<Record<Phase, RunnableGroup>>;
  readonly #begun = new Set<Phase>();
  #turnedBack = false;
  #forwards: Promise<void> = Promise.resolve();

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

  /** Resolves to the names of what did not end in time. */
  async backwards(): Promise<string[]> {
    this.#turnedBack = true;
    const deadline = performance.now() + this.#options.gracePeriod;
    const late: string[] = [];
    for (const phase of phases.toReversed()) {
      late.push(...(await this.#leave(phase, deadline)));
      // Nothing begins any more: what the walk forwards was waiting for has been told to end.
      if (phase === 'leader') await this.#forwards.catch(() => undefined);
    }
    return late;
  }

  async #walkForwards(): Promise<void> {
    for (const phase of phases) {
      if (this.#turnedBack) return;
      this.#begun.add(phase);
      // Each phase builds on the one before.
      await this.#options.stages[phase]?.start?.();
      if (!this.#turnedBack) this.#groups[phase].start();
    }
  }

  async #leave(phase: Phase, deadline: number): Promise<string[]> {
    const { gracePeriod, log, stages } = this.#options;
    const { drain, busy, close } = stages[phase] ?? {};
    const group = this.#groups[phase];
    const grace = Math.max(0, deadline - performance.now());
    const drained = Promise.all([group.stop(), drain?.(grace)]);
    await endsWithin(drained, grace + patienceAfter(gracePeriod));
    const late = [...(busy?.() ?? []), ...group.running];
    const closed = Promise.resolve(close?.(grace));
    closed.catch((error: unknown) => log.error({ phase, error }, 'phase did not close'));
    await endsWithin(closed, abortPatience);
    return late;
  }
}
