import { invalidOption, type KubernetesObject } from '@keelson/apimachinery';
import { selectionOf } from '../sources/cluster-selection.ts';
import { checkKeptIndex, checkWatch } from '../sources/index-watches/index-watch.ts';
import { namespaceSet } from '../sources/namespace-set.ts';
import type { SourceOptions, WatchOptions } from '../sources/source-options.ts';
import { needsNamespaces } from '../sources/watch-defaults.ts';
import type { CallScope } from '../user-code/call-scope.ts';
import { checkRemoveOptions, type DynamicWatch, type RemoveOptions } from './dynamic-watch.ts';
import { passOn, type ReassignableQueue } from './request-handover.ts';
import type { NextPlan } from './next-plan.ts';
import type { RemovalBarrier } from './removal-barrier.ts';
import { Source, withNamespaces } from './source.ts';
import type { SourceSet } from './source-set.ts';
import type { SyncWaitOptions } from './sync-wait.ts';
import type { WatchRemovals } from './watch-removals.ts';

/** The parts of a controller that the changes of its sources use, and the limits of their waits. */
export interface ChangeParts<Q extends object> extends Omit<SyncWaitOptions, 'unready'> {
  readonly sources: SourceSet<Q>;
  readonly queue: ReassignableQueue<Q>;
  readonly barrier: RemovalBarrier<Q>;
  readonly callScope: CallScope;
  readonly removals: WatchRemovals<Q>;
  /** Aborts when the controller stops. */
  readonly stopped: AbortSignal;
}

/** The options of any watch. The types of `Controller` have checked its functions against its resource. */
export type AnyWatchOptions<Q extends object> = WatchOptions<KubernetesObject, Q>;

/** A watch that was added at run time: its source, and the `DynamicWatch` that user code holds. */
export interface AddedWatch<Q extends object> {
  readonly source: Source<Q>;
  readonly watch: DynamicWatch;
}

/** Adds a watch at once. */
export function addWatch<Q extends object>(
  parts: ChangeParts<Q>,
  options: AnyWatchOptions<Q>,
): AddedWatch<Q> {
  const { sources } = parts;
  check(sources, options);
  const required = options.required ?? false;
  const source = new Source(sources.factory.watch({ ...options, required }));
  sources.apply({ added: [source] });
  return { source, watch: watchOf(source, parts) };
}

/** Replaces the functions and the namespaces of a watch at once. */
export function changeWatch<Q extends object>(
  { sources }: ChangeParts<Q>,
  source: Source<Q>,
  options: AnyWatchOptions<Q>,
): void {
  check(sources, options);
  const plan = sources.factory.changed(source.plan, options);
  sources.apply({ changed: new Map([[source, plan]]) });
}

/** Puts a plan in force at once. Resolves when the watches that left with it have passed the removal barrier. */
export function applyNow<Q extends object>(
  { sources, queue, barrier }: ChangeParts<Q>,
  plan: NextPlan<Q>,
  { signal }: RemoveOptions,
): Promise<void> {
  const left = sources.apply(plan);
  // A change of the options that waits may have watches that did not deliver what these had delivered.
  passOn(left, queue);
  return barrier.leave(left, signal);
}

function watchOf<Q extends object>(source: Source<Q>, parts: ChangeParts<Q>): DynamicWatch {
  const { sources, barrier } = parts;
  const remove = async (bounds: RemoveOptions = {}): Promise<void> => {
    checkRemoveOptions(bounds, 'remove');
    sources.apply({ ended: [source] });
    // Also for a source that an earlier call removed: this call then waits for the same runs.
    const left = { source, watches: source.opened, isEnd: true };
    await barrier.leave([left], bounds.signal);
  };
  return {
    name: source.name,
    get synced() {
      return optional(source.synced());
    },
    get health() {
      return source.health;
    },
    get namespaces() {
      return source.namespaces;
    },
    setNamespaces: async (given, bounds = {}) => {
      checkRemoveOptions(bounds, 'setNamespaces');
      const namespaces = namespaceSet(given, 'setNamespaces');
      if (source.options.namespaces === undefined) throw needsNamespaces('the watch');
      if (source.isDetached) throw source.removed();
      const changed = new Map([[source, withNamespaces(source.plan, namespaces)]]);
      await applyNow(parts, { changed }, bounds);
    },
    remove,
    [Symbol.asyncDispose]: () => remove(),
  };
}

function check<Q extends object>(sources: SourceSet<Q>, watch: AnyWatchOptions<Q>): void {
  checkWatch(watch, 'watch');
  if (selectionOf(watch) !== undefined) {
    throw invalidOption(
      'watch.clusters',
      'belongs to the options of a controller: use `reconfigure`',
    );
  }
  const present = (): readonly SourceOptions[] => sources.all.map(({ options }) => options);
  checkKeptIndex(watch, present, sources.primaryIn(undefined)?.options);
}

/** Returns the promise with its rejection handled, because awaiting it is optional. */
function optional(promise: Promise<void>): Promise<void> {
  promise.catch(() => undefined);
  return promise;
}
