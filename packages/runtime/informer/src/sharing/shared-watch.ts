import { Coverage } from '../contract/coverage.ts';
import type { Informer } from '../informer/informer.ts';
import type { ErrorFacts } from '@keelson/apimachinery';
import type { BudgetPolicy } from '../contract/informer-observer.ts';
import type { WatchState } from '../contract/watch-health.ts';
import { OverlaidStore } from '../overlay/overlaid-store.ts';
import type { Overlay } from '../overlay/overlay.ts';
import type { Retention } from '../contract/watch-query.ts';

/** The default page size of client-go. */
const DEFAULT_PAGE_SIZE = 500;

/** The properties of a handle that its view needs. */
export interface HandleEntry {
  readonly owner: string;
  readonly required: boolean;
  /** How the watch keeps objects. `undefined`: as the other handles of the watch request it. */
  readonly retain: Retention | undefined;
  /** The number of objects in one page of a list; `undefined` for the default. */
  readonly pageSize: number | undefined;
  /** Called when the first watch of the handle has synced. */
  readonly onSynced: () => void;
  /** Called when the watch ends although the handle was not released. */
  readonly onClosed: () => void;
}

/**
 * If the handles of a watch differ, it keeps objects in the first of these ways. `metadata` is not among them, because
 * it is part of the query.
 */
const fastestFirst: readonly Retention[] = ['object', 'lazy', 'compressed'];

/** The states in which a watch cannot serve other queries. */
const UNABLE: ReadonlySet<WatchState> = new Set(['forbidden', 'parked', 'over-budget', 'stopped']);

/** A memory budget that limits a watch. */
export interface Limiter {
  /** Ends the limit of a watch. */
  lift(watch: SharedWatch): void;
}

/** A query that a watch serves, with its handles. */
export interface WatchUser {
  readonly handles: ReadonlySet<HandleEntry>;
}

/** A watch, the own writes that it has not reached, and the queries that it serves. */
export class SharedWatch {
  readonly informer: Informer;
  readonly overlay: Overlay;
  /** The objects of the watch as readers see them. */
  readonly store: OverlaidStore;
  readonly coverage: Coverage;
  readonly users: Set<WatchUser> = new Set();
  readonly #now: () => number;
  /** The number of handles that request each retention. */
  readonly #wanted = new Map<Retention, number>();
  #readySince: number | undefined;
  /** The budgets that limit the watch, and their policies. */
  readonly #limits = new Map<Limiter, BudgetPolicy>();
  /** The list that brings back the bodies which a budget dropped. */
  #restored: Promise<void> | undefined;

  constructor(informer: Informer, overlay: Overlay, now: () => number) {
    this.informer = informer;
    this.overlay = overlay;
    this.store = new OverlaidStore(informer.store, overlay);
    const { identity, transform, part } = informer;
    this.coverage = new Coverage(identity.query, transform?.name, part?.name);
    this.#now = now;
    this.checkHealth();
  }

  get id(): string {
    return this.informer.identity.id;
  }

  /** The handles of all queries. */
  get handles(): readonly HandleEntry[] {
    return [...this.users].flatMap(({ handles }) => [...handles]);
  }

  /** The number of objects in one page of a list: the largest that a handle requests. */
  get pageSize(): number {
    const given = this.handles.flatMap(({ pageSize }) => pageSize ?? []);
    return given.length === 0 ? DEFAULT_PAGE_SIZE : Math.max(...given);
  }

  /** True unless the server or a memory budget denies the watch, or it has ended. */
  get isAble(): boolean {
    const { state } = this.informer.health.current;
    return !UNABLE.has(state);
  }

  /** True if the watch can take over handles now. */
  get isReady(): boolean {
    const { hasSynced, health } = this.informer;
    return hasSynced && health.current.state === 'live' && !this.#hasLimit('metadata');
  }

  /** How long the watch has been able to take over handles, in milliseconds. */
  get readyFor(): number {
    return this.#readySince === undefined ? 0 : this.#now() - this.#readySince;
  }

  /** Updates the time since which the watch is ready. Called after each change of the health. */
  checkHealth(): void {
    if (!this.isAble) this.#readySince = undefined;
    else if (this.isReady) this.#readySince ??= this.#now();
  }

  add(user: WatchUser): void {
    if (this.users.has(user)) return;
    this.users.add(user);
    for (const { retain } of user.handles) this.#count(retain, 1);
    this.#retain();
  }

  remove(user: WatchUser): void {
    if (!this.users.delete(user)) return;
    for (const { retain } of user.handles) this.#count(retain, -1);
    this.#retain();
  }

  /** Called when a user of the watch gets a handle. */
  addHandle({ retain }: HandleEntry): void {
    this.#count(retain, 1);
    this.#retain();
  }

  /** Called when a user of the watch loses a handle. */
  removeHandle({ retain }: HandleEntry): void {
    this.#count(retain, -1);
    this.#retain();
  }

  #count(retain: Retention | undefined, change: number): void {
    if (retain !== undefined) this.#wanted.set(retain, (this.#wanted.get(retain) ?? 0) + change);
  }

  #retain(): void {
    this.informer.retainAs(this.#retention());
  }

  /** Applies the policy of a memory budget, or ends it. `facts` describe the budget in errors. */
  limitTo(budget: Limiter, policy: BudgetPolicy | undefined, facts: ErrorFacts): void {
    const hadBodies = !this.#hasLimit('metadata');
    if (policy === undefined) this.#limits.delete(budget);
    else this.#limits.set(budget, policy);
    this.#retain();
    const hasBodies = !this.#hasLimit('metadata');
    if (hadBodies && !hasBodies) this.informer.form.dropBodies(facts);
    if (!hadBodies && hasBodies) this.#restored = this.#restoreBodies();
  }

  /**
   * Ends the policy `metadata` of the memory budgets, because an indexer needs the bodies. Resolves when
   * the store has them again. Until then, reads of a dropped body and of an index over bodies throw.
   */
  async keepBodies(): Promise<void> {
    for (const [budget, policy] of this.#limits) if (policy === 'metadata') budget.lift(this);
    this.informer.form.droppedFor = undefined;
    await this.#restored;
  }

  /** Lists again to restore the dropped bodies. Until then reads of bodies throw, unless an indexer needs them. */
  async #restoreBodies(): Promise<void> {
    const { informer } = this;
    // The first relist may share a list that had begun before and kept only metadata.
    for (let lists = 0; lists < 2 && informer.store.content.hasDroppedBodies; lists++) {
      await informer.relist().catch(() => undefined);
    }
    if (!this.#hasLimit('metadata')) informer.form.droppedFor = undefined;
  }

  #retention(): Retention {
    if (this.#hasLimit('metadata')) return 'metadata';
    if (this.#hasLimit('compress')) return 'compressed';
    const isWanted = (retention: Retention): boolean => (this.#wanted.get(retention) ?? 0) > 0;
    return fastestFirst.find(isWanted) ?? 'lazy';
  }

  #hasLimit(policy: BudgetPolicy): boolean {
    for (const limit of this.#limits.values()) if (limit === policy) return true;
    return false;
  }
}
