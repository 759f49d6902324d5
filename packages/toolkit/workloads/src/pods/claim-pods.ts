import {
  builtin,
  controllerOf,
  isDeleting,
  ownerReferenceTo,
  type Cached,
  type DeepReadonly,
  type KubernetesObject,
  type LabelSelector,
} from '@keelson/apimachinery';
import { ignoreMissing, type Run } from '../control/control.ts';
import type { Pod } from '../objects/kinds.ts';
import { selects } from '../objects/selects.ts';
import { isTerminating } from './pod-state.ts';

/** A workload with the selector of its Pods. */
export type Selecting = Cached<KubernetesObject & { spec?: { selector?: LabelSelector } }>;

/**
 * Returns the Pods of a workload. Adopts Pods that its selector selects and that have no controller, and releases its own
 * that the selector no longer selects. `finalizers` are added to adopted Pods.
 */
export async function claimPods(
  owner: Selecting,
  { cache, client }: Run,
  finalizers: readonly string[] = [],
): Promise<Pod[]> {
  const selector = owner.spec?.selector;
  const owned = cache.owned(builtin.Pod, owner);
  const kept = owned.filter(({ metadata }) => selects(selector, metadata.labels));
  if (isDeleting(owner)) return kept;
  for (const pod of owned)
    if (!kept.includes(pod) && !isTerminating(pod)) await release(pod, owner, client);
  const orphans = orphansOf(
    owner,
    cache.list(builtin.Pod, { namespace: owner.metadata.namespace ?? '' }),
  );
  const adopted = await Promise.all(orphans.map((pod) => adopt(pod, owner, client, finalizers)));
  return [...kept, ...adopted];
}

/** The Pods without a controller that a workload would adopt. */
function orphansOf({ spec, metadata }: Selecting, pods: readonly Pod[]): Pod[] {
  return pods.filter(
    (pod) =>
      pod.metadata.namespace === metadata.namespace &&
      controllerOf(pod) === undefined &&
      !isTerminating(pod) &&
      selects(spec?.selector, pod.metadata.labels),
  );
}

async function adopt(
  { metadata }: Pod,
  owner: Selecting,
  client: Run['client'],
  finalizers: readonly string[],
): Promise<Pod> {
  const reference = ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true });
  const { uid, ownerReferences = [], finalizers: present = [] } = metadata;
  const body = {
    metadata: {
      uid,
      ownerReferences: [...ownerReferences, reference],
      ...(finalizers.length > 0 && { finalizers: [...new Set([...present, ...finalizers])] }),
    },
  };
  return client.patch(builtin.Pod, metadata, { type: 'merge', body });
}

async function release({ metadata }: Pod, owner: Selecting, client: Run['client']): Promise<void> {
  const ownerReferences = (metadata.ownerReferences ?? []).filter(
    ({ uid }) => uid !== owner.metadata.uid,
  );
  const body = { metadata: { uid: metadata.uid, ownerReferences } };
  await ignoreMissing(client.patch(builtin.Pod, metadata, { type: 'merge', body }));
}

/** The workloads that may adopt a Pod without a controller. */
export function adoptersOf<Owner extends Selecting>(
  pod: DeepReadonly<KubernetesObject>,
  owners: readonly Owner[],
): Owner[] {
  if (controllerOf(pod) !== undefined) return [];
  return owners.filter(
    ({ spec, metadata }) =>
      metadata.namespace === pod.metadata?.namespace &&
      selects(spec?.selector, pod.metadata?.labels),
  );
}
