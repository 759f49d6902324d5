import { abortable } from '@keelson/apimachinery';
import type { DynamicWatch, RemoveOptions } from './controller.ts';
import { SetExchange } from './exchange/set-exchange.ts';
import { SetFailures } from './exchange/set-failures.ts';
import type { ReassignableQueue } from './exchange/source-exchange.ts';
import { SyncWait, type SyncWaitOptions } from './life/sync-wait.ts';
import { describe, identified, takeKnown, type SetMember } from './set-members.ts';
import type { SourceWatches } from './sources/source-watches.ts';
import { unreadySources } from './sources/unready-source.ts';
import type { CallScope } from '../user-code/call-scope.ts';

/** Begins the removal of a watch, or of the namespaces that its new options do not name. */
type Departure = (bounds: RemoveOptions) => Promise<void>;

/** The controller's functions that add and change the watches of a set. */
export interface WatchSetHost<Q extends object, W> {
  add(options: W): DynamicWatch;
  /** Replaces the functions of a watch and adds its new namespaces. Returns the removal of the others, if there are any. */
  update(watch: DynamicWatch, options: W): Departure | undefined;
  /** The source of a watch; `undefined` once it was removed. */
  sourceOf(watch: DynamicWatch): SourceWatches<Q> | undefined;
  /** Whether a watch is to leave: later watches of its kind then have no events before its end. */
  leaves(source: SourceWatches<Q>, isLeaving: boolean): void;
}

export interface WatchSetsOptions<Q extends object, W> extends Omit<SyncWaitOptions, 'unready'> {
  readonly host: WatchSetHost<Q, W>;
  readonly queue: ReassignableQueue<Q>;
  readonly callScope: CallScope;
}

/** A watch, and the promise of the removal of it or of its namespaces. */
type Removal = readonly [watch: DynamicWatch, end: Promise<void>];

/** One call of `replace`. */
interface Change {
  /** What leaves when the watches of the set can be read: watches, and namespaces of watches that stay. */
  readonly departures: Map<DynamicWatch, Departure>;
  /** Aborts when a later call has taken over what has not left. */
  readonly superseded: AbortController;
  /** Resolves when the departures have begun. */
  readonly departed: PromiseWithResolvers<readonly Removal[]>;
  /** Resolves when the call has ended. */
  readonly ended: PromiseWithResolvers<void>;
}

interface WatchSet<W> {
  readonly name: string;
  members: readonly SetMember<W>[];
  /** The watches that are in force until those of the members can be read. */
  leaving: readonly SetMember<W>[];
  /** The watches that were added since the last departure. */
  readonly added: Set<DynamicWatch>;
  /** The latest call. */
  change: Change | undefined;
  /** True while a call adds and changes watches, which may run user code. */
  isChanging: boolean;
}

/**
 * Named sets of dynamic watches. `replace` applies the differences between the old and the new set: it adds watches, and
 * removes others when all watches of the new set can be read. A later call continues where an earlier one waits.
 */
export class WatchSets<Q extends object, W extends object> {
  readonly #setup: WatchSetsOptions<Q, W>;
  readonly #sets = new Map<string, WatchSet<W>>();

  constructor(setup: WatchSetsOptions<Q, W>) {
    this.#setup = setup;
  }

  /** Replaces a set. A failed change does not undo the others; `REPLACE_WATCHES_FAILED` names it at the end. */
  async replace(
    name: string,
    wanted: readonly W[],
    bounds: RemoveOptions,
  ): Promise<readonly DynamicWatch[]> {
    // A call by user code in the middle of another one follows it.
    while (this.#sets.get(name)?.isChanging === true) await Promise.resolve();
    const set = this.#sets.get(name) ?? emptySet<W>(name);
    this.#sets.set(name, set);
    const failures = new SetFailures();
    const change = this.#begin(set, wanted, failures);
    const watches = set.members.flatMap(({ watch }) => watch ?? []);
    const ending = (removals: readonly Removal[]): Promise<void>[] =>
      removals.map(([{ name: watch }, end]) => failures.collectAsync('failedToRemove', watch, end));
    try {
      const unread = this.#departUnread(change, bounds);
      const exchange = this.#exchangeOf(set, change);
      if (exchange.isReady || change.departures.size === 0) {
        await Promise.all(ending([...unread, ...this.#depart(set, change, bounds)]));
      } else {
        void this.#departLater(set, change, exchange, bounds);
        await this.#wait(set, change, exchange, bounds).catch((error: unknown) => {
          reportWait(failures, change, { exchange, error, signal: bounds.signal });
        });
        await Promise.all(ending([...unread, ...(await change.departed.promise)]));
      }
    } finally {
      change.ended.resolve();
    }
    failures.throwIfAny(name);
    return watches;
  }

  /** Adds and changes watches. */
  #begin(set: WatchSet<W>, wanted: readonly W[], failures: SetFailures): Change {
    const change = emptyChange();
    set.isChanging = true;
    try {
      this.#join(set, change, identified(wanted, failures), failures);
    } finally {
      set.isChanging = false;
    }
    set.change?.superseded.abort();
    set.change = change;
    return change;
  }

  #join(set: WatchSet<W>, change: Change, members: SetMember<W>[], failures: SetFailures): void {
    const { host } = this.#setup;
    const left = new Set([...set.members, ...set.leaving]);
    // A watch with the same namespaces is kept in the first place, else one that only differs in them.
    for (const member of members) member.watch = takeKnown(left, member, true);
    for (const member of members) member.watch ??= takeKnown(left, member, false);
    for (const { watch } of left) {
      const source = watch && host.sourceOf(watch);
      if (watch === undefined || source === undefined) continue;
      host.leaves(source, true);
      change.departures.set(watch, (bounds) => watch.remove(bounds));
    }
    for (const member of members) this.#joinMember(set, change, member, failures);
    set.members = members.filter(({ watch }) => watch !== undefined);
    set.leaving = [...left];
  }

