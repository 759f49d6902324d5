import type { ApiResource, ObjectKey } from '@keelson/apimachinery';
import type { CacheScope } from '@keelson/informer';
import type { Request } from '@keelson/manager';
import { Thing, type Item } from '../server/kind.ts';
import { selects, type Selection } from '../server/object-selection.ts';
import { stampOf, type ObjectState } from '../server/object-state.ts';
import type { SimulatedServer } from '../server/simulated-server.ts';
import { NamespaceEpochs } from './namespace-epochs.ts';

/** The watch of a source. */
export interface WatchedQuery extends Partial<Selection> {
  readonly resource: ApiResource<Item>;
  readonly namespaces?: readonly string[];
  readonly ignoreOwn?: boolean;
  readonly resync?: number;
}

/** Returns the request for a state: the Thing itself, or the Thing that the object belongs to. */
export function requestOf({ identity, content }: ObjectState): Request | undefined {
  const { namespace, name, resource } = identity;
  if (resource === Thing) return { namespace, name };
  return content.target === undefined ? undefined : { namespace, name: content.target };
}

/** The objects of each request: the numbers of the changes that made their states. */
export type StatesByRequest = ReadonlyMap<string, ReadonlyMap<ObjectKey, number>>;

/** One source of a controller, which is live until its watch is removed. */
export class WatchedSource {
  readonly name: string;
  readonly query: WatchedQuery;
  /** The namespaces of the source: its own set, or that of its controller; `undefined` without a set. */
  readonly namespaces: NamespaceEpochs | undefined;
  isLive = true;
  readonly #selection: Selection;

  /** The set of the controller applies to a source that names no namespace. */
  constructor(name: string, query: WatchedQuery, ofController?: NamespaceEpochs) {
    const { namespace, labelSelector, fieldSelector, namespaces } = query;
    this.name = name;
    this.query = query;
    this.#selection = { namespace, labelSelector, fieldSelector };
    if (namespaces !== undefined) this.namespaces = new NamespaceEpochs(namespaces);
    else this.namespaces = namespace === undefined ? ofController : undefined;
  }

  /** The reasons that the source has for runs: one for each namespace of a set. */
  get reasons(): readonly string[] {
    if (!this.isLive) return [];
    return this.namespaces?.present.map((name) => this.#reason(name)) ?? [this.name];
  }

  /** Returns the reason of requests in a namespace; `undefined` if it has left the set. */
  reasonIn(namespace: string): string | undefined {
    if (this.namespaces === undefined) return this.name;
    return this.namespaces.has(namespace) ? this.#reason(namespace) : undefined;
  }

  /** True for an object in a namespace of the source. */
  isIn(namespace: string): boolean {
    return this.namespaces?.has(namespace) ?? true;
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

  #reason(namespace: string): string {
    return `${this.name} in ${namespace} (${this.namespaces?.epochOf(namespace)})`;
  }

  #grouped(states: readonly ObjectState[]): StatesByRequest {
    const groups = new Map<string, Map<ObjectKey, number>>();
    for (const state of states) {
      const request = requestOf(state);
      if (request === undefined || !selects(this.#selection, state)) continue;
      if (!this.isIn(state.identity.namespace)) continue;
      const key = keyOf(request);
      const group = groups.get(key) ?? new Map<ObjectKey, number>();
      groups.set(key, group.set(state.key, state.stamp));
    }
    return groups;
  }
}

/** Returns the key of a request. */
export function keyOf({ namespace = '', name }: Request): string {
  return `${namespace}/${name}`;
}
