import type { Clock } from '@keelson/apimachinery';
import type { ItemState } from '@keelson/workqueue';
import type { RequestHistory } from '../history/history.ts';
import type { ExplainedDrop, ExplainedWatch, Obstacle, ObstacleCode } from './explanation-facts.ts';
import { dropText, errorText } from './explanation-text.ts';
import { isoTime } from './iso-time.ts';

/** The place of a request in the queue of its controller. Times are readings of the controller's clock. */
export interface RequestReading {
  readonly item: ItemState | undefined;
  readonly isBackingOff: boolean;
  readonly isPaused: boolean;
  /** True if it is due, and its cluster already has its share of the workers. */
  readonly waitsForCluster: boolean;
  /** True if it is due, and a run of an earlier controller of the name has it. */
  readonly waitsForEarlierRun: boolean;
  /** The end of `maxReconcileInterval`; `undefined` without one. */
  readonly intervalEnd: number | undefined;
}

/** The state of a controller, and of the leader election of its manager. */
export interface ControllerFacts {
  readonly state: 'created' | 'filling' | 'running' | 'stopping' | 'stopped';
  readonly phase: string;
  readonly isPaused: boolean;
  /** `undefined` without leader election. */
  readonly isLeader: boolean | undefined;
}

/** Returns why a controller runs nothing, or misses events. */
export function controllerObstacles(
  { state, phase, isLeader, isPaused }: ControllerFacts,
  watches: readonly ExplainedWatch[],
): readonly Obstacle[] {
  if (state === 'stopping' || state === 'stopped') {
    return [obstacle('stopped', 'the controller was stopped, or its manager stops')];
  }
  const paused = isPaused
    ? [obstacle('paused', 'the controller is paused: no request runs until `resume`')]
    : [];
  if (state === 'created') {
    return [obstacle('not-started', 'the manager has not started it'), ...paused];
  }
  const silent = watches.filter((watch) => watch.state !== 'live').map(watchObstacle);
  if (state === 'running' || silent.length > 0) return [...paused, ...silent];
  const isStandby = phase === 'leader' && isLeader === false;
  return [
    isStandby
      ? obstacle('standby', 'another process holds the Lease, and it runs in the phase leader')
      : obstacle('phase-not-begun', `the phase ${phase} of the manager has not begun`),
    ...paused,
  ];
}

/** Where a sharded request runs. */
export interface RequestPlace {
  /** In this replica, here after a hand-over, or in another replica. */
  readonly where: 'here' | 'soon' | 'elsewhere';
  /** The other live replicas that claim its slot. */
  readonly claimants: readonly string[];
}

/** The known facts about a request that does not run. */
export interface IdleRequest {
  readonly place: RequestReading;
  readonly known: RequestHistory | undefined;
  readonly dropped: readonly ExplainedDrop[];
  readonly clock: Clock;
  readonly replica: RequestPlace;
  readonly workers: number;
  /** True if the controller runs and is not paused, so that free workers take requests. */
  readonly takesRequests: boolean;
  /** The number of requests that are ready. */
  readonly ready: number;
  readonly object: 'exists' | 'unknown' | 'outside' | undefined;
}

/** Returns why a request does not run, the most important reason first. */
export function requestObstacles(request: IdleRequest): readonly Obstacle[] {
  const { place, known, ready, replica, workers } = request;
  const claimants = replica.claimants.join(' and ');
  if (replica.where === 'elsewhere') {
    const owner =
      claimants === '' ? 'no replica has its slot yet' : `${claimants} has its slot, and runs it`;
    return [obstacle('other-shard', owner)];
  }
  if (replica.where === 'soon') {
    const text = `this replica takes its slot over, and ${claimants || 'another one'} may still run it`;
    return [obstacle('hand-over', text)];
  }
  const { item, isBackingOff, isPaused } = place;
  if (isPaused)
    return [obstacle('paused', 'the request is paused: it does not run until `resume`')];
  if (place.waitsForEarlierRun) {
    const text = 'it is due, and a run of an earlier controller of this name has not ended';
    return [obstacle('earlier-run', text)];
  }
  if (place.waitsForCluster) {
    const text = 'it is due, and its cluster already has its share of the workers';
    return [obstacle('cluster-busy', text)];
  }
  const drops = latestDrops(request).slice(0, 1).map(dropObstacle);
  if (item?.queued?.isReady === true) {
    // The state of the controller is the reason then, whether or not its workers are busy.
    if (!request.takesRequests) return [];
    return [obstacle('busy', `${ready} requests are ready for ${workers} workers`)];
  }
  if (item?.queued === undefined) return [...absent(request), ...drops, ...endOf(request)];
  if (isBackingOff)
    return [obstacle('backing-off', 'its last run failed, and it waits to be retried')];
  return [obstacle('delayed', delayText(known))];
}

/** The dropped events that came after the last event that queued the request. */
function latestDrops({ clock, known, dropped }: IdleRequest): readonly ExplainedDrop[] {
  const last = known?.events().at(-1);
  const since = last === undefined ? '' : isoTime(last.at, clock);
  return dropped.filter(({ at }) => at >= since);
}

/** Why a request waits whose last run did not fail. */
function delayText(known: RequestHistory | undefined): string {
  const run = known?.runs.at(-1);
  const event = known?.events().at(-1);
  const isNewer = event !== undefined && event.at > (run?.startedAt ?? -Infinity);
  if (isNewer && event.delayedBy !== undefined) {
    return `its latest event was delayed for ${Math.round(event.delay)} ms by ${event.delayedBy}`;
  }
  return run?.decision === 'requeue'
    ? 'its last run returned requeueAfter'
    : 'it waits for the time of its next run';
}

/** Why a request that is not queued cannot have events. */
function absent({ object }: IdleRequest): readonly Obstacle[] {
  if (object === 'outside') {
    return [obstacle('outside-namespaces', 'no watch of `for` includes its namespace')];
  }
  if (object !== 'unknown') return [];
  return [
    obstacle(
      'unknown-object',
      'the watch of `for` has no object of this name: it does not exist, or a selector leaves it out',
    ),
  ];
}

/** Why a request that is not queued was not queued again. */
function endOf({ known, dropped, object }: IdleRequest): readonly Obstacle[] {
  const last = known?.runs.at(-1);
  const lastAt = last?.startedAt ?? -Infinity;
  if (known?.purge?.reason === 'watch-removed' && known.purge.at > lastAt) {
    return [
      obstacle('watch-removed', 'it was dropped, because the watches that caused it were removed'),
    ];
  }
  if (last?.decision === 'dead-letter') {
    return [obstacle('dead-letter', 'it was given up after its last run, until its next event')];
  }
  if (last !== undefined)
    return [obstacle('settled', 'its last run ended, and no event came since')];
  if (dropped.length > 0 || (object !== undefined && object !== 'exists')) return [];
  return [
    obstacle(
      'no-event',
      'no event that queued it is known: none came, or its history was forgotten',
    ),
  ];
}

function dropObstacle(drop: ExplainedDrop): Obstacle {
  return obstacle(
    'dropped',
    `the latest event of ${drop.object} (${drop.source}) ${dropText(drop)}`,
  );
}

function watchObstacle({ source, namespace, state, reason, error }: ExplainedWatch): Obstacle {
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  const cause = error === undefined ? '' : ` (${errorText(error)})`;
  return obstacle('watch-not-live', `the watch ${source}${where} is ${state}: ${reason}${cause}`);
}

function obstacle(code: ObstacleCode, text: string): Obstacle {
  return { code, text };
}
