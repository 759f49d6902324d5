import { resourceId, type ApiResource } from '@keelson/apimachinery';
import type {
  InformerObserver,
  OwnWriteEnd,
  WatchIdentity,
  WatchInventory,
} from '@keelson/informer';
import type { Labels } from './metric-definition.ts';
import type { SetGauge } from './read-metric.ts';
import type { SeriesScope } from './series-scope.ts';
import type { CountedSeries } from './series.ts';

/** The series of one resource, for all its watches. */
interface ResourceSeries {
  readonly scope: SeriesScope;
  readonly events: Readonly<Record<EventType, CountedSeries>>;
  watches: number;
}

type EventType = 'added' | 'updated' | 'deleted';

/** The sums over the watches of a resource since the first of them began. */
export interface WatchTotals {
  /** The resource, such as `apps/v1/deployments`. */
  readonly resource: string;
  readonly events: number;
  readonly lists: Readonly<Record<string, number>>;
  readonly restarts: Readonly<Record<string, number>>;
}

/** The metric series of the watches of a cache. Each resource has its series while it has a watch. */
export class WatchMetrics implements InformerObserver {
  readonly #openScope: (labels: Labels) => SeriesScope;
  readonly #lingerReuses: CountedSeries;
  readonly #resources = new Map<string, ResourceSeries>();
  readonly #watches = new Map<WatchIdentity, ResourceSeries>();

  constructor(openScope: (labels: Labels) => SeriesScope, lingerReuses: CountedSeries) {
    this.#openScope = openScope;
    this.#lingerReuses = lingerReuses;
  }

  totals(): readonly WatchTotals[] {
    return Array.from(this.#resources, ([resource, { scope, events }]) => ({
      resource,
      events: Object.values(events).reduce((sum, { count }) => sum + count, 0),
      lists: scope.countsOf('lists'),
      restarts: scope.countsOf('watchRestarts'),
    }));
  }

  watchStarted(watch: WatchIdentity): void {
    const { resource } = watch.query;
    const id = resourceId(resource);
    const series = this.#resources.get(id) ?? openSeries(this.#openScope(labelsOf(resource)));
    series.watches += 1;
    this.#resources.set(id, series);
    this.#watches.set(watch, series);
  }

  watchStopped(watch: WatchIdentity): void {
    const series = this.#watches.get(watch);
    if (series === undefined) return;
    this.#watches.delete(watch);
    series.watches -= 1;
    if (series.watches > 0) return;
    series.scope.close();
    this.#resources.delete(resourceId(watch.query.resource));
  }

  listing(watch: WatchIdentity, cause: string): void {
    this.#watches.get(watch)?.scope.counter('lists', { cause }).inc();
  }

  restarting(watch: WatchIdentity, cause: string): void {
    this.#watches.get(watch)?.scope.counter('watchRestarts', { cause }).inc();
  }

  event(watch: WatchIdentity, type: EventType): void {
    this.#watches.get(watch)?.events[type].inc();
  }

  ownWriteEnded(watch: WatchIdentity, cause: OwnWriteEnd, age: number): void {
    const scope = this.#watches.get(watch)?.scope;
    scope?.counter('ownWritesEnded', { cause }).inc();
    if (cause === 'reached') scope?.histogram('ownWriteLag').observe(age / 1000);
  }

  lingerReused(): void {
    this.#lingerReuses.inc();
  }
}

function openSeries(scope: SeriesScope): ResourceSeries {
  const events = (type: EventType): CountedSeries => scope.counter('events', { type });
  return {
    scope,
    events: { added: events('added'), updated: events('updated'), deleted: events('deleted') },
    watches: 0,
  };
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

/** Sets a gauge to the oldest version that a watch of each resource has reached, if versions are numbers. */
export function readVersions(set: SetGauge, watches: readonly WatchInventory[]): void {
  const versions = watches
    .filter(({ resourceVersion }) => /^[0-9]+$/.test(resourceVersion))
    .map(({ query, resourceVersion }) => ({ query, reached: Number(resourceVersion) }));
  for (const { query, reached } of versions.toSorted((a, b) => b.reached - a.reached))
    set(labelsOf(query.resource), reached);
}

function labelsOf({ group, version, plural }: ApiResource): Labels {
  return { group, version, resource: plural };
}
