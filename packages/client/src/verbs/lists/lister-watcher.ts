import type { ApiResource, FrameBatch, ObjectName } from '@keelson/apimachinery';
import type { Caller } from '../calls/caller.ts';
import { listFrames, watchFrames } from './frame-stream.ts';
import { Interruptible } from './interruptible.ts';
import { checkValues } from '../../values/option-check.ts';
import { isServed } from '../discovery/is-served.ts';
import { listQuery, watchQuery, type Selection } from '../calls/request-options.ts';
import { collectionPath } from '../calls/resource-path.ts';
import type { TransportRequest } from '../../http/transport-request.ts';

/** What a lister-watcher is for. */
export interface ListerWatcherQuery extends Selection {
  readonly resource: ApiResource;
  /** `metadata`: the objects travel as `PartialObjectMetadata`. Default `full`. */
  readonly projection?: 'full' | 'metadata' | undefined;
}

/** What one list request asks for. */
export interface FramesListRequest {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
  readonly limit?: number;
  readonly continue?: string;
  /** Only the object of this name. */
  readonly name?: ObjectName;
  readonly signal: AbortSignal;
}

/** What one watch request asks for. */
export interface FramesWatchRequest {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
  readonly signal: AbortSignal;
}

/**
 * Lists and watches one resource as frames: ranges of the bytes as they came, unparsed.
 * Satisfies the `ListerWatcher` of `@keelson/informer`. Nothing is retried here except once after a 401
 * with fresh credentials: the reflector has the one loop that knows what to do next.
 */
export interface ClientListerWatcher {
  /** One page; the last batch carries the list's metadata. */
  list(request: FramesListRequest): AsyncIterable<FrameBatch>;
  /** An empty batch when the watch has opened, then one per chunk; ends when the server ends it in an orderly way. */
  watch(request: FramesWatchRequest): AsyncIterable<FrameBatch>;
  /** Whether discovery names the resource. Rejects if the server's response is no discovery document. */
  isServed(signal: AbortSignal): Promise<boolean>;
}

const accepts = {
  full: { list: 'application/json', watch: 'application/json' },
  metadata: {
    list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    watch: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  },
} as const;

const queryMembers = ['resource', 'namespace', 'labelSelector', 'fieldSelector', 'projection'];

/** Throws at once when the query cannot be asked. */
export function createListerWatcher(
  caller: Caller,
  query: ListerWatcherQuery,
): ClientListerWatcher {
  const { transport, compression } = caller;
  checkValues(query, queryMembers, 'listerWatcher');
  const { labelSelector, fieldSelector } = query;
  const selection: Selection = { labelSelector, fieldSelector };
  const path = collectionPath(query.resource, query.namespace);
  const accept = accepts[query.projection ?? 'full'];
  const zip = compression ? { 'accept-encoding': 'gzip' } : {};
  // Selectors that do not parse are refused here, not at the first request.
  listQuery(selection);
  return {
    list: (request) =>
      new Interruptible(request.signal, (signal) =>
        listFrames(transport, {
          ...frameRequest('list', pathOf(query, request.name), signal),
          query: listQuery({ ...named(selection, request.name), ...request }),
          headers: { accept: accept.list, ...zip },
        }),
      ),
    watch: (request) =>
      new Interruptible(request.signal, (signal) =>
        watchFrames(transport, {
          ...frameRequest('watch', path, signal),
          query: watchQuery({ ...selection, ...request }),
          headers: { accept: accept.watch },
        }),
      ),
    isServed: async (signal) => isServed(caller, query.resource, signal),
  };
}

function pathOf({ resource, namespace }: ListerWatcherQuery, name?: ObjectName): string {
  return collectionPath(resource, name?.namespace ?? namespace);
}

function named(selection: Selection, name: ObjectName | undefined): Selection {
  if (name === undefined) return selection;
  const { fieldSelector } = selection;
  const byName = `metadata.name=${name.name}`;
  return { ...selection, fieldSelector: fieldSelector ? `${fieldSelector},${byName}` : byName };
}

function frameRequest(verb: 'list' | 'watch', path: string, signal: AbortSignal): TransportRequest {
  return { verb, method: 'GET', path, signal, once: true, streamed: true };
}
