import { normalLabelSelector, type ApiResource, type ObjectName } from '@keelson/apimachinery';
import {
  jsonFormat,
  type BatchConsumer,
  type Format,
  type FrameBatch,
  type WatchBatches,
} from '@keelson/wire';
import type { Caller } from '../calls/caller.ts';
import { listFrames, passWatchFrames, watchFrames, type WatchSource } from './frame-stream.ts';
import { AbortableIterator } from './abortable-iterator.ts';
import { checkValues } from '../../values/option-check.ts';
import type { ReadAttempt } from '../../http/protobuf/protobuf-reads.ts';
import { isServed } from '../discovery/is-served.ts';
import { MissingRule, type AccessRule } from './missing-rule.ts';
import { listQuery, watchQuery, type Selection } from '../calls/request-options.ts';
import { collectionPath } from '../calls/resource-path.ts';
import { requestFor } from '../calls/request-for.ts';

/** The resource that a lister-watcher reads, and the objects it selects. */
export interface ListerWatcherQuery extends Selection {
  readonly resource: ApiResource;
  /**
   * The part of each object that the server sends. `metadata` requests them as `PartialObjectMetadata`. Default `full`.
   */
  readonly projection?: 'full' | 'metadata' | undefined;
}

/** One list request of a lister-watcher. */
export interface FramesListRequest {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
  readonly limit?: number;
  readonly continue?: string;
  /** Selects only the object of this name. */
  readonly name?: ObjectName;
  /** Selects objects by the hash of their uid or namespace (KEP-5866). Servers without the feature ignore it. */
  readonly shardSelector?: string;
  /** Selects objects by labels, beside the selector of the query. Default: no further requirement. */
  readonly labelSelector?: string;
  readonly signal: AbortSignal;
}

/** One watch request of a lister-watcher. */
export interface FramesWatchRequest {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
  /** Selects objects by the hash of their uid or namespace (KEP-5866). Servers without the feature ignore it. */
  readonly shardSelector?: string;
  /** Selects objects by labels, beside the selector of the query. Default: no further requirement. */
  readonly labelSelector?: string;
  readonly signal: AbortSignal;
}

/**
 * Lists and watches one resource as frames: unparsed byte ranges of the responses. Implements the `ListerWatcher` of
 * `@keelson/informer`. It sends a request again only after a 401, with new credentials; the reflector decides about all
 * other retries.
 */
export interface ClientListerWatcher {
  /** Reads one page. The last batch contains the metadata of the list. */
  list(request: FramesListRequest): AsyncIterable<FrameBatch>;
  /**
   * Yields or passes an empty batch when the watch is open, then one batch per chunk. Ends when the server ends the
   * watch.
   */
  watch(request: FramesWatchRequest): WatchBatches;
  /** Returns whether discovery names the resource. Rejects if the response is not a discovery document. */
  isServed(signal: AbortSignal): Promise<boolean>;
  /**
   * Returns the rule that the user of the client lacks, after the server denied `verb`. Sends a SelfSubjectRulesReview
   * at most once for each verb in five minutes. Rejects if the review fails.
   */
  missingRule(verb: 'list' | 'watch', signal: AbortSignal): Promise<AccessRule>;
  /**
   * Resolves when the server responds again after an attempt failed with `error`; returns `undefined` if the server was
   * not away. All watches and requests of the client share one probe: a GET of `/readyz` once a second while something
   * waits. The promise stays pending after `signal` aborts.
   */
  recovered(error: Error, signal: AbortSignal): Promise<void> | undefined;
  /** Returns `development` of the cluster; `undefined` before the cluster is loaded. */
  isDevelopment(): boolean | undefined;
}

