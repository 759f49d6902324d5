import { systemClock, type Clock } from '@keelson/apimachinery';
import type { SharedWatch } from './shared-watch.ts';
import type { TakeoverDelay } from './takeover-delay.ts';
import type { View } from './view.ts';

/** The watches and views of one kind. */
export interface KindState {
  /** Returns the running watch of exactly the query of a view. */
  ownWatch(view: View): SharedWatch | undefined;
  /** Starts the watch of exactly the query of a view. */
  begin(view: View): SharedWatch;
  /** Called when a view no longer moves to this watch. The watch may then be unused. */
  mayBeUnused(watch: SharedWatch): void;
}

/**
 * Decides which watch serves each view of a kind. A view moves to the widest ready watch that covers it. Without such a
 * watch it stays where it is, until its own watch or that of the widest covering view is ready.
 */
export class Placement {
  /** The views that move, each to this watch when it is ready. */
  readonly moves: Map<View, SharedWatch> = new Map();
  readonly #kind: KindState;
  readonly #delay: TakeoverDelay;
  readonly #onDue: () => void;
  readonly #clock: Clock;
  /** The number of views that are to move to a watch. */
  readonly #targets = new Map<SharedWatch, number>();
  /** The views whose host or own state may have changed since they were planned. */
  readonly #changed = new Set<View>();
  /** The views that could move to a watch when its delay is over. */
  readonly #delayed = new Set<View>();
  #stopTimer: (() => void) | undefined;
  #dueIn = Infinity;

  /** `onDue` is called when a delayed takeover is possible. */
  constructor(
    kind: KindState,
    delay: TakeoverDelay,
    onDue: () => void,
    clock: Clock = systemClock,
  ) {
    this.#clock = clock;
    this.#kind = kind;
    this.#delay = delay;
    this.#onDue = onDue;
  }

  /** Returns the watch to which a view moves when that watch is ready. */
  moveOf(view: View): SharedWatch | undefined {
    return this.moves.get(view);
  }

  /** True if the watch gave handles back before, and may not take over others yet. */
  isDelayed(watch: SharedWatch): boolean {
    return this.#delay.remaining(watch) > 0;
  }

  /** True if a view moves to this watch. */
  isTarget(watch: SharedWatch): boolean {
    return this.#targets.has(watch);
  }

  /** True if a view has to be planned again. */
  get hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  /**
   * Marks a view and those that its own watch could serve to be planned again. Called when the view, its own watch or
   * the watch that serves it has changed.
   */
  changed(view: View): void {
    this.#changed.add(view);
    for (const other of view.narrower) this.#changed.add(other);
  }

  /** Decides again to which watches the changed views move, and starts the watches that this requires. */
  plan(): void {
    while (this.#changed.size > 0) {
      // Wider views are planned first, so that their watches run when narrower views are planned.
      const views = [...this.#changed].toSorted((a, b) => a.wider.size - b.wider.size);
      this.#changed.clear();
      for (const view of views) this.#plan(view);
    }
  }

  #plan(view: View): void {
    this.#setMove(view, undefined);
    this.#delayed.delete(view);
    const host = this.#hostOf(view);
    const isServed = host === undefined || host.id === view.watch.id;
    if (isServed || !view.informer.isOrdered) return;
    this.#setMove(view, this.#kind.ownWatch(host) ?? this.#kind.begin(host));
  }

  #setMove(view: View, target: SharedWatch | undefined): void {
    const before = this.moves.get(view);
    if (before === target) return;
    if (target === undefined) this.moves.delete(view);
    else {
      this.moves.set(view, target);
      this.#targets.set(target, (this.#targets.get(target) ?? 0) + 1);
    }
    if (before === undefined) return;
    const others = (this.#targets.get(before) ?? 1) - 1;
    if (others > 0) this.#targets.set(before, others);
    else this.#targets.delete(before);
    this.#kind.mayBeUnused(before);
  }

