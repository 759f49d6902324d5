import {
  CycleDetector,
  isGone,
  StatusError,
  type ApiResource,
  type FrameBatch,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { Caller } from '../calls/caller.ts';
import { ClientError } from '../../errors.ts';
import { decoded, splitList } from './frame-stream.ts';
import type { HttpResponse } from '../../http/http-response.ts';
import { Interruptible } from './interruptible.ts';
import { listQuery, type ItemsOptions } from '../calls/request-options.ts';
import { collectionPath } from '../calls/resource-path.ts';
import type { TransportRequest } from '../../http/transport-request.ts';
import type { Transport } from '../../http/transport.ts';
import { fillType } from '../calls/typed-object.ts';

/** The page size of kubectl and client-go's pager. */
const PAGE = 500;
/** A server that refuses its own fresh continue tokens more often than this in a row will not end the list. */
const MOST_EXPIRIES = 4;

/**
 * The objects of a list, one after the other, read page by page as they are consumed: no page is ever
 * held as one text. When a continue token has expired, the server's fresh one is used, so that the rest
 * is as of then (the API's "inconsistent continuation").
 */
export function readItems<T extends KubernetesObject>(
  caller: Caller,
  resource: ApiResource<T>,
  options: ItemsOptions,
): AsyncIterableIterator<T> {
  const request: TransportRequest = {
    verb: 'list',
    method: 'GET',
    streamed: true,
    path: collectionPath(resource, options.namespace),
    query: listQuery(options),
    headers: caller.compression ? { 'accept-encoding': 'gzip' } : {},
  };
  return new Interruptible(options.signal, (signal) =>
    readPages(caller, resource, { options, request: { ...request, signal } }),
  );
}

interface Reading {
  readonly options: ItemsOptions;
  readonly request: TransportRequest;
}

/** Without a pause, a server whose pages bring nothing would be asked thousands of times a second. */
async function* readPages<T extends KubernetesObject>(
  { transport }: Caller,
  resource: ApiResource<T>,
  { options, request }: Reading,
): AsyncGenerator<T, void, undefined> {
  const limit = options.limit ?? PAGE;
  const tokens = new CycleDetector(options.continue);
  let token = options.continue;
  let fruitless = 0;
  let expiries = 0;
  do {
    const query = listQuery({ ...options, limit, continue: token });
    const page = yield* readPage(transport, resource, { ...request, query });
    if (page.expired !== undefined && (token === undefined || ++expiries > MOST_EXPIRIES)) {
      throw page.expired;
    }
    if (page.expired === undefined) expiries = 0;
    token = page.next;
    fruitless = page.count > 0 ? 0 : fruitless + 1;
    if (token === undefined) return;
    if (page.expired === undefined && tokens.repeats(token)) throw repeated(request);
    if (fruitless > 0) await transport.backOff(fruitless, request.signal);
  } while (true);
}

/** A page whose objects have been yielded. */
interface Page {
  readonly count: number;
  /** The continue token of the next page. */
  readonly next: string | undefined;
  /** The refusal of the continue token, which brought a fresh one. */
  readonly expired?: unknown;
}

async function* readPage<T extends KubernetesObject>(
  transport: Transport,
  resource: ApiResource<T>,
  request: TransportRequest,
): AsyncGenerator<T, Page, undefined> {
  let count = 0;
  let next: string | undefined;
  try {
    for await (const batch of await transport.exchange(request, openPage)) {
      count += batch.frames.length;
      for (const frame of batch.frames) yield fillType(resource, decoded(frame) as T);
      next = batch.listMetadata?.continue;
    }
  } catch (error) {
    next = freshToken(error);
    if (next === undefined) throw error;
    return { count, next, expired: error };
  }
  // Lists of custom resources end with an empty token.
  return { count, next: next === '' ? undefined : next };
}

/** Reads to the first object, so that a response that breaks before it is asked for again. */
async function openPage(response: HttpResponse): Promise<AsyncIterable<FrameBatch>> {
  const batches = splitList(response);
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

function repeated({ method, path }: TransportRequest): ClientError {
  const reason = 'the continue token comes again';
  return new ClientError('UNEXPECTED_RESPONSE', { method, path, reason });
}
