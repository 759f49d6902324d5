import { isWithdrawn, type Origin } from './origin.ts';
import type { WorkItem } from '../contract/work-item.ts';

const none: readonly never[] = Object.freeze([]);

/**
 * An item that a worker holds. Every hand-out makes one, hence one object for three purposes: what the
 * worker is given (the `WorkItem`), the lock of the key, and a link in the chain of held items.
 */
export class HeldItem<Item, Cause, Source> implements WorkItem<Item, Cause> {
  readonly item: Item;
  readonly priority: number;
  readonly failures: number;
  readonly queuedMs: number;
  readonly startedAt: number;
  readonly #asked: Origin<Cause, Source> | undefined;
  #origin: Origin<Cause, Source> | undefined;
  #hasFailed = false;
  #previous: HeldItem<Item, Cause, Source> | undefined;
  #next: HeldItem<Item, Cause, Source> | undefined = undefined;

  constructor(
    facts: Omit<WorkItem<Item, Cause>, 'causes' | 'causedAt'>,
    origin: Origin<Cause, Source> | undefined,
    previous: HeldItem<Item, Cause, Source> | undefined,
  ) {
    this.item = facts.item;
    this.priority = facts.priority;
    this.failures = facts.failures;
    this.queuedMs = facts.queuedMs;
    this.startedAt = facts.startedAt;
    this.#asked = origin;
    this.#origin = origin;
    this.#previous = previous;
    if (previous !== undefined) previous.#next = this;
  }

  get causes(): readonly Cause[] {
    return this.#asked?.causes() ?? none;
  }

  get causedAt(): readonly number[] {
    return this.#asked?.causedAt() ?? none;
  }

  /** Everything that asked for the item, also what was withdrawn since. */
  get asked(): Origin<Cause, Source> | undefined {
    return this.#asked;
  }

  /** What asked for the item and was not withdrawn: a retry inherits it. */
  get origin(): Origin<Cause, Source> | undefined {
    return this.#origin;
  }

  /** True once a rate-limited add has reported the failure of this run. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get isWithdrawn(): boolean {
    return isWithdrawn(this.#origin);
  }

  get previous(): HeldItem<Item, Cause, Source> | undefined {
    return this.#previous;
  }

  get next(): HeldItem<Item, Cause, Source> | undefined {
    return this.#next;
  }

  fail(): void {
    this.#hasFailed = true;
  }

  /** Keeps the remaining origin after sources were withdrawn. */
  reduce(left: (origin: Origin<Cause, Source>) => Origin<Cause, Source>): void {
    if (this.#origin !== undefined) this.#origin = left(this.#origin);
  }

  /** Leaves the chain. A worker that keeps its item keeps no other one. */
  unlink(): void {
    if (this.#previous !== undefined) this.#previous.#next = this.#next;
    if (this.#next !== undefined) this.#next.#previous = this.#previous;
    this.#previous = undefined;
    this.#next = undefined;
  }
}
