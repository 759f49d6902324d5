import { compareTexts } from '../objects/counts.ts';
import type { Pod } from '../objects/kinds.ts';
import { millisecondsOf } from '../objects/times.ts';
import { isReady, readySince } from './pod-state.ts';

const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** The annotation with which users say which Pods to delete first. */
const COST_ANNOTATION = 'controller.kubernetes.io/pod-deletion-cost';

/**
 * Sorts Pods so that those to delete come first, by the rules of ReplicaSets and Jobs: unassigned, pending, not ready,
 * cheap, doubled on a node, ready for a shorter time, with more restarts, younger. Times differ only by orders of magnitude.
 */
export function inDeletionOrder(pods: readonly Pod[], related: readonly Pod[], now: number): Pod[] {
  const rank = (pod: Pod): number =>
    related.filter((other) => isReady(other) && other.spec?.nodeName === pod.spec?.nodeName).length;
  return pods.toSorted(
    (one, other) =>
      Number(isAssigned(one)) - Number(isAssigned(other)) ||
      phaseOf(one) - phaseOf(other) ||
      Number(isReady(one)) - Number(isReady(other)) ||
      costOf(one) - costOf(other) ||
      rank(other) - rank(one) ||
      byAge(readySince(one), readySince(other), now) ||
      restartsOf(other) - restartsOf(one) ||
      byAge(
        millisecondsOf(one.metadata.creationTimestamp),
        millisecondsOf(other.metadata.creationTimestamp),
        now,
      ) ||
      compareTexts(one.metadata.uid, other.metadata.uid),
  );
}

/** Younger first, if the ages differ by a power of two of their nanoseconds. */
function byAge(one: number, other: number, now: number): number {
  return magnitude(now - one) - magnitude(now - other);
}

function magnitude(age: number): number {
  return age <= 0 ? 0 : Math.floor(Math.log2(age * 1e6));
}

function isAssigned({ spec }: Pod): boolean {
  return (spec?.nodeName ?? '') !== '';
}

function phaseOf({ status }: Pod): number {
  return PHASES[status?.phase ?? 'Pending'] ?? 0;
}

function costOf({ metadata }: Pod): number {
  return Number(metadata.annotations?.[COST_ANNOTATION] ?? 0);
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}
