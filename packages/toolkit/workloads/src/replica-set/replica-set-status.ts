import { builtin } from '@keelson/apimachinery';
import type { Client } from '@keelson/manager';
import { equalJson } from '../objects/equal-json.ts';
import type { Pod, ReplicaSet } from '../objects/kinds.ts';
import { timestamp } from '../objects/times.ts';
import { isAvailable, isReady } from '../pods/pod-state.ts';
import { messageOf } from '../pods/pod-control.ts';
import { selects } from '../objects/selects.ts';

type Status = NonNullable<ReplicaSet['status']>;

/** The Pods and the error of a run. */
export interface ReplicaSetFacts {
  readonly active: readonly Pod[];
  readonly terminating: number;
  /** The error of a creation or deletion. */
  readonly failure: unknown;
  readonly now: number;
}

/** Counts the Pods of a ReplicaSet. */
export function replicaSetStatus(
  { metadata, spec, status }: ReplicaSet,
  { active, terminating, failure, now }: ReplicaSetFacts,
): Status {
  const { minReadySeconds = 0, template, replicas = 1 } = spec ?? {};
  const matchLabels = template?.metadata?.labels ?? {};
  const conditions = (status?.conditions ?? []).filter(
    ({ type }) => type !== 'ReplicaFailure' || failure !== undefined,
  );
  if (failure !== undefined && conditions.length === 0) {
    conditions.push({
      type: 'ReplicaFailure',
      status: 'True',
      reason: active.length < replicas ? 'FailedCreate' : 'FailedDelete',
      message: messageOf(failure),
      lastTransitionTime: timestamp(now),
    });
  }
  return {
    replicas: active.length,
    fullyLabeledReplicas: active.filter(({ metadata: { labels } }) =>
      selects({ matchLabels }, labels),
    ).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    terminatingReplicas: terminating,
    observedGeneration: metadata.generation ?? 0,
    ...(conditions.length > 0 && { conditions }),
  };
}

/** Writes a status if it differs. Zero counts are left out, as the API server stores them. */
export async function writeReplicaSetStatus(
  replicaSet: ReplicaSet,
  status: Status,
  client: Client,
): Promise<void> {
  const defaults = { fullyLabeledReplicas: 0, readyReplicas: 0, availableReplicas: 0 };
  if (equalJson({ ...defaults, ...replicaSet.status }, status)) return;
  await client.status(builtin.ReplicaSet).update({ ...replicaSet, status });
}
