import { hasCode, type ObjectKey } from '@keelson/apimachinery';
import type { CacheScope } from '@keelson/informer';
import type { Report } from '../invariants/invariant.ts';
import type { SimulatedServer } from '../server/simulated-server.ts';
import type { WatchedSource } from './watched-source.ts';

/** The objects of each source, by request: the numbers of the changes that made their states. */
export type Look = ReadonlyMap<string, ReadonlyMap<WatchedSource, ReadonlyMap<ObjectKey, number>>>;

export interface SeenStatesOptions {
  readonly controller: string;
  readonly server: SimulatedServer;
  readonly report: Report;
}

/** The states that the runs of one controller have seen. When the faults have ended, the last runs must have seen the last states. */
export class SeenStates {
  readonly #options: SeenStatesOptions;
  /** The objects that the last run of each request saw. */
  readonly #last = new Map<string, ReadonlyMap<WatchedSource, ReadonlyMap<ObjectKey, number>>>();
  /** The sources of the options, which every run may read. */
  #required: ReadonlySet<WatchedSource> = new Set();

  constructor(options: SeenStatesOptions) {
    this.#options = options;
  }

  require(sources: readonly WatchedSource[]): void {
    this.#required = new Set(sources);
  }

  /** Reads the objects of every source that has synced. */
  look(sources: readonly WatchedSource[], cache: CacheScope): Look {
    const { controller, server, report } = this.#options;
    const seen = new Map<string, Map<WatchedSource, ReadonlyMap<ObjectKey, number>>>();
    for (const source of sources.filter(({ isLive }) => isLive)) {
      try {
        for (const [key, states] of source.seenIn(cache, server)) {
          const ofKey = seen.get(key) ?? new Map<WatchedSource, ReadonlyMap<ObjectKey, number>>();
          seen.set(key, ofKey.set(source, states));
        }
      } catch (error) {
        const isYoung = !this.#required.has(source) || source.namespaces?.hasChanged === true;
        if (hasCode(error, 'NOT_SYNCED') && isYoung) continue;
        report('start', `${controller}: a run cannot read ${source.name}: ${String(error)}`);
      }
    }
    return seen;
  }

  /** A run that saw this has succeeded. */
  ended(request: string, look: Look): void {
    this.#last.set(request, look.get(request) ?? new Map());
  }

  /** Every object of a live source must be what the last run of its request saw. */
  check(sources: readonly WatchedSource[], report: Report): void {
    for (const source of sources.filter(({ isLive }) => isLive)) {
      const present = source.presentIn(this.#options.server);
      for (const request of new Set([...present.keys(), ...this.#last.keys()])) {
        const problem = this.#missed(source, request, present.get(request) ?? new Map());
        if (problem === undefined) continue;
        const run = `${this.#options.controller}: the last run of ${request}`;
        report('wake-up', `${run} saw of ${source.name} ${problem}`);
      }
    }
  }

  /** Compares what the last run of a request saw of a source with the objects of the server. */
  #missed(
    source: WatchedSource,
    request: string,
    wanted: ReadonlyMap<ObjectKey, number>,
  ): string | undefined {
    if (!source.isIn(request.slice(0, request.indexOf('/')))) return undefined;
    const seen = this.#last.get(request)?.get(source) ?? new Map<ObjectKey, number>();
    for (const key of new Set([...wanted.keys(), ...seen.keys()])) {
      const [saw, has] = [seen.get(key), wanted.get(key)];
      if (saw === has || this.#isKnown(source, key, { saw, has })) continue;
      return `${key} in state ${saw}, the server has state ${has}`;
    }
    return undefined;
  }

  /** True if own writes explain that the last run did not see the last state. */
  #isKnown(
    { query: { ignoreOwn, resource } }: WatchedSource,
    key: ObjectKey,
    { saw, has }: { readonly saw: number | undefined; readonly has: number | undefined },
  ): boolean {
    const { server, controller } = this.#options;
    // A watch that never saw a former server cannot know that the versions of its writes are void.
    const writes = server.ownWrites.to(resource, key);
    if (writes.some((write) => write.server !== server.number)) return true;
    // A run may see a write of this process that no watch receives before the object is gone.
    if (saw !== undefined && has === undefined && server.ownWrites.has(saw)) return true;
    if (ignoreOwn !== true || has === undefined) return false;
    const isOwn = (stamp: number): boolean => server.ownWrites.of(stamp)?.by === controller;
    const changes = server.historyOf(resource).of(key);
    const missed = changes.filter(({ stamp }) => stamp > (saw ?? 0));
    return saw === undefined ? isOwn(has) : missed.every(({ stamp }) => isOwn(stamp));
  }
}
