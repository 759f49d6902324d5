import { builtin, controllerOf, isDeleting } from '@keelson/apimachinery';
import type { Outcome, Request } from '@keelson/manager';
import { after, CONCURRENCY, retried, type Control, type Run } from '../control/control.ts';
import type { Pod, ReplicaSet } from '../objects/kinds.ts';
import { adoptersOf, claimPods } from '../pods/claim-pods.ts';
import { inDeletionOrder } from '../pods/deletion-order.ts';
import { PodControl } from '../pods/pod-control.ts';
import { isActive, isFinished, isTerminating, nextAvailability } from '../pods/pod-state.ts';
import { slowStart } from '../pods/slow-start.ts';
import { replicaSetStatus, writeReplicaSetStatus } from './replica-set-status.ts';

/** Creates and deletes Pods until each ReplicaSet has as many as it asks for. */
export function addReplicaSetController({ manager, events }: Control): void {
  const pods = new PodControl(events.recorder({ component: 'replicaset-controller' }));
  manager.addController({
    name: 'replicaset',
    for: builtin.ReplicaSet,
    owns: [builtin.Pod],
    watches: [
      {
        resource: builtin.Pod,
        map: (pod, { cache }) =>
          pod.metadata.ownerReferences === undefined
            ? adoptersOf(pod, cache.list(builtin.ReplicaSet)).map(({ metadata }) => metadata)
            : [],
      },
    ],
    concurrency: CONCURRENCY,
    reconcile: retried((request, run) => reconcile(request, run, pods)),
  });
}

async function reconcile(name: Request, run: Run, podControl: PodControl): Promise<Outcome | void> {
  const replicaSet = run.cache.get(builtin.ReplicaSet, name);
  if (replicaSet === undefined) return;
  const claimed = await claimPods(replicaSet, run);
  const active = claimed.filter(isActive);
  const terminating = claimed.filter((pod) => isTerminating(pod) && !isFinished(pod)).length;
  const failure = isDeleting(replicaSet)
    ? undefined
    : await scale(replicaSet, active, run, podControl);
  const now = run.clock.now();
  const status = replicaSetStatus(replicaSet, { active, terminating, failure, now });
  await writeReplicaSetStatus(replicaSet, status, run.client);
  if (failure !== undefined) throw failure;
  return after(nextAvailability(active, replicaSet.spec?.minReadySeconds ?? 0, now));
}

/** Creates missing Pods and deletes excess ones. Returns the first error. */
async function scale(
  replicaSet: ReplicaSet,
  active: readonly Pod[],
  { cache, client, clock }: Run,
  podControl: PodControl,
): Promise<unknown> {
  const excess = active.length - (replicaSet.spec?.replicas ?? 1);
  const { template } = replicaSet.spec ?? {};
  if (template === undefined || excess === 0) return undefined;
  if (excess < 0) {
    return slowStart(-excess, () => podControl.create(client, replicaSet, template));
  }
  const related = relatedPods(replicaSet, cache);
  const doomed = inDeletionOrder(active, related, clock.now()).slice(0, excess);
  const ends = await Promise.allSettled(
    doomed.map((pod) => podControl.delete(client, replicaSet, pod)),
  );
  return ends.find((end) => end.status === 'rejected')?.reason;
}

/** The active Pods of all ReplicaSets with the same controller, which count for the rank of a Pod on its node. */
function relatedPods(replicaSet: ReplicaSet, cache: Run['cache']): Pod[] {
  const owner = controllerOf(replicaSet);
  const { namespace } = replicaSet.metadata;
  const siblings = cache
    .list(builtin.ReplicaSet, { namespace })
    .filter((other) => owner !== undefined && controllerOf(other)?.uid === owner.uid);
  const sets = siblings.length === 0 ? [replicaSet] : siblings;
  return sets.flatMap((set) => cache.owned(builtin.Pod, set)).filter(isActive);
}
