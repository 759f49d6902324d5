import { type Clock, type StatusError, StatusError as Failure } from '@keelson/apimachinery';
import { writeHead } from '../http/response.ts';
import { streamOf } from '../http/work-of.ts';
import type { ApiRequest, ResourceRequest } from '../http/api-request.ts';
import { sendObject, kindOf, mediaTypeOf } from '../presentation/object-response.ts';
import type { ResourceRequestInfo } from '../http/request-info.ts';
import type { FeatureGates } from '../resources/feature-gates.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { expired, failure, notAcceptableWatch, notFound } from '../status-errors/status-errors.ts';
import type { Storage } from '../storage/storage.ts';
import { BookmarkTicks } from '../watch/bookmark-ticks.ts';
import type { EventFrames } from '../watch/event-frames.ts';
import { tableLines } from '../watch/table-lines.ts';
import type { WatchHub } from '../watch/watch-hub.ts';
import { WatchStream, type WatchFaults } from '../watch/watch-stream.ts';
import { listPage } from './list-page.ts';
import { type ListQuery, listQuery, versionOf } from './list-query.ts';
import { type ObjectFilter, objectFilter } from '../resources/object-filter.ts';
import { sendPage, listMediaType } from './page-response.ts';
import { ResourceForms } from './resource-forms.ts';
import { waitForRevision } from './wait-for-revision.ts';

export interface ReadContext {
  readonly storage: Storage;
  readonly hub: WatchHub;
  readonly clock: Clock;
  readonly gates: FeatureGates;
  /** How long a read of a future resourceVersion waits, in milliseconds. */
  readonly timeout: number;
  /** Milliseconds between the bookmarks of a watch. */
  readonly bookmarkInterval: number;
  /** Returns the faults that affect a watch. */
  faults(info: ResourceRequestInfo): WatchFaults;
  /** Returns a function that delays the writes of a list; `undefined` without a fault. */
  pace(request: ApiRequest): (() => Promise<void>) | undefined;
}

/** Handles get, list and watch. */
export class ReadVerbs {
  readonly #context: ReadContext;
  readonly #ticks: BookmarkTicks;
  readonly #forms = new WeakMap<ServedResource, ResourceForms>();

  constructor(context: ReadContext) {
    this.#context = context;
    this.#ticks = new BookmarkTicks(context.clock, context.bookmarkInterval);
  }

  async get(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const { name } = request.info;
    const resourceVersion = versionOf(request.query, 'get');
    await this.#waitForRevision(request, resourceVersion);
    const stored = resource.store.get(resource.key(request.info));
    if (stored === undefined) throw notFound(resource.subject(name));
    await sendObject(request, resource, stored);
  }

  async list(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const query = listQuery(request.query, 'list');
    const filter = this.#filterOf(request, resource);
    versionOf(request.query, 'list');
    const mediaType = listMediaType(request, resource);
    await this.#waitForRevision(request, query.resourceVersion);
    const page = listPage(resource, filter, query);
    await resource.prepareAll(page.objects);
    const pace = this.#context.pace(request);
    const forms = this.#formsOf(resource);
    await sendPage(request, resource, page, { mediaType, forms, ...(pace && { pace }) });
  }

  async watch(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const query = listQuery(request.query, 'watch');
    const filter = this.#filterOf(request, resource);
    versionOf(request.query, 'watch');
    const frames = await this.#framesFor(request, resource);
    const refusal = await this.#refusal(request, resource, query);
    if (request.response.destroyed) return;
    if (refusal !== undefined) {
      writeHead(request.response, 200, { contentType: frames.contentType });
      request.response.end(frames.ofError(refusal.status));
      return;
    }
    const { store } = resource;
    const initial = wantsInitial(query);
    const stream = new WatchStream({
      store,
      prepare: resource.converter ? (object) => resource.prepare(object) : undefined,
      filter,
      frames,
      response: request.response,
      // The version 0 means the current one, as a missing version does.
      from: initial ? store.revision : Number(query.resourceVersion) || store.revision,
      initial,
      bookmarks: query.allowWatchBookmarks,
      ticks: this.#ticks,
      timeout: query.timeout ?? defaultTimeout(this.#context.clock),
      faults: this.#context.faults(request.info),
      clock: this.#context.clock,
      activity: streamOf(request, this.#context.clock),
    });
    this.#context.hub.open({ resource, info: request.info, stream });
  }

  #filterOf(request: ResourceRequest, resource: ServedResource): ObjectFilter {
    return objectFilter(resource, request.info, request.query, this.#context.gates);
  }

  /** Returns the error that the watch sends as its only event, in a response with status 200. */
  async #refusal(
    request: ResourceRequest,
    resource: ServedResource,
    query: ListQuery,
  ): Promise<StatusError | undefined> {
    const { resourceVersion, sendInitialEvents, timeout = 0 } = query;
    if (timeout < 0 || timeout > MAX_TIMEOUT_MS) {
      return failure(500, 'InternalError', 'context deadline exceeded');
    }
    const wanted = Number(resourceVersion);
    if (sendInitialEvents === true) {
      try {
        await this.#waitForRevision(request, resourceVersion);
      } catch (error) {
        if (error instanceof Failure) return error;
        throw error;
      }
      return undefined;
    }
    const { compacted } = resource.store.log;
    if (wanted === 0 || wanted >= compacted) return undefined;
    return expired(`too old resource version: ${wanted} (${compacted})`);
  }

  #waitForRevision({ response }: ResourceRequest, resourceVersion: string): Promise<void> {
    const { storage, timeout, clock } = this.#context;
    return waitForRevision(storage, resourceVersion, { timeout, response, clock });
  }

  async #framesFor(request: ResourceRequest, resource: ServedResource): Promise<EventFrames> {
    const { as, format } = mediaTypeOf(request, kindOf(resource));
    if (format === 'yaml') throw notAcceptableWatch();
    if (as?.kind === 'Table') return tableLines(request, resource, as.apiVersion);
    const forms = this.#formsOf(resource);
    return format === 'protobuf'
      ? forms.protobufFrames(as?.apiVersion)
      : forms.lines(as?.apiVersion);
  }

  #formsOf(resource: ServedResource): ResourceForms {
    let forms = this.#forms.get(resource);
    if (forms === undefined) {
      forms = new ResourceForms(resource);
      this.#forms.set(resource, forms);
    }
    return forms;
  }
}

/** Longest timeout in milliseconds. Go counts nanoseconds in 64 bits, and a longer timeout has expired already. */
const MAX_TIMEOUT_MS = 9_223_372_036_000;

/** A watch without resourceVersion, or with 0, starts with the existing objects. */
function wantsInitial({ sendInitialEvents, resourceVersion }: ListQuery): boolean {
  return sendInitialEvents ?? Number(resourceVersion) === 0;
}

/** Random between 30 and 60 minutes, as by kube-apiserver's `--min-request-timeout`. */
function defaultTimeout(clock: Clock): number {
  return 1_800_000 * (1 + clock.random());
}