/** The parameters of the media types that request objects or only their metadata, for lists and watches. */
const parameters = {
  full: { list: '', watch: '' },
  metadata: {
    list: ';as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    watch: ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  },
} as const;

const queryMembers = ['resource', 'namespace', 'labelSelector', 'fieldSelector', 'projection'];

/** Throws immediately if the resource, the namespace or a selector is invalid. */
export function createListerWatcher(
  caller: Caller,
  query: ListerWatcherQuery,
): ClientListerWatcher {
  const { transport, compression } = caller;
  const { protobufReads: reads } = caller.settings;
  checkValues(query, queryMembers, 'listerWatcher');
  const { resource, labelSelector, fieldSelector } = query;
  const selection: Selection = { labelSelector, fieldSelector };
  const path = collectionPath(resource, query.namespace);
  const missingRule = new MissingRule(caller, resource, query.namespace);
  const read = { resource, projection: query.projection ?? 'full' } as const;
  const begin = async (verb: 'list' | 'watch', signal: AbortSignal): Promise<ReadAttempt> =>
    (await reads?.begin(read, verb, signal)) ?? { format: undefined, attempt: undefined };
  const accept = (verb: 'list' | 'watch', format: Format | undefined): string =>
    [...(format === undefined ? [] : [format.mediaType]), jsonFormat.mediaType]
      .map((mediaType) => mediaType + parameters[read.projection][verb])
      .join(',');
  // This throws for an invalid selector at once instead of at the first request.
  listQuery(selection);
  return {
    list: (request) =>
      new AbortableIterator(request.signal, async function* list(signal) {
        const { format, attempt } = await begin('list', signal);
        const sent = requestFor('list', {
          pool: 'streams',
          noRetry: true,
          signal,
          compression,
          path: pathOf(query, request.name),
          query: listQuery({ ...request, ...narrowed(selection, request) }),
          accept: accept('list', format),
        });
        const batches = listFrames(transport, resource, sent, format);
        const accepted =
          format === undefined || reads === undefined ? batches : reads.accepted(read, batches);
        try {
          yield* accepted;
          attempt?.worked();
        } catch (error) {
          attempt?.failed(error, signal.aborted);
          throw error;
        }
      }),
    watch(request) {
      const sourceFor = async (signal: AbortSignal): Promise<WatchSource> => {
        const { format, attempt } = await begin('watch', signal);
        const sent = requestFor('watch', {
          pool: 'watches',
          noRetry: true,
          acknowledges: true,
          signal,
          path,
          query: watchQuery({ ...request, ...narrowed(selection, request) }),
          accept: accept('watch', format),
        });
        const protobuf = format && reads?.watch(read, format);
        return { transport, resource, request: sent, protobuf, attempt };
      };
      return new ClientWatch(request.signal, sourceFor);
    },
    missingRule: (verb, signal) => missingRule.find(verb, signal),
    isServed: async (signal) => isServed(caller, resource, signal),
    recovered: (error, signal) => transport.recovered(error, signal),
    isDevelopment: () => transport.isDevelopment,
  };
}

/** A watch request, which is sent when its batches are first read. */
class ClientWatch implements WatchBatches {
  readonly #signal: AbortSignal;
  readonly #sourceFor: (signal: AbortSignal) => Promise<WatchSource>;

  constructor(signal: AbortSignal, sourceFor: (signal: AbortSignal) => Promise<WatchSource>) {
    this.#signal = signal;
    this.#sourceFor = sourceFor;
  }

  async passTo(consume: BatchConsumer): Promise<void> {
    await passWatchFrames(await this.#sourceFor(this.#signal), consume);
  }

  [Symbol.asyncIterator](): AsyncIterator<FrameBatch, void, undefined> {
    return new AbortableIterator(this.#signal, async (signal) =>
      watchFrames(await this.#sourceFor(signal)),
    );
  }
}

function pathOf({ resource, namespace }: ListerWatcherQuery, name?: ObjectName): string {
  return collectionPath(resource, name?.namespace ?? namespace);
}

/** The selection of a query with the further requirements of one request. */
function narrowed(
  { labelSelector, fieldSelector }: Selection,
  request: Pick<FramesListRequest, 'name' | 'labelSelector'>,
): Selection {
  const labels = labelSelector === undefined ? undefined : normalLabelSelector(labelSelector);
  const byName = request.name && `metadata.name=${request.name.name}`;
  return {
    labelSelector: joined(labels, request.labelSelector),
    fieldSelector: joined(fieldSelector, byName),
  };
}

/** The selector that selects what both selectors do. */
function joined(one: string | undefined, other: string | undefined): string | undefined {
  return one && other ? `${one},${other}` : one || other;
}
