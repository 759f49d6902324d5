import { builtin, controllerOf } from '@keelson/apimachinery';
import type { Outcome, Request } from '@keelson/manager';
import {
  after,
  CONCURRENCY,
  ignoreMissing,
  retried,
  type Control,
  type Run,
} from '../control/control.ts';
import type { Job } from '../objects/kinds.ts';
import { millisecondsOf } from '../objects/times.ts';
import { adoptersOf, claimPods } from '../pods/claim-pods.ts';
import { PodControl } from '../pods/pod-control.ts';
import { FailureBackoff } from './failure-backoff.ts';
import { finishedCondition, isTracked, TRACKING } from './job-state.ts';
import { JobSync, untrack, type JobParts } from './job-sync.ts';

/**
 * The time in which changes of Pods lead to one run, as in kube-controller-manager: of Pods that fail together each counts, and
 * none is deleted because another one was faster.
 */
const BATCH = '1s';

/** Runs the Pods of Jobs until enough have succeeded or too many have failed, and deletes finished Jobs after their TTL. */
export function addJobController({ manager, events }: Control): void {
  const record = events.recorder({ component: 'job-controller' });
  const parts = { record, pods: new PodControl(record), backoff: new FailureBackoff() };
  manager.addController({
    name: 'job',
    for: builtin.Job,
    owns: [{ resource: builtin.Pod, debounce: { wait: BATCH, maxWait: BATCH } }],
    watches: [
      {
        resource: builtin.Pod,
        map: (pod, { cache }) =>
          pod.metadata.ownerReferences === undefined
            ? adoptersOf(pod, cache.list(builtin.Job)).map(({ metadata }) => metadata)
            : [],
      },
    ],
    concurrency: CONCURRENCY,
    reconcile: retried((request, run) => reconcile(request, { ...parts, run })),
  });
}

async function reconcile(name: Request, parts: JobParts): Promise<Outcome | void> {
  const { run } = parts;
  const job = run.cache.get(builtin.Job, name);
  if (job === undefined) return releasePods(name, run);
  const finished = finishedCondition(job);
  if (finished !== undefined) return expire(job, millisecondsOf(finished.lastTransitionTime), run);
  const sync = new JobSync(job, await claimPods(job, run, [TRACKING]), parts);
  await sync.run();
  return after(sync.wait);
}

/** Removes the finalizers of Pods whose Job is gone. */
async function releasePods({ namespace = '', name }: Request, run: Run): Promise<void> {
  const orphans = run.cache.list(builtin.Pod, { namespace }).filter((pod) => {
    const owner = controllerOf(pod);
    return isTracked(pod) && owner?.kind === 'Job' && owner.name === name;
  });
  await Promise.all(orphans.map((pod) => untrack(pod, run)));
}

/** Deletes a Job when its time after the end is over. */
async function expire({ metadata, spec }: Job, end: number, run: Run): Promise<Outcome | void> {
  const seconds = spec?.ttlSecondsAfterFinished;
  if (seconds === undefined || metadata.deletionTimestamp !== undefined) return;
  const left = end + seconds * 1000 - run.clock.now();
  if (left > 0) return after(left);
  const { uid } = metadata;
  const options = { propagationPolicy: 'Foreground', preconditions: { uid } } as const;
  await ignoreMissing(run.client.delete(builtin.Job, metadata, options));
}
