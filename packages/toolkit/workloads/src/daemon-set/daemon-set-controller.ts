import { builtin, isDeleting } from '@keelson/apimachinery';
import type { Outcome, Request } from '@keelson/manager';
import { after, CONCURRENCY, retried, type Control, type Run } from '../control/control.ts';
import { equalJson } from '../objects/equal-json.ts';
import type { DaemonSet, Pod } from '../objects/kinds.ts';
import { adoptersOf, claimPods } from '../pods/claim-pods.ts';
import { PodControl } from '../pods/pod-control.ts';
import { nextAvailability } from '../pods/pod-state.ts';
import { hashOf, historyOf, truncateHistory } from '../templates/revisions.ts';
import { DaemonSetSync } from './daemon-set-sync.ts';

/** Runs one Pod of each DaemonSet on each node that it selects. */
export function addDaemonSetController({ manager, events }: Control): void {
  const pods = new PodControl(events.recorder({ component: 'daemonset-controller' }));
  manager.addController({
    name: 'daemonset',
    for: builtin.DaemonSet,
    owns: [builtin.Pod, builtin.ControllerRevision],
    watches: [
      {
        resource: builtin.Node,
        map: (_node, { cache }) => cache.list(builtin.DaemonSet).map(({ metadata }) => metadata),
      },
      {
        resource: builtin.Pod,
        map: (pod, { cache }) =>
          pod.metadata.ownerReferences === undefined
            ? adoptersOf(pod, cache.list(builtin.DaemonSet)).map(({ metadata }) => metadata)
            : [],
      },
    ],
    concurrency: CONCURRENCY,
    reconcile: retried((request, run) => reconcile(request, run, pods)),
  });
}

async function reconcile(name: Request, run: Run, pods: PodControl): Promise<Outcome | void> {
  const set = run.cache.get(builtin.DaemonSet, name);
  if (set === undefined || isDeleting(set)) return;
  const history = await historyOf(set, run);
  const sync = new DaemonSetSync(set, { hash: hashOf(history.update), pods, run });
  sync.read(await claimPods(set, run));
  const failure = await sync.manage();
  if (failure === undefined && set.spec?.updateStrategy?.type !== 'OnDelete') {
    sync.read(run.cache.owned(builtin.Pod, set));
    await sync.roll();
  }
  sync.read(run.cache.owned(builtin.Pod, set));
  await writeStatus(set, sync, run);
  if (failure !== undefined) throw failure;
  await truncate(set, { history, sync, run });
  return after(nextAvailability(sync.all, set.spec?.minReadySeconds ?? 0, run.clock.now()));
}

async function writeStatus(set: DaemonSet, sync: DaemonSetSync, { client }: Run): Promise<void> {
  const status = {
    ...sync.status(),
    ...(set.status?.collisionCount !== undefined && { collisionCount: set.status.collisionCount }),
  };
  const defaults = { updatedNumberScheduled: 0, numberAvailable: 0, numberUnavailable: 0 };
  if (equalJson({ ...defaults, ...set.status }, status)) return;
  await client.status(builtin.DaemonSet).update({ ...set, status });
}

async function truncate(
  set: DaemonSet,
  {
    history,
    sync,
    run,
  }: { history: Awaited<ReturnType<typeof historyOf>>; sync: DaemonSetSync; run: Run },
): Promise<void> {
  const used = new Set(
    sync.all.map((pod: Pod) => pod.metadata.labels?.['controller-revision-hash']),
  );
  used.add(hashOf(history.update));
  await truncateHistory(set, history, { live: (revision) => used.has(hashOf(revision)), run });
}
