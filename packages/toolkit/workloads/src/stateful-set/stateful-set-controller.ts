import { builtin } from '@keelson/apimachinery';
import type { Outcome, Request } from '@keelson/manager';
import { after, CONCURRENCY, retried, type Control, type Run } from '../control/control.ts';
import { equalJson } from '../objects/equal-json.ts';
import { adoptersOf, claimPods } from '../pods/claim-pods.ts';
import { nextAvailability } from '../pods/pod-state.ts';
import { historyOf, truncateHistory } from '../templates/revisions.ts';
import { podRevision, StatefulPods } from './stateful-pod.ts';
import { statefulSetStatus, type StatefulSetStatus } from './stateful-set-status.ts';
import { StatefulSetSync } from './stateful-set-sync.ts';

/** Creates the numbered Pods and claims of StatefulSets, and replaces Pods of older revisions. */
export function addStatefulSetController({ manager, events }: Control): void {
  const pods = new StatefulPods(events.recorder({ component: 'statefulset-controller' }));
  manager.addController({
    name: 'statefulset',
    for: builtin.StatefulSet,
    owns: [builtin.Pod, builtin.ControllerRevision],
    reads: [builtin.PersistentVolumeClaim],
    watches: [
      {
        resource: builtin.Pod,
        map: (pod, { cache }) =>
          pod.metadata.ownerReferences === undefined
            ? adoptersOf(pod, cache.list(builtin.StatefulSet)).map(({ metadata }) => metadata)
            : [],
      },
    ],
    concurrency: CONCURRENCY,
    reconcile: retried((request, run) => reconcile(request, run, pods)),
  });
}

async function reconcile(name: Request, run: Run, pods: StatefulPods): Promise<Outcome | void> {
  const set = run.cache.get(builtin.StatefulSet, name);
  if (set === undefined) return;
  const owned = await claimPods(set, run);
  const history = await historyOf(set, run);
  const { update, collisionCount, revisions } = history;
  const current =
    revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  const result = await new StatefulSetSync(set, owned, { current, update, pods, run }).run();
  const now = run.clock.now();
  const status = statefulSetStatus(set, { current, update, collisionCount, ...result, now });
  if (!equalJson(stored(set.status), stored(status)))
    await run.client.status(builtin.StatefulSet).update({ ...set, status });
  if (result.failure !== undefined) throw result.failure;
  const used = new Set([current, update].map(({ metadata }) => metadata.name));
  for (const pod of owned) used.add(podRevision(pod) ?? '');
  await truncateHistory(set, history, { live: ({ metadata }) => used.has(metadata.name), run });
  return after(nextAvailability(result.pods, set.spec?.minReadySeconds ?? 0, now));
}

/** A status as the API server stores it. */
function stored(status: StatefulSetStatus | undefined): unknown {
  const defaults = {
    readyReplicas: 0,
    currentReplicas: 0,
    updatedReplicas: 0,
    availableReplicas: 0,
  };
  return { ...defaults, ...status };
}
