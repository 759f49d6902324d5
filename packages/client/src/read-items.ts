import {
  isGone,
  StatusError,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { Caller } from './caller.ts';
import { decoded, listFrames } from './frame-stream.ts';
import { listQuery, type ItemsOptions } from './request-options.ts';
import { collectionPath } from './resource-path.ts';
import type { TransportRequest } from './transport.ts';
import { fillType } from './typed-object.ts';

/** The page size of kubectl and client-go's pager. */
const PAGE = 500;

/**
 * The objects of a list, one after the other, read page by page as they are consumed: no page is ever
 * held as one text. When a continue token has expired, the server's fresh one is used, so that the rest
 * is as of then (the API's "inconsistent continuation").
 */
export async function* readItems<T extends KubernetesObject>(
  caller: Caller,
  resource: ApiResource<T>,
  options: ItemsOptions,
): AsyncGenerator<T, void, undefined> {
  let token = options.continue;
  do {
    token = yield* readPage(caller, resource, {
      ...options,
      limit: options.limit ?? PAGE,
      continue: token,
    });
  } while (token !== undefined);
}

/** Yields a page's objects; returns the token of the next page. */
async function* readPage<T extends KubernetesObject>(
  caller: Caller,
  resource: ApiResource<T>,
  options: ItemsOptions,
): AsyncGenerator<T, string | undefined, undefined> {
  const request: TransportRequest = {
    verb: 'list',
    method: 'GET',
    repeatable: 'safe',
    path: collectionPath(resource, options.namespace),
    query: listQuery(options),
    headers: caller.compression ? { 'accept-encoding': 'gzip' } : {},
    signal: options.signal,
  };
  let token: string | undefined;
  try {
    for await (const batch of listFrames(caller.transport, request)) {
      for (const frame of batch.frames) yield fillType(resource, decoded(frame) as T);
      token = batch.listMetadata?.continue;
    }
  } catch (error) {
    const fresh = freshToken(error);
    if (options.continue === undefined || fresh === undefined) throw error;
    return fresh;
  }
  // Lists of custom resources end with an empty token.
  return token === '' ? undefined : token;
}

function freshToken(error: unknown): string | undefined {
  if (!(error instanceof StatusError) || !isGone(error)) return undefined;
  return error.status.metadata?.continue || undefined;
}
