import type { ApiResource } from '@keelson/apimachinery';
import type { CacheScope } from '@keelson/informer';
import type { Request } from '@keelson/manager';
import { Thing, type Item } from '../server/kind.ts';
import { selects, type Selection } from '../server/object-selection.ts';
import { stampOf, type ObjectState } from '../server/object-state.ts';
import type { SimulatedServer } from '../server/simulated-server.ts';

/** The watch of a source. */
export interface WatchedQuery extends Partial<Selection> {
  readonly resource: ApiResource<Item>;
}

/** Returns the request for a state: the Thing itself, or the Thing that the object belongs to. */
export function requestOf({ identity, content }: ObjectState): Request | undefined {
  const { namespace, name, resource } = identity;
  if (resource === Thing) return { namespace, name };
  return content.target === undefined ? undefined : { namespace, name: content.target };
}

/** The objects of each request, as text: the numbers of the changes that made their states. */
export type StatesByRequest = ReadonlyMap<string, string>;

/** One source of a controller, which is live until its watch is removed. */
export class WatchedSource {
  readonly name: string;
  readonly query: WatchedQuery;
  readonly #selection: Selection;
  isLive = true;

  constructor(name: string, query: WatchedQuery) {
    const { resource: _resource, ...selection } = query;
    this.name = name;
    this.query = query;
    this.#selection = {
      namespace: undefined,
      labelSelector: undefined,
      fieldSelector: undefined,
      ...selection,
    };
  }

  /** Returns the objects that the source has in a cache. */
  seenIn(cache: CacheScope, server: SimulatedServer): StatesByRequest {
    const history = server.historyOf(this.query.resource);
    const states = cache
      .list(this.query.resource)
      .map((object) => history.stateOf(stampOf(object)))
      .filter((state) => state !== undefined);
    return this.#grouped(states);
  }

  /** Returns the objects that the server has for the source. */
  presentIn(server: SimulatedServer): StatesByRequest {
    return this.#grouped([...server.historyOf(this.query.resource).objects.values()]);
  }

  #grouped(states: readonly ObjectState[]): StatesByRequest {
    const groups = new Map<string, string[]>();
    for (const state of states) {
      const request = requestOf(state);
      if (request === undefined || !selects(this.#selection, state)) continue;
      const key = keyOf(request);
      groups.set(key, [...(groups.get(key) ?? []), `${state.key} ${state.stamp}`]);
    }
    return new Map(Array.from(groups, ([key, texts]) => [key, texts.toSorted().join(', ')]));
  }
}

/** Returns the key of a request. */
export function keyOf({ namespace = '', name }: Request): string {
  return `${namespace}/${name}`;
}
