import type { CoverageGap } from '../contract/coverage.ts';
import { everywhere } from '../contract/place.ts';
import type { NormalQuery, Retention, Sharing } from '../contract/watch-query.ts';
import type { KindWatches } from './kind-watches.ts';
import type { SharedWatch } from './shared-watch.ts';
import { View } from './view.ts';

/**
 * Why a running watch of the kind does not serve a handle.
 * - `exact`: the query has `sharing: 'exact'`.
 * - `selectors`, `projection`, `transform`: this part of the watch does not cover the query.
 * - `unsynced`, `forbidden`, `parked`, `over-budget`: the watch has no complete state, or the server
 *   or the memory budget denies it.
 * - `disconnected`: the connection of the watch is being restored.
 * - `unordered`: the versions of the server have no order, so handles do not move.
 * - `behind`: the handles move when the watch has reached the last change that they have seen.
 * - `lingering`: the watch has no handle of its own and ends soon.
 * - `delayed`: the watch gave handles back before, and must be ready for longer first.
 * - `narrower`: the serving watch is as wide or wider.
 */
export type PlanReason =
  | CoverageGap
  | 'exact'
  | 'unsynced'
  | 'forbidden'
  | 'parked'
  | 'over-budget'
  | 'disconnected'
  | 'unordered'
  | 'behind'
  | 'lingering'
  | 'delayed'
  | 'narrower';

/** A handle, the watch that serves it, and why no other watch does. */
export interface PlannedHandle {
  readonly owner: string;
  readonly required: boolean;
  readonly query: NormalQuery;
  readonly transform: string | undefined;
  readonly sharing: Sharing;
  /** The `retain` that the handle requests. The inventory has the one that its watch uses. */
  readonly retain: Retention | undefined;
  /** The identity of the watch that serves the handle. */
  readonly watch: string;
  /** True if the watch has another query than the handle. */
  readonly isView: boolean;
  /** The identity of the watch to which the handle moves when that watch is ready. */
  readonly movesTo: string | undefined;
  /** The other running watches of the kind, each with the reason why it does not serve the handle. */
  readonly others: readonly { readonly watch: string; readonly reason: PlanReason }[];
}

/**
 * Returns the plan of one kind, in the order in which its queries were acquired: of all handles, or of those that one
 * watch serves. The plan of all handles has each other watch for each query.
 */
export function planOf(kind: KindWatches, watch?: SharedWatch): PlannedHandle[] {
  const views = watch === undefined ? [...kind.views] : viewsOf(watch);
  const held = heldIds(kind);
  return views.flatMap((view) => {
    const others = [...kind.watches]
      .filter((other) => other !== view.watch)
      .map((other) => ({ watch: other.id, reason: reasonOf(kind, held, view, other) }));
    return Array.from(view.handles, ({ owner, required, retain }) => ({
      owner,
      required,
      retain,
      query: view.query,
      transform: view.transform?.name,
      sharing: view.isExact ? 'exact' : 'views',
      watch: view.watch.id,
      isView: view.watch.id !== view.id,
      movesTo: kind.placement.moveOf(view)?.id,
      others,
    }));
  });
}

/** The views that a watch serves, in the order of their creation. */
function viewsOf({ users }: SharedWatch): readonly View[] {
  const views = [...users].filter((user) => user instanceof View);
  return views.toSorted((one, other) => one.order - other.order);
}

/** The ids of the queries with a handle. */
function heldIds(kind: KindWatches): ReadonlySet<string> {
  return new Set(Array.from(kind.held(everywhere), ({ id }) => id));
}

function reasonOf(
  { placement }: KindWatches,
  held: ReadonlySet<string>,
  view: View,
  watch: SharedWatch,
): PlanReason {
  if (view.isExact) return 'exact';
  const obstacle = watch.coverage.gapTo(view.coverage);
  return (
    obstacle ??
    stateReason(watch) ??
    (view.informer.isOrdered && watch.informer.isOrdered ? undefined : 'unordered') ??
    (watch.isReady ? undefined : 'disconnected') ??
    (placement.moveOf(view) === watch ? 'behind' : undefined) ??
    (held.has(watch.id) ? undefined : 'lingering') ??
    (placement.isDelayed(watch) ? 'delayed' : 'narrower')
  );
}

function stateReason({ informer }: SharedWatch): PlanReason | undefined {
  const { state } = informer.health.current;
  if (state === 'forbidden' || state === 'parked' || state === 'over-budget') return state;
  return informer.hasSynced ? undefined : 'unsynced';
}
