import { abortable } from '@keelson/apimachinery';
import type { DynamicWatch, RemoveOptions } from './dynamic-watch.ts';
import { namespaceSet, type NamespaceSet } from '../sources/namespace-set.ts';
import type { KindSource } from '../sources/kind-source.ts';
import type { WatchEnd } from '../sources/source-options.ts';
import { addWatch, changeWatch, type AnyWatchOptions, type ChangeParts } from './added-watch.ts';
import { kindOf, type Left, type NextPlan } from './next-plan.ts';
import { SetFailures } from './set-failures.ts';
import { describe, identified, takeKnown, type SetMember } from './set-members.ts';
import { withNamespaces, type Source, type SourcePlan } from './source.ts';
import { SourceChange } from './source-change.ts';

/** The namespaces of a watch that stays: those in force, and those that the options name. */
interface Narrowing {
  readonly present: NamespaceSet | undefined;
  readonly wanted: NamespaceSet;
}

/** The removals of a call: of a source, or of namespaces of a source that stays. */
type Departures<Q extends object> = Map<Source<Q>, Narrowing | undefined>;

/** One call of `replace`. */
interface Call<Q extends object> {
  /** The removals that wait until the watches of the set can be read. */
  readonly departures: Departures<Q>;
  /** Aborts when a later call takes over the remaining removals. */
  readonly superseded: AbortController;
  /** Resolves when the call has ended. */
  readonly ended: PromiseWithResolvers<void>;
}

/** The name of a watch, and the promise of its removal or of the removal of its namespaces. */
type Removal = readonly [name: string, end: Promise<void>];

/**
 * A named set of watches that were added at run time. `replace` makes two plans. The first adds and changes watches at
 * once. The second ends the others when all watches of the set can be read. A later call takes over the removals for
 * which an earlier one waits.
 */
export class WatchSet<Q extends object> {
  readonly #name: string;
  readonly #parts: ChangeParts<Q>;
  #members: readonly SetMember<Q>[] = [];
  /** The watches of former sets that stay in force until those of the present set can be read. */
  #leaving: readonly SetMember<Q>[] = [];
  /** The sources that were added since the last departure. */
  readonly #added = new Set<Source<Q>>();
  /** The latest call. */
  #call: Call<Q> | undefined;
  /** True while a call adds and changes watches, which may run user code. */
  #isChanging = false;
  #waiting = 0;

  constructor(name: string, parts: ChangeParts<Q>) {
    this.#name = name;
    this.#parts = parts;
  }

  /** True if no watch and no call is left. */
  get isEmpty(): boolean {
    return this.#members.length === 0 && this.#leaving.length === 0 && this.#waiting === 0;
  }

  /** Replaces the set. A failed change does not undo the others; `REPLACE_WATCHES_FAILED` names it at the end. */
  async replace(
    wanted: readonly AnyWatchOptions<Q>[],
    bounds: RemoveOptions,
  ): Promise<readonly DynamicWatch[]> {
    this.#waiting += 1;
    // User code of another call may have made this call. It begins when that one has changed its watches.
    while (this.#isChanging) await Promise.resolve();
    const failures = new SetFailures();
    const call = this.#begin(wanted, failures);
    const watches = this.#members.flatMap(({ added }) => added?.watch ?? []);
    try {
      const unread = this.#departUnread(call, bounds);
      const change = this.#changeOf(call);
      const isReady = change.isReady || call.departures.size === 0;
      const departing = this.#depart(call, change, isReady, bounds);
      const departed = isReady
        ? await departing
        : await this.#wait(departing, change, bounds).catch((error: unknown) => {
            this.#parts.stopped.throwIfAborted();
            reportWait(failures, call, change.awaited, error, bounds);
            return [];
          });
      await Promise.all(
        [...unread, ...departed].map(([name, end]) =>
          failures.collectAsync('failedToRemove', name, end),
        ),
      );
    } finally {
      call.ended.resolve();
      this.#waiting -= 1;
    }
    failures.throwIfAny(this.#name);
    return watches;
  }

