import { sumOf } from '../objects/counts.ts';
import type { Deployment, ReplicaSet } from '../objects/kinds.ts';
import { millisecondsOf, timestamp } from '../objects/times.ts';
import { maxUnavailable, progressDeadline, replicasOf } from './strategy.ts';

export type DeploymentStatus = NonNullable<Deployment['status']>;
type Condition = NonNullable<DeploymentStatus['conditions']>[number];

/** The ReplicaSets of a Deployment. */
export interface Sets {
  /** The one with the template of the Deployment. */
  readonly newest: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** All ReplicaSets, the newest last. */
export function allOf({ newest, old }: Sets): ReplicaSet[] {
  return newest === undefined ? [...old] : [...old, newest];
}

/** The condition of a type. */
export function deploymentCondition(
  status: DeploymentStatus | undefined,
  type: string,
): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** A status with a condition. One with the same status and reason stays as it is. */
export function withCondition(
  status: DeploymentStatus,
  { type, ...content }: Omit<Condition, 'lastTransitionTime' | 'lastUpdateTime'>,
  now: number,
): DeploymentStatus {
  const present = deploymentCondition(status, type);
  if (present?.status === content.status && present.reason === content.reason) return status;
  const lastUpdateTime = timestamp(now);
  const lastTransitionTime =
    present?.status === content.status ? present.lastTransitionTime : lastUpdateTime;
  const condition = {
    type,
    ...content,
    lastUpdateTime,
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
  };
  return {
    ...status,
    conditions: [...(withoutCondition(status, type).conditions ?? []), condition],
  };
}

/** A status without the condition of a type. */
export function withoutCondition(status: DeploymentStatus, type: string): DeploymentStatus {
  const conditions = (status.conditions ?? []).filter((condition) => condition.type !== type);
  return { ...status, conditions };
}

/** The counts of a Deployment, and its condition `Available`. */
export function countedStatus(deployment: Deployment, sets: Sets, now: number): DeploymentStatus {
  const all = allOf(sets);
  const available = sumOf(all, ({ status }) => status?.availableReplicas ?? 0);
  const { conditions, collisionCount } = deployment.status ?? {};
  const status: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sumOf(all, (set) => set.status?.replicas ?? 0),
    updatedReplicas: sets.newest?.status?.replicas ?? 0,
    readyReplicas: sumOf(all, (set) => set.status?.readyReplicas ?? 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sumOf(all, replicasOf) - available),
    terminatingReplicas: sumOf(all, (set) => set.status?.terminatingReplicas ?? 0),
    ...(conditions !== undefined && { conditions }),
    ...(collisionCount !== undefined && { collisionCount }),
  };
  return withCondition(status, availability(deployment, available), now);
}

function availability(
  deployment: Deployment,
  available: number,
): Omit<Condition, 'lastTransitionTime' | 'lastUpdateTime'> {
  const isEnough = available >= replicasOf(deployment) - maxUnavailable(deployment);
  return isEnough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

/** The status of a Deployment in or after a rollout, with its progress and the failures of its ReplicaSets. */
export function rolloutStatus(deployment: Deployment, sets: Sets, now: number): DeploymentStatus {
  const counted = countedStatus(deployment, sets, now);
  const status =
    progressDeadline(deployment) === undefined
      ? withoutCondition(counted, 'Progressing')
      : withProgress(deployment, counted, { sets, now });
  const failure = [sets.newest, ...sets.old]
    .flatMap((set) => set?.status?.conditions ?? [])
    .find(({ type }) => type === 'ReplicaFailure');
  if (failure === undefined) return withoutCondition(status, 'ReplicaFailure');
  const { status: state, reason = '', message = '' } = failure;
  return withCondition(status, { type: 'ReplicaFailure', status: state, reason, message }, now);
}

function withProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  { sets, now }: { readonly sets: Sets; readonly now: number },
): DeploymentStatus {
  const current = deploymentCondition(deployment.status, 'Progressing');
  const isResync =
    status.replicas === status.updatedReplicas && current?.reason === 'NewReplicaSetAvailable';
  if (isResync) return status;
  const subject =
    sets.newest === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${sets.newest.metadata.name}"`;
  const progressing = { type: 'Progressing', status: 'True' };
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return withCondition(
      status,
      { ...progressing, reason: 'NewReplicaSetAvailable', message },
      now,
    );
  }
  if (hasProgressed(deployment, status)) {
    const message = `${subject} is progressing.`;
    return withRenewed(status, { ...progressing, reason: 'ReplicaSetUpdated', message }, now);
  }
  if (!hasTimedOut(deployment, status, now)) return status;
  const message = `${subject} has timed out progressing.`;
  const timedOut = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' };
  return withCondition(status, { ...timedOut, message }, now);
}

/** Replaces the condition `Progressing`, also one of the same reason, because its time of update counts. */
function withRenewed(
  status: DeploymentStatus,
  condition: { type: string; status: string; reason: string; message: string },
  now: number,
): DeploymentStatus {
  const current = deploymentCondition(status, 'Progressing');
  const lastUpdateTime = timestamp(now);
  const lastTransitionTime =
    current?.status === 'True' ? (current.lastTransitionTime ?? lastUpdateTime) : lastUpdateTime;
  const others = withoutCondition(status, 'Progressing').conditions ?? [];
  return {
    ...status,
    conditions: [...others, { ...condition, lastUpdateTime, lastTransitionTime }],
  };
}

/** True if all replicas are new and available, and no old one is left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const replicas = replicasOf(deployment);
  return (
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.replicas ?? 0) === replicas &&
    (status?.availableReplicas ?? 0) === replicas &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed({ status: before }: Deployment, status: DeploymentStatus): boolean {
  const grew = (name: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas'): boolean =>
    (status[name] ?? 0) > (before?.[name] ?? 0);
  return (
    grew('updatedReplicas') ||
    grew('readyReplicas') ||
    grew('availableReplicas') ||
    oldReplicas(status) < oldReplicas(before)
  );
}

function oldReplicas(status: DeploymentStatus | undefined): number {
  return (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
}

function hasTimedOut(deployment: Deployment, status: DeploymentStatus, now: number): boolean {
  const condition = deploymentCondition(status, 'Progressing');
  if (condition === undefined || condition.reason === 'NewReplicaSetAvailable') return false;
  if (condition.reason === 'ProgressDeadlineExceeded') return true;
  return (
    millisecondsOf(condition.lastUpdateTime) + (progressDeadline(deployment) ?? 0) * 1000 < now
  );
}

/** The milliseconds until the progress of a rollout must be checked; `undefined` if it need not be. */
export function nextProgressCheck(
  deployment: Deployment,
  status: DeploymentStatus,
  now: number,
): number | undefined {
  const seconds = progressDeadline(deployment);
  const condition = deploymentCondition(status, 'Progressing');
  if (seconds === undefined || condition === undefined) return undefined;
  if (isComplete(deployment, status) || condition.reason === 'ProgressDeadlineExceeded')
    return undefined;
  return Math.max(0, millisecondsOf(condition.lastUpdateTime) + seconds * 1000 - now) + 1000;
}
