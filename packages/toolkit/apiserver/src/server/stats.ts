import type { ApiResource } from '@keelson/apimachinery';
import { EventEmitter } from 'eventemitter3';
import { type FaultScope, isInScope } from '../faults/fault-scope.ts';
import { isTrue, type ResourceRequestInfo } from '../http/request-info.ts';
import type { ApiRequest } from '../http/api-request.ts';
import type { BackgroundFailure } from '../lifecycle/background-work.ts';
import type { Storage } from '../storage/storage.ts';
import type { WatchHub } from '../watch/watch-hub.ts';

type Resource = Pick<ApiResource, 'group' | 'plural'>;

interface Counted {
  readonly info: ResourceRequestInfo;
  readonly initialEvents: boolean;
  count: number;
}

/** Counts requests on arrival, regardless of the result. */
export class Stats {
  readonly #hub: WatchHub;
  readonly #counts = new Map<string, Counted>();
  /** Keyed by resource name, so that the counts do not retain the store of a removed definition. */
  readonly #writes = new Map<string, number>();
  readonly #events = new EventEmitter<'count'>();
  readonly #failures: () => readonly BackgroundFailure[];
  #total = 0;

  constructor(storage: Storage, hub: WatchHub, failures: () => readonly BackgroundFailure[]) {
    this.#hub = hub;
    this.#failures = failures;
    storage.onChange((store) => {
      const { name } = store;
      this.#writes.set(name, (this.#writes.get(name) ?? 0) + 1);
    });
  }

  /** Requests for resources within a scope; without a scope, all requests. */
  requests(scope?: FaultScope): number {
    if (scope === undefined) return this.#total;
    return this.#sum((counted) => isInScope(scope, counted.info));
  }

  lists(resource?: Resource): number {
    return this.requests({ verb: 'list', ...(resource && { resource }) });
  }

  /** Watch requests since the start; `openWatches` counts the open ones. */
  watches(resource?: Resource): number {
    return this.requests({ verb: 'watch', ...(resource && { resource }) });
  }

  /** Watch requests with initial events (WatchList). */
  watchLists(resource?: Resource): number {
    const scope = { verb: 'watch', ...(resource && { resource }) };
    return this.#sum((counted) => counted.initialEvents && isInScope(scope, counted.info));
  }

  openWatches(resource?: Resource): number {
    const scope = resource === undefined ? {} : { resource };
    return this.#hub.all().filter(({ info }) => isInScope(scope, info)).length;
  }

  /** Writes that created a new resourceVersion. */
  changes(resource: Resource): number {
    return this.#writes.get(nameOf(resource)) ?? 0;
  }

  /**
   * Background work that failed and waits for a retry. It is work of the garbage collector, of namespaces and of
   * definitions. A cause is an object that refuses every update, or one that is too large to be marked as deleted.
   */
  backgroundFailures(): readonly BackgroundFailure[] {
    return this.#failures();
  }

  /** Resets all counts to 0. Open watches stay open. */
  reset(): void {
    this.#counts.clear();
    this.#writes.clear();
    this.#total = 0;
  }

  /** Counts a request. @internal */
  count({ info, query }: Pick<ApiRequest, 'info' | 'query'>): void {
    this.#total++;
    if (info.type === 'resource') {
      const initialEvents = isTrue(query.get('sendInitialEvents'));
      const { verb, group, version, resource, subresource, namespace } = info;
      const key = `${verb} ${group}/${version}/${resource}/${subresource} ${namespace} ${initialEvents}`;
      const known = this.#counts.get(key);
      if (known === undefined) this.#counts.set(key, { info, initialEvents, count: 1 });
      else known.count++;
    }
    this.#events.emit('count');
  }

  /** Calls the listener after each counted request. @internal */
  onCount(listener: () => void): () => void {
    this.#events.on('count', listener);
    return () => this.#events.off('count', listener);
  }

  #sum(matches: (counted: Counted) => boolean): number {
    return [...this.#counts.values()]
      .filter(matches)
      .reduce((sum, counted) => sum + counted.count, 0);
  }
}

function nameOf({ group, plural }: Resource): string {
  return `${plural}.${group}`;
}
