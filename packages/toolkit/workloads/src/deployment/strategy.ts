import { scaledValue } from '../objects/counts.ts';
import type { Deployment, ReplicaSet } from '../objects/kinds.ts';

/** The value with which a limit or a deadline counts as missing (Go's `MaxInt32`). */
const UNLIMITED = 2_147_483_647;

/** The number of replicas that a Deployment or ReplicaSet asks for. */
export function replicasOf({ spec }: Deployment | ReplicaSet): number {
  return spec?.replicas ?? 1;
}

/** True for the strategy RollingUpdate, the default. */
export function isRolling({ spec }: Deployment): boolean {
  return spec?.strategy?.type !== 'Recreate';
}

/** The Pods that a rolling update may have beyond the desired ones. */
export function maxSurge(deployment: Deployment): number {
  return isRolling(deployment) ? bounds(deployment).surge : 0;
}

/** The desired Pods that may be unavailable in a rolling update. */
export function maxUnavailable(deployment: Deployment): number {
  const replicas = replicasOf(deployment);
  if (!isRolling(deployment) || replicas === 0) return 0;
  return Math.min(bounds(deployment).unavailable, replicas);
}

/** Both bounds; one of them is at least 1, so that an update proceeds. */
function bounds(deployment: Deployment): { surge: number; unavailable: number } {
  const replicas = replicasOf(deployment);
  const { maxSurge: given, maxUnavailable: allowed } =
    deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(given, replicas, true);
  const unavailable = scaledValue(allowed, replicas, false);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** The seconds in which a rollout must progress; `undefined` without a deadline. */
export function progressDeadline({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds === UNLIMITED ? undefined : seconds;
}

/** The number of old ReplicaSets to keep; `undefined` to keep all. */
export function historyLimit({ spec }: Deployment): number | undefined {
  const limit = spec?.revisionHistoryLimit;
  return limit === UNLIMITED ? undefined : limit;
}
