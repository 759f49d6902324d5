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

/** What has been asked of the server, counted when a request arrives, whatever becomes of it. */
export class Stats {
  readonly #hub: WatchHub;
  readonly #counts = new Map<string, Counted>();
  /** By name: the store of a definition that has gone must not be kept for its count. */
  readonly #writes = new Map<string, number>();
  readonly #events = new EventEmitter<'count'>();
  readonly #failures: () => readonly BackgroundFailure[];
  #total = 0;

  constructor(storage: Storage, hub: WatchHub, failures: () => readonly BackgroundFailure[]) {
    this.#hub = hub;
    this.#failures = failures;
    storage.onChange((store) => {
      const name = nameOf(store);
      this.#writes.set(name, (this.#writes.get(name) ?? 0) + 1);
    });
  }

  /** The requests to resources within a scope; without one, every request of any kind. */
  requests(scope?: FaultScope): number {
    if (scope === undefined) return this.#total;
    return this.#sum((counted) => isInScope(scope, counted.info));
  }

  lists(resource?: Resource): number {
    return this.requests({ verb: 'list', ...(resource && { resource }) });
  }

  /** Watches that were asked for; those that are open now are `openWatches`. */
  watches(resource?: Resource): number {
    return this.requests({ verb: 'watch', ...(resource && { resource }) });
  }

  /** Watches that asked for the present objects first (WatchList). */
  watchLists(resource?: Resource): number {
    const scope = { verb: 'watch', ...(resource && { resource }) };
    return this.#sum((counted) => counted.initialEvents && isInScope(scope, counted.info));
  }

  openWatches(resource?: Resource): number {
    const scope = resource === undefined ? {} : { resource };
    return this.#hub.all().filter(({ info }) => isInScope(scope, info)).length;
  }

  /** Writes that made a new resourceVersion. */
  changes(resource: Resource): number {
    return this.#writes.get(nameOf(resource)) ?? 0;
  }

  /**
   * What the garbage collector, the deletion of namespaces and the definitions could not do and will try again: an
   * object that refuses every update, one that is too large to be marked as deleted.
   */
  backgroundFailures(): readonly BackgroundFailure[] {
    return this.#failures();
  }

  /** Sets every count back to 0; open watches stay open. */
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
      const key = [verb, group, version, resource, subresource, namespace, initialEvents].join(' ');
      const known = this.#counts.get(key);
      if (known === undefined) this.#counts.set(key, { info, initialEvents, count: 1 });
      else known.count++;
    }
    this.#events.emit('count');
  }

  /** Calls the listener after every request has been counted. @internal */
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
