import { resourceId, type ApiResource, type ObjectName } from '@keelson/apimachinery';
import { informerError } from '../errors.ts';
import { everywhere, type Place } from '../contract/place.ts';
import { readOfList, type Read } from '../contract/read.ts';
import type { ServingStore } from '../overlay/serving-store.ts';
import type { PlacedStore } from './newest-versions.ts';
import type { View } from '../sharing/view.ts';
import { viewText, type WatchMembers } from '../sharing/watch-text.ts';

/**
 * Decides which watches may serve a read.
 * - `covering`: one watch must have every object that the read can return.
 * - `union`: all watches that select objects in the namespace and name of the read serve it together.
 */
export type ReadRule = 'covering' | 'union';

/** The views of a reader, and the rule for its reads. */
export interface ReadScope {
  readonly rule: ReadRule;
  /**
   * Returns the views of a kind that have a handle and may have objects of the place, and possibly a few others, in the
   * order of their handles.
   */
  viewsOf(resource: ApiResource, place: Place): Iterable<View>;
  /**
   * Returns the only view of a kind, if its query selects all objects: a fast path for the usual case, which does not look
   * at places. `undefined` means that `viewsOf` must decide.
   */
  onlyView?(resource: ApiResource): View | undefined;
  /** Ends the waits of the reader; `undefined` for a reader that lives as long as its cache. */
  readonly signal?: AbortSignal | undefined;
  /** Returns the code that declares a watch, for error facts. */
  declare(resource: ApiResource, members: WatchMembers): string;
}

/**
 * Returns the stores that serve a read; no other code decides this. Throws `NOT_WATCHED` if no
 * watch of the scope serves the read, and `NOT_SYNCED` until one of those that serve it has synced.
 */
export function servingStores(
  scope: ReadScope,
  resource: ApiResource,
  read: Read,
): readonly [PlacedStore, ...PlacedStore[]] {
  const candidates = [...scope.viewsOf(resource, read.place)];
  const able = candidates.filter(({ coverage }) =>
    scope.rule === 'union' ? coverage.reaches(read) : coverage.covers(read),
  );
  if (able.length === 0) throw notWatched(scope, resource, read);
  const synced = able.filter(({ hasSynced }) => hasSynced);
  // Two views of the same query, one of which is exact, may have the same store.
  const stores = new Map<ServingStore, PlacedStore>();
  for (const view of preferred(synced, read)) {
    const store = storeFor(view, read);
    if (!stores.has(store)) stores.set(store, { store, place: view.coverage.place });
  }
  const [first, ...others] = stores.values();
  if (first === undefined) throw notSynced(resource, able);
  return scope.rule === 'union' ? [first, ...others] : [first];
}

/**
 * Throws `NOT_WATCHED` for an object that exists according to a view of the metadata, but that no serving view selects.
 * If a serving view selects the object, its event has not arrived yet and the object counts as missing.
 */
export function checkAbsence(
  scope: ReadScope,
  resource: ApiResource,
  read: Read,
  name: ObjectName,
): void {
  if (scope.rule !== 'union' || read.projection === 'metadata') return;
  const views = [...scope.viewsOf(resource, read.place)];
  const serving = views.filter(({ coverage }) => coverage.reaches(read));
  for (const view of views) {
    const head = storeFor(view, read).find(name);
    const labels = head?.metadata.labels;
    if (head === undefined || serving.some(({ coverage }) => coverage.selectsLabels(labels))) {
      continue;
    }
    throw notWatched(scope, resource, read);
  }
}

/** True if the server serves the kind, and a view of it has synced. Throws `NOT_WATCHED` without a view. */
export function isServedIn(scope: ReadScope, resource: ApiResource): boolean {
  let isWatched = false;
  for (const { hasSynced, informer } of scope.viewsOf(resource, everywhere)) {
    if (hasSynced && informer.health.current.state !== 'parked') return true;
    isWatched = true;
  }
  if (!isWatched) throw notWatched(scope, resource, readOfList({}));
  return false;
}

function storeFor({ store, received }: View, { overlay }: Read): ServingStore {
  return overlay ? store : received;
}

/**
 * Sorts views with the requested index first, and untransformed views before transformed ones.
 */
function preferred(views: View[], { index }: Read): View[] {
  if (views.length < 2) return views;
  const rank = ({ coverage, store }: View): number =>
    Number(index !== undefined && store.indexOf(index) === undefined) +
    (coverage.transform === undefined ? 0 : 2);
  return views.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * Returns the store of a synced watch that covers every read of the kind: a fast path for most
 * reads of one object. `undefined` means that `servingStores` must decide.
 */
export function wholeStore(
  scope: ReadScope,
  resource: ApiResource,
  name: ObjectName,
): ServingStore | undefined {
  let found: ServingStore | undefined;
  for (const { coverage, hasSynced, store } of scope.viewsOf(resource, name)) {
    if (coverage.isWhole && hasSynced) found ??= store;
    // In a union, another watch may have a newer version.
    else if (scope.rule === 'union') return undefined;
  }
  return found;
}

function notSynced(resource: ApiResource, [view]: readonly View[]): Error {
  const { state, reason } = view?.informer.health.current ?? {};
  return informerError('NOT_SYNCED', { resource: resourceId(resource), state, reason });
}

function notWatched(scope: ReadScope, resource: ApiResource, read: Read): Error {
  const { namespace, selectors, projection, transform, declaredIndex: index } = read;
  const asked = {
    ...(namespace === undefined ? {} : { namespace }),
    ...selectors,
    ...(projection === 'full' ? {} : { projection }),
    ...(transform === undefined ? {} : { transform }),
  };
  return informerError('NOT_WATCHED', {
    resource: resourceId(resource),
    ...asked,
    ...cureOf(scope, resource, read, { ...asked, index }),
    watched: Array.from(scope.viewsOf(resource, everywhere), viewText),
  });
}

/** The readers that join several watches, for error facts. */
const joinedReaders =
  '{ cache } of reconcile, map and predicates, controller.cache, or a scope() of the cache; or name one namespace';

/**
 * Returns how a read is served, for error facts. If all watches of the kind are in single namespaces, the process may lack the
 * permission to watch all namespaces, so no cure names such a watch.
 */
function cureOf(
  scope: ReadScope,
  resource: ApiResource,
  read: Read,
  members: WatchMembers,
): Readonly<Record<string, string>> {
  const views = [...scope.viewsOf(resource, everywhere)];
  const [first] = views;
  const isByNamespace =
    scope.rule === 'covering' &&
    read.namespace === undefined &&
    views.every(({ query }) => query.namespace !== undefined);
  if (first === undefined || !isByNamespace) return { declare: scope.declare(resource, members) };
  if (views.some((view) => isServedInNamespace(view, read))) return { readWith: joinedReaders };
  const { namespace } = first.query;
  return {
    declare: scope.declare(resource, { namespace, ...members }),
    readWith: 'the namespace of that watch',
  };
}

/** True if a view in one namespace serves the read of this namespace. */
function isServedInNamespace({ coverage, query: { namespace } }: View, read: Read): boolean {
  if (namespace === undefined) return false;
  const field = { path: 'metadata.namespace', operator: '=', value: namespace } as const;
  return coverage.covers({ ...read, namespace, fields: [...read.fields, field] });
}
