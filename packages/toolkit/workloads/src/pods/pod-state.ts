import type { Pod } from '../objects/kinds.ts';
import { millisecondsOf } from '../objects/times.ts';

type Condition = NonNullable<NonNullable<Pod['status']>['conditions']>[number];

/** The condition of a type. */
export function podCondition(pod: Pod, type: string): Condition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** True if the condition `Ready` is true. */
export function isReady(pod: Pod): boolean {
  return podCondition(pod, 'Ready')?.status === 'True';
}

/** The time since which the Pod is ready, in milliseconds; 0 if it is not. */
export function readySince(pod: Pod): number {
  const condition = podCondition(pod, 'Ready');
  return condition?.status === 'True' ? millisecondsOf(condition.lastTransitionTime) : 0;
}

/** True if the Pod has been ready for `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return isReady(pod) && availableIn(pod, minReadySeconds, now) <= 0;
}

/** The milliseconds until a ready Pod is available. */
export function availableIn(pod: Pod, minReadySeconds: number, now: number): number {
  return minReadySeconds === 0 ? 0 : readySince(pod) + minReadySeconds * 1000 - now;
}

/** The time until the next of these Pods becomes available; `undefined` if none will. */
export function nextAvailability(
  pods: readonly Pod[],
  minReadySeconds: number,
  now: number,
): number | undefined {
  const waits = pods
    .filter(isReady)
    .map((pod) => availableIn(pod, minReadySeconds, now))
    .filter((wait) => wait > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** True if all containers have ended for good. */
export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** True if a deletion of the Pod has begun. */
export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** True for a Pod that counts as a replica: it has not finished, and no deletion has begun. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}
