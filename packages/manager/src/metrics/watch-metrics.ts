import { resourceId, type ApiResource } from '@keelson/apimachinery';
import type { InformerObserver, WatchIdentity, WatchInventory } from '@keelson/informer';
import type { CountedSeries, SeriesScope, SetGauge } from './metric-set.ts';

/** The metric series of the watches of a cache. Each resource has its series while it has a watch. */
export class WatchMetrics implements InformerObserver {
  readonly #openScope: (labels: Readonly<Record<string, string>>) => SeriesScope;
  readonly #lingerReuses: CountedSeries;
  readonly #resources = new Map<string, { scope: SeriesScope; watches: number }>();

  constructor(
    openScope: (labels: Readonly<Record<string, string>>) => SeriesScope,
    lingerReuses: CountedSeries,
  ) {
    this.#openScope = openScope;
    this.#lingerReuses = lingerReuses;
  }

  watchStarted(watch: WatchIdentity): void {
    const { resource } = watch.query;
    const id = resourceId(resource);
    const known = this.#resources.get(id) ?? {
      scope: this.#openScope(labelsOf(resource)),
      watches: 0,
    };
    known.watches += 1;
    this.#resources.set(id, known);
  }

  watchStopped(watch: WatchIdentity): void {
    const id = resourceId(watch.query.resource);
    const known = this.#resources.get(id);
    if (known === undefined) return;
    known.watches -= 1;
    if (known.watches > 0) return;
    known.scope.close();
    this.#resources.delete(id);
  }

  listing(watch: WatchIdentity, cause: string): void {
    this.#scopeOf(watch)?.counter('lists', { cause }).inc();
  }

  restarting(watch: WatchIdentity, cause: string): void {
    this.#scopeOf(watch)?.counter('watchRestarts', { cause }).inc();
  }

  event(watch: WatchIdentity, type: string): void {
    this.#scopeOf(watch)?.counter('events', { type }).inc();
  }

  lingerReused(): void {
    this.#lingerReuses.inc();
  }

  #scopeOf(watch: WatchIdentity): SeriesScope | undefined {
    return this.#resources.get(resourceId(watch.query.resource))?.scope;
  }
}

/** Sets a gauge to one value per resource: the sum over its watches. */
export function readPerResource(
  set: SetGauge,
  watches: readonly WatchInventory[],
  value: (watch: WatchInventory) => number,
): void {
  const sums = new Map<string, { resource: ApiResource; sum: number }>();
  for (const watch of watches) {
    const { resource } = watch.query;
    const id = resourceId(resource);
    const sum = (sums.get(id)?.sum ?? 0) + value(watch);
    sums.set(id, { resource, sum });
  }
  for (const { resource, sum } of sums.values()) set(labelsOf(resource), sum);
}

/** Sets a gauge to the number of watches per resource and state. */
export function readStates(set: SetGauge, watches: readonly WatchInventory[]): void {
  const states = Map.groupBy(watches, ({ health }) => health.state);
  for (const [state, group] of states) {
    readPerResource(
      (labels, count) => set({ ...labels, state }, count),
      group,
      () => 1,
    );
  }
}

/** Sets a gauge to the time since the last frame, in seconds, of each resource's longest silent stream. */
export function readEventAges(set: SetGauge, watches: readonly WatchInventory[]): void {
  const withEvents = watches.filter(({ lastEventAge }) => lastEventAge !== undefined);
  const byAge = withEvents.toSorted((a, b) => (a.lastEventAge ?? 0) - (b.lastEventAge ?? 0));
  for (const { query, lastEventAge = 0 } of byAge)
    set(labelsOf(query.resource), lastEventAge / 1000);
}

function labelsOf({ group, version, plural }: ApiResource): Readonly<Record<string, string>> {
  return { group, version, resource: plural };
}