  #joinMember(set: WatchSet<W>, change: Change, member: SetMember<W>, failures: SetFailures): void {
    const { host } = this.#setup;
    const { options, watch } = member;
    failures.collect('failedToAdd', describe(options), () => {
      // If the update throws, the watch stays in the set unchanged.
      const source = watch && host.sourceOf(watch);
      if (watch !== undefined && source !== undefined) {
        host.leaves(source, false);
        const departure = host.update(watch, options);
        if (departure !== undefined) change.departures.set(watch, departure);
        return;
      }
      member.watch = undefined;
      member.watch = host.add(options);
      set.added.add(member.watch);
    });
  }

  /** Begins the removal of what was never read: no read has a gap without it. */
  #departUnread({ departures }: Change, bounds: RemoveOptions): Removal[] {
    const removals: Removal[] = [];
    for (const [watch, depart] of departures) {
      const members = this.#setup.host.sourceOf(watch)?.members ?? [];
      if (members.some(({ objects }) => objects.isReadable)) continue;
      departures.delete(watch);
      removals.push([watch, depart(bounds)]);
    }
    return removals;
  }

  #depart(set: WatchSet<W>, change: Change, bounds: RemoveOptions): readonly Removal[] {
    const present = [...change.departures].filter(
      ([watch]) => this.#setup.host.sourceOf(watch) !== undefined,
    );
    set.leaving = [];
    set.added.clear();
    if (set.members.length === 0) this.#sets.delete(set.name);
    const removals = present.map(([watch, depart]): Removal => [watch, depart(bounds)]);
    // The call may have ended before.
    for (const [, end] of removals) end.catch(() => undefined);
    change.departed.resolve(removals);
    return removals;
  }

  async #departLater(
    set: WatchSet<W>,
    change: Change,
    exchange: SetExchange<Q>,
    bounds: RemoveOptions,
  ): Promise<void> {
    const { signal } = change.superseded;
    try {
      await abortable(exchange.prepare(signal), [signal]);
      exchange.handOver();
    } catch {
      // Superseded, or a watch was removed meanwhile, so that its objects cannot be compared.
    }
    if (!signal.aborted) this.#depart(set, change, bounds);
  }

  /** Waits for the departure, or if a later call has taken it over, for the end of that call. */
  async #wait(
    set: WatchSet<W>,
    change: Change,
    exchange: SetExchange<Q>,
    { signal }: RemoveOptions,
  ): Promise<void> {
    const unready = (): ReturnType<typeof unreadySources> => unreadySources(exchange.awaited);
    const wait = new SyncWait({ ...this.#setup, unready });
    const superseded = abortable(change.departed.promise, [change.superseded.signal]).then(
      () => undefined,
      async () => {
        await set.change?.ended.promise;
        change.departed.resolve([]);
      },
    );
    // A run that waits here for a sync keeps no removal waiting.
    await this.#setup.callScope.inBarrier(() => abortable(wait.until(superseded), [signal]));
  }

  #exchangeOf(set: WatchSet<W>, change: Change): SetExchange<Q> {
    const { host, queue } = this.#setup;
    const sourcesOf = (watches: Iterable<DynamicWatch | undefined>): SourceWatches<Q>[] =>
      [...watches].flatMap((watch) => (watch && host.sourceOf(watch)) ?? []);
    const leaving = set.leaving.filter(({ watch }) => watch && change.departures.has(watch));
    return new SetExchange(queue, {
      staying: sourcesOf(set.members.map(({ watch }) => watch)),
      added: sourcesOf(set.added),
      leaving: sourcesOf(leaving.map(({ watch }) => watch)),
    });
  }
}

/** Reports a wait that ended before the departures, which follow when the watches of the set can be read. */
function reportWait<Q extends object>(
  failures: SetFailures,
  { departures, departed }: Change,
  wait: {
    readonly exchange: SetExchange<Q>;
    readonly error: unknown;
    readonly signal: AbortSignal | undefined;
  },
): void {
  const unsynced = wait.signal?.aborted === true ? [] : wait.exchange.awaited;
  for (const { name } of unsynced) failures.add('failedToAdd', name, wait.error);
  for (const { name } of departures.keys()) failures.add('failedToRemove', name, wait.error);
  departed.resolve([]);
}

function emptySet<W>(name: string): WatchSet<W> {
  const added = new Set<DynamicWatch>();
  return { name, members: [], leaving: [], added, change: undefined, isChanging: false };
}

function emptyChange(): Change {
  return {
    departures: new Map(),
    superseded: new AbortController(),
    departed: Promise.withResolvers(),
    ended: Promise.withResolvers(),
  };
}
