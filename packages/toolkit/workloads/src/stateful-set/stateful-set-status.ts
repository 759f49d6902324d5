import type { ControllerRevision, Pod, StatefulSet } from '../objects/kinds.ts';
import { isAvailable, isTerminating } from '../pods/pod-state.ts';
import { isRunningAndReady, podRevision } from './stateful-pod.ts';

export type StatefulSetStatus = NonNullable<StatefulSet['status']>;

/** The revisions and Pods that a status counts. */
export interface StatefulSetFacts {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly collisionCount: number;
  readonly pods: readonly Pod[];
  /** The Pods of the current revision whose deletion this run has begun. */
  readonly deleted: number;
  readonly now: number;
}

/** Counts the Pods of a StatefulSet, and ends an update when all Pods are new and ready. */
export function statefulSetStatus(set: StatefulSet, facts: StatefulSetFacts): StatefulSetStatus {
  const { current, update, collisionCount, pods, deleted, now } = facts;
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const ready = pods.filter(isRunningAndReady);
  const ofRevision = (name: string): number =>
    pods.filter((pod) => !isTerminating(pod) && podRevision(pod) === name).length;
  const { conditions } = set.status ?? {};
  const status: StatefulSetStatus = {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    currentReplicas: ofRevision(current.metadata.name) - deleted,
    updatedReplicas: ofRevision(update.metadata.name),
    currentRevision: current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount,
    ...(conditions !== undefined && { conditions }),
  };
  return isRolledOut(set, status) ? completed(status) : status;
}

function isRolledOut({ spec }: StatefulSet, status: StatefulSetStatus): boolean {
  const { replicas = 1, updateStrategy } = spec ?? {};
  return (
    updateStrategy?.type !== 'OnDelete' &&
    status.updatedReplicas === replicas &&
    status.readyReplicas === replicas &&
    status.replicas === replicas
  );
}

function completed(status: StatefulSetStatus): StatefulSetStatus {
  const { updatedReplicas = 0, updateRevision = '' } = status;
  return { ...status, currentReplicas: updatedReplicas, currentRevision: updateRevision };
}
