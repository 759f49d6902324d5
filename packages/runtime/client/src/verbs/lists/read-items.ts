import {
  isGone,
  StatusError,
  type ApiResource,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import { CycleDetector, type FrameBatch } from '@keelson/wire';
import type { Caller } from '../calls/caller.ts';
import { ClientError } from '../../errors.ts';
import { itemOf, splitList } from './frame-stream.ts';
import type { HttpResponse } from '../../http/http-response.ts';
import { AbortableIterator } from './abortable-iterator.ts';
import { requestFor } from '../calls/request-for.ts';
import { listQuery, type ItemsOptions } from '../calls/request-options.ts';
import { collectionPath } from '../calls/resource-path.ts';
import type { TransportRequest } from '../../http/transport-request.ts';
import { fillType } from '../calls/typed-object.ts';

/** The page size of kubectl and of client-go's pager. */
const DEFAULT_PAGE_SIZE = 500;
/**
 * The most fresh continue tokens that a server may refuse in a row. Without a limit, a list from such a server would
 * never end.
 */
const MAX_EXPIRED_TOKENS = 4;
/** The number of pages that may begin and end with the objects of an earlier page, until the list counts as endless. */
const MAX_REPEATED_PAGES = 4;

/**
 * Yields the objects of a list. Pages are requested as they are consumed, and a page is never held in memory
 * as a whole. If a continue token expires, the list continues with the fresh token of the server. The
 * remaining objects then show a later state (the API's "inconsistent continuation").
 */
export function readItems<T extends KubernetesObject>(
  caller: Caller,
  resource: ApiResource<T>,
  options: ItemsOptions,
): AsyncIterableIterator<Persisted<T>> {
  const request = requestFor('list', {
    pool: 'streams',
    path: collectionPath(resource, options.namespace),
    query: listQuery(options),
    compression: caller.compression,
  });
  return new AbortableIterator(caller.signalOf(options.signal), (signal) =>
    readPages(caller, resource, { options, request: { ...request, signal } }),
  );
}

interface Reading {
  readonly options: ItemsOptions;
  readonly request: TransportRequest;
}

/**
 * Yields the objects of each page. It pauses after a page that is empty or repeats an earlier one, because a server that
 * returns only such pages would otherwise receive thousands of requests per second.
 */
async function* readPages<T extends KubernetesObject>(
  caller: Caller,
  resource: ApiResource<T>,
  { options, request }: Reading,
): AsyncGenerator<Persisted<T>, void, undefined> {
  const { transport } = caller;
  const limit = options.limit ?? DEFAULT_PAGE_SIZE;
  const tokens = new CycleDetector(options.continue);
  const pages = new CycleDetector(undefined);
  let token = options.continue;
  /** Number of pages in a row that were empty, or repeated an earlier page. */
  let withoutProgress = 0;
  let repeatedPages = 0;
  let expiredTokens = 0;
  do {
    const query = listQuery({ ...options, limit, continue: token });
    const page = yield* readPage(caller, resource, { ...request, query });
    if (
      page.expired !== undefined &&
      (token === undefined || ++expiredTokens > MAX_EXPIRED_TOKENS)
    ) {
      throw page.expired;
    }
    if (page.expired === undefined) expiredTokens = 0;
    token = page.next;
    const isRepeated = page.ends !== undefined && pages.repeats(page.ends);
    if (isRepeated) repeatedPages += 1;
    withoutProgress = page.ends === undefined || isRepeated ? withoutProgress + 1 : 0;
    if (token === undefined) return;
    if (page.expired === undefined && tokens.repeats(token))
      throw repeated(request, 'a continue token');
    if (repeatedPages > MAX_REPEATED_PAGES) throw repeated(request, 'its pages');
    if (withoutProgress > 0) await transport.backOff(withoutProgress, request.signal);
  } while (true);
}

/** A page whose objects have been yielded. */
interface Page {
  /** The versions of the first and the last object; `undefined` for a page without objects. */
  readonly ends: string | undefined;
  /** The continue token of the next page. */
  readonly next: string | undefined;
  /** The 410 error for an expired continue token; it contained a fresh token. */
  readonly expired?: unknown;
}

async function* readPage<T extends KubernetesObject>(
  caller: Caller,
  resource: ApiResource<T>,
  request: TransportRequest,
): AsyncGenerator<Persisted<T>, Page, undefined> {
  let first: string | undefined;
  let ends: string | undefined;
  let next: string | undefined;
  const open = (response: HttpResponse): Promise<AsyncIterable<FrameBatch>> =>
    openPage(splitList(resource, response, { clock: caller.transport.clock }));
  try {
    for await (const batch of await caller.transport.send(request, open)) {
      const last = batch.frames.length - 1;
      for (const [at, frame] of batch.frames.entries()) {
        const item = fillType(resource, itemOf<T>(resource, frame, request));
        if (first === undefined) first = ends = versionOf(item);
        else if (at === last) ends = `${first} ${versionOf(item)}`;
        caller.returned(item);
        yield item;
      }
      next = batch.listMetadata?.continue;
    }
  } catch (error) {
    next = freshToken(error);
    if (next === undefined) throw error;
    return { ends, next, expired: error };
  }
  // The last page of a list of custom resources has an empty token.
  return { ends, next: next === '' ? undefined : next };
}

/** Reads a page up to its first object, so that the request can be retried if the response is cut off before it. */
async function openPage(batches: ReturnType<typeof splitList>): Promise<AsyncIterable<FrameBatch>> {
  let first: FrameBatch | undefined;
  do {
    const { done, value } = await batches.next();
    if (done === true) return batches;
    first = value;
  } while (first.frames.length === 0 && first.listMetadata === undefined);
  return startingWith(first, batches);
}

async function* startingWith(
  first: FrameBatch,
  rest: AsyncGenerator<FrameBatch, void, undefined>,
): AsyncGenerator<FrameBatch, void, undefined> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

function freshToken(error: unknown): string | undefined {
  if (!(error instanceof StatusError) || !isGone(error)) return undefined;
  const token: unknown = error.status.metadata?.continue;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** Read before the object is yielded, because user code may change it. */
function versionOf({ metadata = {} }: KubernetesObject): string {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  return [namespace, name, uid, resourceVersion].join(' ');
}

function repeated({ method, path }: TransportRequest, what: string): ClientError {
  const reason = `the server repeats ${what}`;
  return new ClientError('UNEXPECTED_RESPONSE', { method, path, reason });
}
