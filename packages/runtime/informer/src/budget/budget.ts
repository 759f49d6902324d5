import type { BudgetChange, BudgetPolicy, BudgetUse } from '../contract/informer-observer.ts';
import { informerError } from '../errors.ts';
import type { Limiter, SharedWatch } from '../sharing/shared-watch.ts';

/**
 * The part of the limit to which the use must fall before a policy is lifted, so that the policy does not begin and end
 * all the time.
 */
const LOW_FRACTION = 0.8;

export interface BudgetOptions {
  /** The kind, such as `v1/pods`, or `all`. */
  readonly name: string;
  readonly bytes: number;
  readonly policy: BudgetPolicy;
  /** The watches that use the budget. */
  readonly watches: () => readonly SharedWatch[];
  readonly onChange: (change: BudgetChange) => void;
}

/** One limit of memory, and the watches to which its policy applies. */
export class Budget implements Limiter {
  readonly #options: BudgetOptions;
  /**
   * The watches to which the policy applies. The value is the memory in bytes that a watch needed when it was refused;
   * 0 for other policies.
   */
  readonly #limited = new Map<SharedWatch, number>();
  #isExceeded = false;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  get use(): BudgetUse {
    const { name, policy, bytes, watches } = this.#options;
    const used = watches().reduce((sum, { informer }) => sum + informer.store.memoryUsed, 0);
    return { budget: name, policy, bytes, used: Math.round(used) };
  }

  /** True while the policy applies to a watch, or the limit is exceeded. */
  get isActive(): boolean {
    return this.#isExceeded || this.#limited.size > 0;
  }

  /**
   * Called before a watch uses more memory. `grown`: its growth in bytes, including the next object. Throws
   * `MEMORY_BUDGET_EXCEEDED` if the policy refuses the object, so that the store never exceeds the limit. Otherwise a
   * list could never fit in again.
   */
  grew(watch: SharedWatch | undefined, grown: number): void {
    const { name, policy, watches, bytes } = this.#options;
    if (policy !== 'refuse' || watch === undefined || !watches().includes(watch)) return;
    const { used } = this.use;
    const { store } = watch.informer;
    const needed = store.memoryAfter(grown);
    if (used - store.memoryUsed + needed <= bytes) return;
    if (!this.#limited.has(watch)) this.#report('limited', watch);
    this.#limited.set(watch, needed);
    throw informerError('MEMORY_BUDGET_EXCEEDED', { budget: name, bytes, used });
  }

  /** Applies the policy to more watches, or lifts it. */
  review(): void {
    this.#forgetEnded();
    if (this.#options.policy !== 'refuse') this.#limitLargest();
    for (const watch of this.#limited.keys()) if (this.#mayLift(watch)) this.lift(watch);
    if (!this.#isExceeded || this.use.used > this.#options.bytes * LOW_FRACTION) return;
    this.#isExceeded = false;
    this.#report('within', undefined);
  }

  /** Ends the policy on a watch. */
  lift(watch: SharedWatch): void {
    this.#limited.delete(watch);
    this.#report('lifted', watch);
    if (this.#options.policy === 'refuse') watch.informer.wake();
    else watch.limitTo(this, undefined, {});
  }

  #limitLargest(): void {
    const { name, bytes, policy } = this.#options;
    while (this.#expected() > bytes) {
      const watch = this.#largest();
      if (watch === undefined) {
        this.#exceeded();
        return;
      }
      this.#limited.set(watch, 0);
      this.#report('limited', watch);
      watch.limitTo(this, policy, { budget: name, bytes });
    }
  }

  #exceeded(): void {
    if (this.#isExceeded) return;
    this.#isExceeded = true;
    this.#report('exceeded', undefined);
  }

  /** The expected use in bytes when all waiting objects are packed. */
  #expected(): number {
    const contents = this.#options.watches().flatMap(({ informer }) => informer.store.contents);
    return contents.reduce((sum, { packable }) => sum - packable, this.use.used);
  }

  /** Returns the watch for which the policy saves the most memory. */
  #largest(): SharedWatch | undefined {
    const { policy, watches } = this.#options;
    const able = watches()
      .filter((watch) => !this.#limited.has(watch))
      .map((watch) => ({ watch, bytes: bytesToPack(watch, policy) }))
      .filter(({ bytes }) => bytes > 0);
    return able.toSorted((one, other) => other.bytes - one.bytes)[0]?.watch;
  }

  /** True if the use stays below 80 % of the limit without the policy on this watch. */
  #mayLift(watch: SharedWatch): boolean {
    const { bytes, policy } = this.#options;
    const { content, contents, memoryUsed } = watch.informer.store;
    const needed = this.#limited.get(watch) ?? 0;
    const growth = policy === 'refuse' ? needed - memoryUsed : content.packedAway;
    const isPacking = policy !== 'refuse' && contents.some(({ packable }) => packable > 0);
    return !isPacking && this.use.used + growth <= bytes * LOW_FRACTION;
  }

  #forgetEnded(): void {
    const watches = new Set(this.#options.watches());
    for (const watch of this.#limited.keys()) {
      const { state } = watch.informer.health.current;
      const isAdmitted = this.#options.policy === 'refuse' && state === 'live';
      if (!watches.has(watch) || isAdmitted) this.#limited.delete(watch);
    }
  }

  #report(change: BudgetChange['change'], watch: SharedWatch | undefined): void {
    this.#options.onChange({ ...this.use, change, watch: watch?.informer.identity });
  }
}

/** The bytes of a watch that a policy packs. */
function bytesToPack({ informer }: SharedWatch, policy: BudgetPolicy): number {
  const { transform, store, identity } = informer;
  const { retention } = store.content;
  const sum = (member: 'plain' | 'live'): number =>
    store.contents.reduce((bytes, content) => bytes + content[member], 0);
  if (policy === 'compress') return retention === 'compressed' ? 0 : sum('plain');
  const needsBodies = store.indices.some(({ indexer }) => 'body' in indexer);
  const isWhole = identity.query.projection === 'full' && transform === undefined;
  return isWhole && !needsBodies && retention !== 'metadata' ? sum('live') : 0;
}
