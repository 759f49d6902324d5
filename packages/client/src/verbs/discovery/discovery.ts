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

/** What to look for: a kind or a plural, in a group; in the preferred version unless one is named. */
export interface ResourceQuery {
  readonly group: string;
  readonly version?: string | undefined;
  readonly kind?: string | undefined;
  readonly plural?: string | undefined;
}

/** The response of `/version`. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly [fact: string]: string;
}

/** New CRDs are met by asking again on a miss; this only bounds how long a removed one is remembered. */
const REMEMBERED_FOR = 5 * 60_000;
/** A miss asks the server again unless the answer is younger than this; an answer with gaps is kept no longer. */
const FRESH_FOR = 5000;
const all = 'all';

/**
 * What the server serves. Answers are remembered; those who ask together share one request, which ends after 32 s
 * (client-go's limit) and not with the signal or the `timeout` of one of them.
 */
export class Discovery {
  readonly #caller: Caller;
  readonly #cache: LRUCache<string, Served>;

  constructor(caller: Caller) {
    this.#caller = caller;
    this.#cache = new LRUCache<string, Served>({
      max: 500,
      ttl: REMEMBERED_FOR,
      fetchMethod: (key) => (key === all ? fetchServed(caller) : fetchGroupVersion(caller, key)),
    });
  }

  /** Every resource in every version; of one group the preferred version first. Without those of `failures`. */
  async resources(options: RequestOptions = {}): Promise<readonly ServedResource[]> {
    checkCall('request', options, 'discovery.resources');
    return (await this.#served(all, options)).resources;
  }

  /** The groups whose servers did not respond, so that `resources` lacks what they serve, or has it as it was. */
  async failures(options: RequestOptions = {}): Promise<readonly DiscoveryFailure[]> {
    checkCall('request', options, 'discovery.failures');
    return (await this.#served(all, options)).failures;
  }

  /**
   * The token of a resource known by name only, or `undefined` when it is not served. Code `DISCOVERY_FAILED` if that
   * is not known, because the server of its group did not respond.
   */
  async find(query: ResourceQuery, options: RequestOptions = {}): Promise<ApiResource | undefined> {
    checkQuery(query);
    checkCall('request', options, 'discovery.find');
    return withDeadline(options, deadlineFacts, async (signal) => {
      const known = await this.#served(all, { signal });
      const token = tokenIn(known, query);
      if (token !== undefined) return token;
      if (!isFresh(known)) this.#forget(all, known);
      const served = await this.#served(all, { signal });
      return tokenIn(served, query) ?? unserved(served, query);
    });
  }

  /** Whether this very group, version and plural is served. A "no" is never remembered. */
  async serves(resource: ApiResource, options: RequestOptions = {}): Promise<boolean> {
    checkCall('request', options, 'discovery.serves');
    const key = apiVersionOf(resource);
    const served = await this.#served(key, options);
    if (served.resources.some((each) => resourceId(each) === resourceId(resource))) return true;
    this.#forget(key, served);
    return false;
  }

  /** Forgets what was learned. */
  invalidate(): void {
    this.#cache.clear();
  }

  async version(options: RequestOptions = {}): Promise<ServerVersion> {
    checkCall('request', options, 'discovery.version');
    return this.#caller.call(
      { verb: 'get', path: '/version', query: '' },
      { timeout: DISCOVERY_TIMEOUT, ...options },
    );
  }

  async #served(key: string, options: RequestOptions): Promise<Served> {
    options.signal?.throwIfAborted();
    const known = this.#cache.peek(key);
    if (known !== undefined && known.failures.length > 0 && !isFresh(known))
      this.#forget(key, known);
    const fetched = this.#cache.fetch(key) as Promise<Served>;
    return withDeadline(options, deadlineFacts, (signal) => abortable(fetched, [signal]));
  }

  /** Unless it has been fetched again meanwhile. */
  #forget(key: string, served: Served): void {
    if (this.#cache.peek(key) === served) this.#cache.delete(key);
  }
}

const deadlineFacts = { step: 'discovery' };

function isFresh({ fetchedAt }: Served): boolean {
  return performance.now() - fetchedAt < FRESH_FOR;
}

function checkQuery(query: ResourceQuery): void {
  checkOptions(query, ['group', 'version', 'kind', 'plural'], 'discovery.find');
  text(query.group, 'discovery.find.group');
}

function tokenIn({ resources }: Served, query: ResourceQuery): ApiResource | undefined {
  const found = resources.find((resource) => matches(resource, query));
  if (found === undefined) return undefined;
  const { group, version, kind, plural, namespaced } = found;
  return defineResource({ group, version, kind, plural, namespaced });
}

function matches(resource: ServedResource, query: ResourceQuery): boolean {
  return (
    resource.group === query.group &&
    (query.version === undefined || resource.version === query.version) &&
    (query.kind === undefined || resource.kind === query.kind) &&
    (query.plural === undefined || resource.plural === query.plural)
  );
}

/** `undefined`, unless the server of the group failed: then it may serve what was not found. */
function unserved({ failures }: Served, { group, version }: ResourceQuery): undefined {
  const failure = failures.find(
    (each) => each.group === group && (version === undefined || each.version === version),
  );
  if (failure === undefined) return;
  const { error } = failure;
  throw new ClientError('DISCOVERY_FAILED', { group, version: failure.version }, { cause: error });
}
