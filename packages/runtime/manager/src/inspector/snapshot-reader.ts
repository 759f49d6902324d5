import { resourceId, type Clock } from '@keelson/apimachinery';
import type { ControllerRow, KindRow, ProcessRow, WatchRow } from '@keelson/inspector';
import type { WatchInventory } from '@keelson/informer';
import { errorText } from '../explain/explanation-text.ts';
import { errorOf } from '../history/recorded-run.ts';
import type { InspectedController, InspectedManager } from './inspected-manager.ts';
import { watchIdOf } from './query-text.ts';

/** All rows of the overview at one time. */
export interface Snapshot {
  readonly process: ProcessRow;
  readonly controllers: readonly ControllerRow[];
  readonly watches: readonly WatchRow[];
  readonly kinds: readonly KindRow[];
}

/** The most running reconciles of a controller in its row. */
const MAX_RUNS = 20;

/** Reads the rows of the overview. */
export function readSnapshot(manager: InspectedManager): Snapshot {
  const clusters = manager.clusters();
  return {
    process: processRow(manager),
    controllers: manager.controllers().map((controller) => controllerRow(controller, manager)),
    watches: clusters.flatMap(({ name, cache }) =>
      cache.inventory().map((watch) => watchRow(name, watch, manager.clock)),
    ),
    kinds: kindRows(manager),
  };
}

/** The time of a reading of a clock, in milliseconds since 1970. */
export function epochOf(reading: number, clock: Clock): number {
  return Math.round(clock.now() - (clock.monotonic() - reading));
}

function processRow({ clock, metrics, hasActions }: InspectedManager): ProcessRow {
  const { loopDelay, election, sharding } = metrics.process();
  const { rss, heapUsed, external } = process.memoryUsage();
  const at = (quantile: string): number => (loopDelay.quantiles[quantile] ?? 0) * 1000;
  return {
    at: clock.now(),
    uptimeSeconds: Math.round(process.uptime()),
    rssBytes: rss,
    heapBytes: heapUsed,
    externalBytes: external,
    loopDelay: { p50: at('0.5'), p99: at('0.99'), max: at('1') },
    leader: election,
    shard: sharding,
    hasActions,
  };
}

function controllerRow(
  controller: InspectedController,
  { metrics }: InspectedManager,
): ControllerRow {
  const { phase, state, obstacles, ready, running, concurrency, requests } = controller.explain();
  const { clock } = controller.parts;
  const totals = metrics.totalsOf(controller.name);
  const runs = controller.parts.runTimes().slice(0, MAX_RUNS);
  return {
    id: controller.name,
    phase,
    state,
    isPaused: controller.isPaused,
    obstacles: obstacles.map(({ code, text }) => `${text} (${code})`),
    ready,
    depths: [...controller.parts.depths()].toSorted(([one], [other]) => other - one),
    concurrency,
    running,
    runs: runs.map(([request, startedAt]) => ({ request, since: epochOf(startedAt, clock) })),
    requests,
    reconciles: totals?.reconciles ?? 0,
    errors: totals?.errors ?? 0,
    seconds: totals?.seconds ?? 0,
    logLevel: controller.logLevel,
  };
}

function watchRow(
  cluster: string | undefined,
  watch: WatchInventory,
  clock: InspectedManager['clock'],
): WatchRow {
  const { query, health, lastEventAge } = watch;
  const { namespace, labelSelector, fieldSelector } = query;
  const { state, reason, lastError } = health;
  return {
    id: watchIdOf(cluster, watch.identity),
    cluster,
    resource: resourceId(query.resource),
    namespace,
    labelSelector,
    fieldSelector,
    projection: watch.projection,
    transform: watch.transform,
    state,
    reason,
    error: lastError === undefined ? undefined : errorText(errorOf(lastError)),
    holders: holdersOf(watch),
    objects: watch.objects,
    bytes: watch.bytes,
    resourceVersion: watch.resourceVersion,
    // To a second, so that the row of a silent watch does not change.
    lastEventAt:
      lastEventAge === undefined
        ? undefined
        : Math.round((clock.now() - lastEventAge) / 1000) * 1000,
  };
}

/** The owners of the handles; one that has several, such as by a leak, with their number. */
function holdersOf({ handles }: WatchInventory): readonly string[] {
  const counts = new Map<string, number>();
  for (const { owner } of handles) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return Array.from(counts, ([owner, count]) =>
    count === 1 ? owner : `${owner} (${count} handles)`,
  );
}

function kindRows({ metrics }: InspectedManager): KindRow[] {
  return metrics
    .watchTotals()
    .flatMap(([cluster, totals]) =>
      totals.map((kind) => ({ ...kind, id: watchIdOf(cluster, kind.resource), cluster })),
    );
}