  /** Adds and changes watches, and takes over the removals that an earlier call has not ended. */
  #begin(wanted: readonly AnyWatchOptions<Q>[], failures: SetFailures): Call<Q> {
    const call = emptyCall<Q>();
    this.#isChanging = true;
    try {
      this.#join(call, identified(wanted, failures), failures);
    } finally {
      this.#isChanging = false;
    }
    this.#call?.superseded.abort();
    this.#call = call;
    return call;
  }

  #join(call: Call<Q>, members: SetMember<Q>[], failures: SetFailures): void {
    const { removals } = this.#parts;
    const left = new Set([...this.#members, ...this.#leaving]);
    takeKnown(left, members);
    for (const { added } of left) {
      if (added === undefined || added.source.isDetached) continue;
      // From now on later watches of the kind deliver no events before the end of this one.
      removals.endOf(added.source);
      call.departures.set(added.source, undefined);
    }
    for (const member of members) {
      failures.collect('failedToAdd', describe(member.options), () =>
        this.#joinMember(call, member),
      );
    }
    this.#members = members.filter(({ added }) => added !== undefined);
    this.#leaving = [...left];
  }

  /** Adds or changes the watch of a member. If a change throws, the watch stays in the set unchanged. */
  #joinMember(call: Call<Q>, member: SetMember<Q>): void {
    const { removals } = this.#parts;
    const { options, added } = member;
    if (added === undefined || added.source.isDetached) {
      member.added = undefined;
      member.added = addWatch(this.#parts, options);
      this.#added.add(member.added.source);
      return;
    }
    const { source } = added;
    removals.recall(source);
    const earlier = this.#call?.departures.get(source);
    // The namespaces that an earlier call has not ended leave, even if the change fails.
    if (earlier !== undefined && earlier.present === source.options.namespaces)
      call.departures.set(source, earlier);
    const wanted = options.namespaces && namespaceSet(options.namespaces, 'watch.namespaces');
    if (wanted === undefined) return changeWatch(this.#parts, source, options);
    const { namespaces: present = [] } = source.options;
    // The namespaces that the options do not name stay until all watches of the set can be read.
    const namespaces = namespaceSet([...wanted, ...present], 'watch.namespaces');
    changeWatch(this.#parts, source, { ...options, namespaces });
    const joint = source.options.namespaces;
    call.departures.delete(source);
    if (String(joint) !== String(wanted)) call.departures.set(source, { present: joint, wanted });
  }

  /** Begins the removal of watches that cannot be read: without them no read has a gap. */
  #departUnread({ departures }: Call<Q>, bounds: RemoveOptions): readonly Removal[] {
    const unread: Departures<Q> = new Map();
    for (const [source, narrowing] of departures) {
      const read = source.members.filter(({ objects }) => objects.isReadable);
      if (read.length === 0) {
        departures.delete(source);
        unread.set(source, narrowing);
      } else if (narrowing !== undefined) {
        const namespaces = read.flatMap(({ objects }) => objects.namespace ?? []);
        const wanted = namespaceSet([...narrowing.wanted, ...namespaces], 'watch.namespaces');
        unread.set(source, { ...narrowing, wanted });
      }
    }
    const left = this.#parts.sources.apply(planOf(unread));
    for (const [source, narrowing] of departures) {
      if (narrowing === undefined) continue;
      const present = source.options.namespaces;
      if (String(present) === String(narrowing.wanted)) departures.delete(source);
      else departures.set(source, { ...narrowing, present });
    }
    return this.#removals(unread, left, bounds);
  }

  /** Ends the watches that leave. If a later call has taken them over, waits for the end of that call. */
  async #depart(
    call: Call<Q>,
    change: SourceChange<Q>,
    isReady: boolean,
    bounds: RemoveOptions,
  ): Promise<readonly Removal[]> {
    const { signal } = call.superseded;
    // Rejects if a watch is removed during the wait. The plan then begins without a comparison of the objects.
    if (!isReady) await change.prepare(signal).catch(() => undefined);
    if (signal.aborted) {
      await this.#call?.ended.promise;
      return [];
    }
    const present = new Map([...call.departures].filter(([source]) => !source.isDetached));
    const left = change.commit(planOf(present));
    this.#leaving = [];
    this.#added.clear();
    const removals = this.#removals(present, left, bounds);
    // The call may have ended, so that nothing awaits the removals.
    for (const [, end] of removals) end.catch(() => undefined);
    return removals;
  }

  /** Waits until the other watches have left. It is a barrier: a removal does not wait for a run that waits here. */
  async #wait(
    departing: Promise<readonly Removal[]>,
    change: SourceChange<Q>,
    { signal }: RemoveOptions,
  ): Promise<readonly Removal[]> {
    const { callScope, stopped } = this.#parts;
    const departed = change.limited(
      departing.then(() => undefined),
      this.#parts,
    );
    await callScope.inBarrier(() => abortable(departed, [signal, stopped]));
    return departing;
  }

  #changeOf({ departures }: Call<Q>): SourceChange<Q> {
    const { sources, queue } = this.#parts;
    const readable = this.#members.flatMap(({ added }) => added?.source ?? []);
    const fresh = [...this.#added].filter((one) => !one.isDetached && !departures.has(one));
    const heirs = new Map<Source<Q>, readonly Source<Q>[]>();
    // The watches of one kind share a list, because a set may have thousands of them.
    const byKind = Map.groupBy(fresh, ({ options }) => kindOf(options));
    for (const [source, narrowing] of departures) {
      // `onWatchRemoved` deletes the data that was derived from the objects, so no request is passed to new sources.
      const hasEnd = (source.options as WatchEnd).onWatchRemoved !== undefined;
      if (narrowing !== undefined || hasEnd || source.isDetached) continue;
      heirs.set(source, byKind.get(kindOf(source.options)) ?? []);
    }
    return new SourceChange(sources, queue, { heirs }, { readable });
  }

  /** Begins the removal barriers of the watches that left. Returns their promises. */
  #removals(
    departures: Departures<Q>,
    left: readonly Left<Q>[],
    { signal }: RemoveOptions,
  ): readonly Removal[] {
    const bySource = Map.groupBy(left, ({ source }) => source);
    return [...departures.keys()].map((source) => {
      const own = bySource.get(source) ?? [];
      return [source.name, this.#parts.barrier.leave(own, signal)];
    });
  }
}

/** Returns the plan that ends watches, and namespaces unless user code has changed them during the wait. */
function planOf<Q extends object>(departures: Departures<Q>): NextPlan<Q> {
  const ended: Source<Q>[] = [];
  const changed = new Map<Source<Q>, SourcePlan<Q>>();
  for (const [source, narrowing] of departures) {
    if (narrowing === undefined) ended.push(source);
    else if (source.options.namespaces === narrowing.present)
      changed.set(source, withNamespaces(source.plan, narrowing.wanted));
  }
  return { ended, changed };
}

/** Reports a wait that ended early. The removals still follow when the watches of the set can be read. */
function reportWait<Q extends object>(
  failures: SetFailures,
  { departures }: Call<Q>,
  awaited: readonly KindSource<Q>[],
  error: unknown,
  { signal }: RemoveOptions,
): void {
  const unsynced = signal?.aborted === true ? [] : awaited;
  for (const { name } of unsynced) failures.add('failedToAdd', name, error);
  for (const { name } of departures.keys()) failures.add('failedToRemove', name, error);
}

function emptyCall<Q extends object>(): Call<Q> {
  return {
    departures: new Map(),
    superseded: new AbortController(),
    ended: Promise.withResolvers(),
  };
}
