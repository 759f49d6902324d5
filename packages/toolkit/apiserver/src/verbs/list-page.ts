import type { ListMeta } from '@keelson/apimachinery';
import type { ServedResource } from '../resources/served-resource.ts';
import { badRequest, expired, failure } from '../status-errors/status-errors.ts';
import {
  type ContinueToken,
  decodeContinueToken,
  encodeContinueToken,
} from '../storage/continue-token.ts';
import type { Snapshot } from '../storage/resource-store.ts';
import { lowerBound } from '../storage/sorted-keys.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { ListQuery } from './list-query.ts';
import type { ObjectFilter } from '../resources/object-filter.ts';

/** The objects and the metadata of one list response. */
export interface ListPage {
  readonly metadata: ListMeta;
  readonly objects: readonly StoredObject[];
}

/** Reads a page at one revision. The requested resourceVersion must not be in the future. */
export function listPage(
  resource: ServedResource,
  filter: ObjectFilter,
  query: ListQuery,
): ListPage {
  const token = tokenOf(query);
  const snapshot = snapshotFor(resource, query, token);
  // kube-apiserver serves version 0 from its cache, which ignores the limit.
  const isWhole = query.resourceVersion === '0' || filter.isSingle;
  const limit = isWhole && token === undefined ? 0 : query.limit;
  return page(snapshot, filter, { limit, after: token?.after ?? '' });
}

function tokenOf(query: ListQuery): ContinueToken | undefined {
  if (query.continue === '') return undefined;
  const token = continueToken(query.continue);
  if (query.resourceVersion !== '' && query.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return token;
}

function continueToken(text: string): ContinueToken {
  try {
    return decodeContinueToken(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`invalid continue token: ${error.message}`);
  }
}

function snapshotFor(
  resource: ServedResource,
  query: ListQuery,
  token: ContinueToken | undefined,
): Snapshot {
  const { store } = resource;
  if (token !== undefined) {
    if (token.revision < 0) return store.snapshot();
    if (token.revision < store.log.compacted) throw expiredToken(token);
    return store.snapshot(token.revision);
  }
  const wanted = Number(query.resourceVersion);
  const exact = query.match === 'Exact' || (query.match === '' && query.limit > 0);
  if (!exact || wanted === 0) return store.snapshot();
  if (wanted < store.log.compacted) {
    throw expired('The resourceVersion for the provided list is too old.');
  }
  return store.snapshot(wanted);
}

/** The error contains a token by which the client can continue at the newest version. */
function expiredToken({ after }: ContinueToken): Error {
  const error = failure(
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  error.status.metadata = { continue: encodeContinueToken({ revision: -1, after }) };
  return error;
}

interface PageBounds {
  readonly limit: number;
  readonly after: string;
}

function page(snapshot: Snapshot, filter: ObjectFilter, bounds: PageBounds): ListPage {
  const { keys, revision } = snapshot;
  const [from, to] = rangeOf(keys, filter.namespace, bounds.after);
  const objects: StoredObject[] = [];
  const shardInfo = filter.shards === undefined ? {} : { shardInfo: { selector: filter.shards } };
  for (let at = from; at < to; at++) {
    // kube-apiserver does not look whether one of the remaining objects matches.
    if (bounds.limit > 0 && objects.length === bounds.limit) {
      const remaining = filter.countsAll ? to - from - bounds.limit : undefined;
      return { objects, metadata: { ...continued(revision, objects, remaining), ...shardInfo } };
    }
    const object = snapshot.get(keys[at] ?? '');
    if (object === undefined || !(filter.selectsAll || filter.matches(object))) continue;
    objects.push(object);
  }
  return { objects, metadata: { resourceVersion: String(revision), ...shardInfo } };
}

function continued(
  revision: number,
  objects: readonly StoredObject[],
  remaining: number | undefined,
): ListMeta {
  const after = objects.at(-1)?.key ?? '';
  return {
    resourceVersion: String(revision),
    continue: encodeContinueToken({ revision, after }),
    ...(remaining !== undefined && { remainingItemCount: remaining }),
  };
}

/** Returns the positions of a namespace's keys after `after`. These keys start with `namespace/`. */
function rangeOf(keys: readonly string[], namespace: string, after: string): [number, number] {
  const from = namespace === '' ? 0 : lowerBound(keys, `${namespace}/`);
  // '0' is the character after '/'.
  const to = namespace === '' ? keys.length : lowerBound(keys, `${namespace}0`);
  const start = after === '' ? 0 : lowerBound(keys, `${after}\u0000`);
  return [Math.max(from, start), to];
}
