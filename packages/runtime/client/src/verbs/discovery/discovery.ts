import {
  abortable,
  type ApiResource,
  apiVersionOf,
  checkOptions,
  defineResource,
  resourceId,
} from '@keelson/apimachinery';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../calls/caller.ts';
import { requestFor } from '../calls/request-for.ts';
import { withDeadline } from '../calls/deadline.ts';
import { ClientError } from '../../errors.ts';
import {
  DISCOVERY_TIMEOUT,
  fetchGroupVersion,
  fetchServed,
  type DiscoveryFailure,
  type Served,
} from './fetch-discovery.ts';
import { text } from '../../values/option-check.ts';
import { checkCall, type RequestOptions } from '../calls/request-options.ts';
import type { ServedResource } from './served-resource.ts';

/**
 * Names a resource to find: a kind or a plural in a group, by default in the preferred version. A token is a query too.
 */
export interface ResourceQuery {
  readonly group: string;
  readonly version?: string | undefined;
  readonly kind?: string | undefined;
  readonly plural?: string | undefined;
  /** The scope of a token. It is not compared: the returned token has the scope that the server names. */
  readonly namespaced?: boolean | undefined;
}

/** The response of `/version`. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly [fact: string]: string;
}

/**
 * Milliseconds for which a response is cached. A removed resource is found for so long; a new one is found earlier,
 * because a miss fetches again.
 */
const CACHE_MS = 5 * 60_000;
/** Milliseconds for which a miss does not fetch again. An incomplete response is cached only for this time. */
const FRESH_MS = 5000;
const all = 'all';

/**
 * The resources that the server serves. Responses are cached for 5 minutes, and concurrent callers share one
 * request. A shared request ends after 32 s (the limit of client-go), not with the signal or `timeout` of one
 * caller.
 */
export class Discovery {
  readonly #caller: Caller;
  readonly #cache: ServedCache;

  /** The clients that derive from another one share its cache. */
  constructor(caller: Caller, cache: ServedCache = servedCache(caller)) {
    this.#caller = caller;
    this.#cache = cache;
  }

  /** Returns the same discovery for a client that derives from this one: its calls end with the signal of that client. */
  static derived({ discovery, caller }: { discovery: Discovery; caller: Caller }): Discovery {
    return new Discovery(caller, discovery.#cache);
  }

  /**
   * Returns every resource in every version, the preferred version of a group first. Lacks the resources of
   * `failures`.
   */
  async resources(options: RequestOptions = {}): Promise<readonly ServedResource[]> {
    checkCall('request', options, 'discovery.resources');
    return (await this.#served(all, options)).resources;
  }

  /**
   * Returns the group versions whose servers did not respond. `resources` lacks their resources or lists
   * outdated ones.
   */
  async failures(options: RequestOptions = {}): Promise<readonly DiscoveryFailure[]> {
    checkCall('request', options, 'discovery.failures');
    return (await this.#served(all, options)).failures;
  }

  /**
   * Returns the token of a resource that is known by name only, or `undefined` if the server does not serve it. The
   * result has the type of the given token. Throws `DISCOVERY_FAILED` if the server of its group did not respond, so
   * that this is unknown.
   */
  find<R extends ApiResource>(resource: R, options?: RequestOptions): Promise<R | undefined>;
  find(query: ResourceQuery, options?: RequestOptions): Promise<ApiResource | undefined>;
  async find(query: ResourceQuery, options: RequestOptions = {}): Promise<ApiResource | undefined> {
    checkQuery(query);
    checkCall('request', options, 'discovery.find');
    return withDeadline(options, this.#limit, async (signal) => {
      const known = await this.#served(all, { signal });
      const token = tokenIn(known, query);
      if (token !== undefined) return token;
      if (!this.#isFresh(known)) this.#forget(all, known);
      const served = await this.#served(all, { signal });
      return tokenIn(served, query) ?? unserved(served, query);
    });
  }

  /** Returns whether the server serves this group, version and plural. A negative result is not cached. */
  async serves(resource: ApiResource, options: RequestOptions = {}): Promise<boolean> {
    checkCall('request', options, 'discovery.serves');
    const key = apiVersionOf(resource);
    const served = await this.#served(key, options);
    if (served.resources.some((each) => resourceId(each) === resourceId(resource))) return true;
    this.#forget(key, served);
    return false;
  }

  /** Clears the cache. The next call fetches again. */
  invalidate(): void {
    this.#cache.clear();
  }

  async version(options: RequestOptions = {}): Promise<ServerVersion> {
    checkCall('request', options, 'discovery.version');
    return this.#caller.call(
      { request: requestFor('get', { path: '/version' }) },
      { timeout: DISCOVERY_TIMEOUT, ...options },
    );
  }

  async #served(key: string, options: RequestOptions): Promise<Served> {
    const signal = this.#caller.signalOf(options.signal);
    signal?.throwIfAborted();
    const known = this.#cache.peek(key);
    if (known !== undefined && known.failures.length > 0 && !this.#isFresh(known))
      this.#forget(key, known);
    const fetched = this.#cache.fetch(key) as Promise<Served>;
    return withDeadline({ ...options, signal }, this.#limit, (ended) =>
      abortable(fetched, [ended]),
    );
  }

  get #limit(): Parameters<typeof withDeadline>[1] {
    return { clock: this.#caller.transport.clock, facts: { step: 'discovery' } };
  }

  #isFresh({ fetchedAt }: Served): boolean {
    return this.#caller.transport.clock.monotonic() - fetchedAt < FRESH_MS;
  }

  /** Deletes a cached response unless it has been fetched again in the meantime. */
  #forget(key: string, served: Served): void {
    if (this.#cache.peek(key) === served) this.#cache.delete(key);
  }
}

type ServedCache = LRUCache<string, Served>;

function servedCache(caller: Caller): ServedCache {
  return new LRUCache<string, Served>({
    max: 500,
    ttl: CACHE_MS,
    perf: { now: () => caller.transport.clock.monotonic() },
    fetchMethod: (key) => (key === all ? fetchServed(caller) : fetchGroupVersion(caller, key)),
  });
}

function checkQuery(query: ResourceQuery): void {
  checkOptions(query, ['group', 'version', 'kind', 'plural', 'namespaced'], 'discovery.find');
  text(query.group, 'discovery.find.group');
}

function tokenIn({ resources }: Served, query: ResourceQuery): ApiResource | undefined {
  const found = resources.find((resource) => matches(resource, query));
  if (found === undefined) return undefined;
  const { group, version, kind, plural, namespaced } = found;
  return defineResource({
    group,
    version,
    kind,
    plural,
    scope: namespaced ? 'Namespaced' : 'Cluster',
  });
}

function matches(resource: ServedResource, query: ResourceQuery): boolean {
  return (
    resource.group === query.group &&
    (query.version === undefined || resource.version === query.version) &&
    (query.kind === undefined || resource.kind === query.kind) &&
    (query.plural === undefined || resource.plural === query.plural)
  );
}

/**
 * Returns `undefined` for a resource that is not served. Throws if the server of its group failed, because it may serve
 * the resource.
 */
function unserved({ failures }: Served, { group, version }: ResourceQuery): undefined {
  const failure = failures.find(
    (each) => each.group === group && (version === undefined || each.version === version),
  );
  if (failure === undefined) return;
  const { error } = failure;
  throw new ClientError('DISCOVERY_FAILED', { group, version: failure.version }, { cause: error });
}
