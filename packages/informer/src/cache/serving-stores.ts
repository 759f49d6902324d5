import { resourceId, type ApiResource } from '@keelson/apimachinery';
import { informerError } from '../errors.ts';
import type { Read } from '../contract/read.ts';
import type { SharedWatch } from './shared-watch.ts';
import type { Store } from '../store/store.ts';
import { sharedWatchText, watchText } from './watch-text.ts';

/**
 * Decides how watches serve a read together.
 * - `covering`: one watch must have every object that the read can return.
 * - `union`: all watches that select objects in the namespace and name of the read serve it
 *   together.
 */
export type ReadRule = 'covering' | 'union';

/** The watches of a reader, and the rule for its reads. */
export interface ReadScope {
  readonly rule: ReadRule;
  /** Returns the watches of a kind that have a handle, in the order of their handles. */
  watchesOf(resource: ApiResource): Iterable<SharedWatch>;
  /** Returns the code that declares a watch, for error facts. */
  declare(watch: string): string;
}

/**
 * Returns the stores that serve a read; no other code decides this. Throws `NOT_WATCHED` if no
 * watch of the scope serves the read, and `NOT_SYNCED` until one of those that serve it has synced.
 */
export function servingStores(
  scope: ReadScope,
  resource: ApiResource,
  read: Read,
): readonly [Store, ...Store[]] {
  const candidates = [...scope.watchesOf(resource)];
  const able = candidates.filter(({ coverage }) =>
    scope.rule === 'union' ? coverage.reaches(read) : coverage.covers(read),
  );
  if (able.length === 0) throw notWatched(scope, resource, read);
  const synced = able.filter(({ informer }) => informer.hasSynced);
  const [first, ...others] = preferred(synced, read).map(({ informer }) => informer.store);
  if (first === undefined) throw notSynced(resource, able);
  return scope.rule === 'union' ? [first, ...others] : [first];
}

/**
 * Sorts watches with the requested index first, and untransformed watches before transformed ones.
 */
function preferred(watches: SharedWatch[], { index }: Read): SharedWatch[] {
  if (watches.length < 2) return watches;
  const rank = ({ coverage, informer }: SharedWatch): number =>
    Number(index !== undefined && informer.store.indexOf(index) === undefined) +
    (coverage.transform === undefined ? 0 : 2);
  return watches.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * Returns the store of a synced watch that covers every read of the kind: a fast path for most
 * reads. `undefined` means that `servingStores` must decide.
 */
export function wholeStore(scope: ReadScope, resource: ApiResource): Store | undefined {
  let others = 0;
  let found: Store | undefined;
  for (const { coverage, informer } of scope.watchesOf(resource)) {
    if (coverage.isWhole && informer.hasSynced) found ??= informer.store;
    else others++;
  }
  // In a union, another watch may have a newer version.
  return scope.rule === 'union' && others > 0 ? undefined : found;
}

function notSynced(resource: ApiResource, [watch]: readonly SharedWatch[]): Error {
  const { state, reason } = watch?.informer.health.current ?? {};
  return informerError('NOT_SYNCED', { resource: resourceId(resource), state, reason });
}

function notWatched(scope: ReadScope, resource: ApiResource, read: Read): Error {
  const { namespace, selectors, projection, transform } = read;
  const asked = {
    ...(namespace === undefined ? {} : { namespace }),
    ...selectors,
    ...(projection === 'full' ? {} : { projection }),
    ...(transform === undefined ? {} : { transform }),
  };
  return informerError('NOT_WATCHED', {
    resource: resourceId(resource),
    ...asked,
    declare: scope.declare(watchText(resource, asked)),
    watched: Array.from(scope.watchesOf(resource), sharedWatchText),
  });
}