  /** Moves every view whose target has reached the state that its handlers have seen, and returns these views. */
  advance(): readonly View[] {
    const moved: View[] = [];
    for (const [view, target] of this.moves) {
      if (!canMove(view, target)) continue;
      this.#setMove(view, undefined);
      const { id } = view.watch;
      this.#kind.mayBeUnused(view.watch);
      const isWidening = target.coverage.gapTo(view.watch.coverage) === undefined;
      view.moveTo(target);
      if (!isWidening) this.#delay.gaveBack(id);
      moved.push(view);
    }
    return moved;
  }

  remove(view: View): void {
    this.#setMove(view, undefined);
    this.#changed.delete(view);
    this.#delayed.delete(view);
  }

  stop(): void {
    this.moves.clear();
    this.#targets.clear();
    this.#changed.clear();
    this.#delayed.clear();
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#dueIn = Infinity;
  }

  /** Returns the widest ready watch that can serve a new view. */
  static startOf(wider: readonly View[], kind: KindState): SharedWatch | undefined {
    const hosts = wider.filter((host) => {
      const watch = kind.ownWatch(host);
      return watch !== undefined && watch.isAble && watch.informer.hasSynced;
    });
    const host = widest(hosts);
    return host === undefined ? undefined : kind.ownWatch(host);
  }

  /** Returns the view whose own watch should serve a view. */
  #hostOf(view: View): View | undefined {
    if (view.isExact) return view;
    const hosts = [view, ...view.wider];
    const ready = hosts.filter((host) => this.#canServe(view, host));
    const current = ready.find(({ id }) => id === view.watch.id);
    if (ready.length > 0) return widest(ready, current);
    if (view.handles.size === 0) return undefined;
    // A view whose own watch cannot serve it now waits for a ready watch. Another watch could fail too, and the own
    // watch would then start again without its backoff.
    if (this.#kind.ownWatch(view)?.isAble === false) return view;
    return widest(hosts.filter((host) => this.#mayServe(view, host))) ?? view;
  }

  /** True if the watch of the host may serve the view once it has synced. A view starts no watch but its own. */
  #mayServe(view: View, host: View): boolean {
    if (host.handles.size === 0) return false;
    const watch = this.#kind.ownWatch(host);
    return watch === undefined ? host === view : watch.isAble;
  }

  #canServe(view: View, host: View): boolean {
    const watch = this.#kind.ownWatch(host);
    if (watch === undefined || !watch.isAble || !watch.informer.hasSynced) return false;
    if (watch === view.watch || watch.id === view.id) return true;
    // A lingering watch may end soon, so it takes over no handles.
    if (!watch.isReady || host.handles.size === 0) return false;
    const remaining = this.#delay.remaining(watch);
    if (remaining > 0) {
      this.#delayed.add(view);
      this.#wakeIn(remaining);
    }
    return remaining === 0;
  }

  /** Plans the delayed views again, because a delay is over. */
  #due(): void {
    this.#stopTimer = undefined;
    this.#dueIn = Infinity;
    for (const view of this.#delayed) this.#changed.add(view);
    this.#onDue();
  }

  #wakeIn(ms: number): void {
    if (ms >= this.#dueIn) return;
    this.#stopTimer?.();
    this.#dueIn = ms;
    this.#stopTimer = this.#clock.startTimer(ms, () => this.#due());
  }
}

/** True if the target has every state that the handlers of the view have seen. */
function canMove(view: View, target: SharedWatch): boolean {
  return target.isReady && target.informer.includes(view.informer) && view.isAtRest;
}

/** Returns a view of the list that no other one of them covers, if possible `current`. */
function widest(views: readonly View[], current?: View): View | undefined {
  let found = current ?? views[0];
  for (const view of views) if (found !== undefined && isWider(view, found)) found = view;
  return found;
}

/** True if one view is wider than another. Of two views that select the same objects, the older one counts as wider. */
function isWider(a: View, b: View): boolean {
  return b.wider.has(a) && (!a.wider.has(b) || a.order < b.order);
}
