import { resourceId, startTimer } from '@keelson/apimachinery';
import type { BudgetChange, BudgetUse } from '../contract/informer-observer.ts';
import type { KindBudget, MemoryBudget } from './memory-budget.ts';
import { Growth } from '../memory/growth.ts';
import type { SharedWatch } from '../sharing/shared-watch.ts';
import { Budget } from './budget.ts';

/** The part of the smallest limit by which the memory must grow before the budgets are checked again. */
const STEP_FRACTION = 0.01;

/** Milliseconds between two reviews while a policy applies. */
const REVIEW_INTERVAL_MS = 10_000;

export interface MemoryBudgetsOptions {
  readonly budget: MemoryBudget;
  readonly watches: () => readonly SharedWatch[];
  readonly onChange: (change: BudgetChange) => void;
}

/** The memory budgets of a cache: one for all kinds, and those of single kinds. */
export class MemoryBudgets {
  readonly #options: MemoryBudgetsOptions;
  readonly #budgets: readonly Budget[];
  readonly #step: number;
  #stopTimer: (() => void) | undefined;
  #isScheduled = false;
  #isClosed = false;

  constructor(options: MemoryBudgetsOptions) {
    const { bytes, kinds = [] } = options.budget;
    this.#options = options;
    this.#budgets = [
      ...(bytes === undefined ? [] : [this.#budget('all', bytes, options.watches)]),
      ...kinds.map((kind) => this.#budgetOf(kind)),
    ];
    this.#step = Math.min(...this.uses.map((use) => use.bytes)) * STEP_FRACTION;
  }

  get uses(): readonly BudgetUse[] {
    return this.#budgets.map(({ use }) => use);
  }

  /** Creates the reports of the growth of an informer. */
  growthOf(informer: object): Growth {
    return new Growth(this.#step, (grown) => this.#grew(informer, grown));
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
  }

  #budgetOf({ resource, bytes, policy }: KindBudget): Budget {
    const id = resourceId(resource);
    const watches = (): readonly SharedWatch[] =>
      this.#options
        .watches()
        .filter(({ informer }) => resourceId(informer.identity.query.resource) === id);
    return this.#budget(id, bytes, watches, policy);
  }

  #budget(
    name: string,
    bytes: number,
    watches: () => readonly SharedWatch[],
    policy = this.#options.budget.policy ?? 'compress',
  ): Budget {
    return new Budget({ name, bytes, policy, watches, onChange: this.#options.onChange });
  }

  #grew(informer: object, grown: number): void {
    this.#schedule();
    const watch = this.#options.watches().find((one) => one.informer === informer);
    for (const budget of this.#budgets) budget.grew(watch, grown);
  }

  /**
   * Reviews the budgets later. A review changes how a store keeps objects, so it must not run within a change of the
   * store.
   */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#review());
  }

  #review(): void {
    this.#isScheduled = false;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#isClosed) return;
    for (const budget of this.#budgets) budget.review();
    if (this.#budgets.every(({ isActive }) => !isActive)) return;
    this.#stopTimer = startTimer(REVIEW_INTERVAL_MS, () => this.#review());
  }
}
