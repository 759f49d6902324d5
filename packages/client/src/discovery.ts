import {
  apiVersionOf,
  defineResource,
  isNotFound,
  resourceId,
  type ApiResource,
} from '@keelson/apimachinery';
import { LRUCache } from 'lru-cache';
import type { Caller } from './caller.ts';
import { fetchServedResources } from './fetch-discovery.ts';
import { fromListing, type ResourceListing, type ServedResource } from './served-resource.ts';

/** What to look for: a kind or a plural, in a group; in the preferred version unless one is named. */
export interface ResourceQuery {
  readonly group: string;
  readonly version?: string;
  readonly kind?: string;
  readonly plural?: string;
}

/** What `/version` answers. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly [fact: string]: string;
}

/** New CRDs are met by asking again on a miss; this only bounds how long a removed one is remembered. */
const REMEMBERED_FOR = 5 * 60_000;
/** A miss asks the server again unless the answer is younger than this. */
const FRESH_FOR = 5000;
const all = 'all';

/** What the server serves. Answers are remembered; those who ask together share one request. */
export class Discovery {
  readonly #caller: Caller;
  readonly #cache: LRUCache<string, readonly ServedResource[]>;

  constructor(caller: Caller) {
    this.#caller = caller;
    this.#cache = new LRUCache<string, readonly ServedResource[]>({
      max: 500,
      ttl: REMEMBERED_FOR,
      fetchMethod: (key) =>
        key === all ? fetchServedResources(caller) : this.#fetchGroupVersion(key),
    });
  }

  /** Every resource in every version; of one group the preferred version first. */
  async resources(): Promise<readonly ServedResource[]> {
    return (await this.#cache.fetch(all)) ?? [];
  }

  /** The token of a resource known by name only, or `undefined` when it is not served. */
  async find(query: ResourceQuery): Promise<ApiResource | undefined> {
    const found = (await this.resources()).find((resource) => answers(resource, query));
    if (found !== undefined) return tokenOf(found);
    if (this.#isFresh(all)) return undefined;
    this.#cache.delete(all);
    const again = (await this.resources()).find((resource) => answers(resource, query));
    return again === undefined ? undefined : tokenOf(again);
  }

  /** Whether this very group, version and plural is served. A "no" is never remembered. */
  async serves(resource: ApiResource): Promise<boolean> {
    const key = apiVersionOf(resource);
    const served = (await this.#cache.fetch(key)) ?? [];
    if (served.some((each) => resourceId(each) === resourceId(resource))) return true;
    this.#cache.delete(key);
    return false;
  }

  /** Forgets what was learned. */
  invalidate(): void {
    this.#cache.clear();
  }

  async version(): Promise<ServerVersion> {
    return this.#caller.call({ verb: 'get', path: '/version', query: '' }, {});
  }

  #isFresh(key: string): boolean {
    return this.#cache.getRemainingTTL(key) > REMEMBERED_FOR - FRESH_FOR;
  }

  async #fetchGroupVersion(key: string): Promise<readonly ServedResource[]> {
    const [version = '', group = ''] = key.split('/').toReversed();
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    try {
      const listing = await this.#caller.call<ResourceListing>(
        { verb: 'get', path, query: '' },
        {},
      );
      return fromListing(group, version, listing);
    } catch (error) {
      // A group version that is not served answers a plain text 404.
      if (isNotFound(error)) return [];
      throw error;
    }
  }
}

function answers(resource: ServedResource, query: ResourceQuery): boolean {
  return (
    resource.group === query.group &&
    (query.version === undefined || resource.version === query.version) &&
    (query.kind === undefined || resource.kind === query.kind) &&
    (query.plural === undefined || resource.plural === query.plural)
  );
}

function tokenOf({ group, version, kind, plural, namespaced }: ServedResource): ApiResource {
  return defineResource({ group, version, kind, plural, namespaced });
}
