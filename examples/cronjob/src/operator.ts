import { builtin, createManager, findCondition, isDeleting, isNotFound } from '@keelson/manager';
import type { Client, Manager, ManagerOptions } from '@keelson/manager';
import { CronJob } from './custom-resource.ts';
import { conditionsOf, excessJobs, jobAt, jobsByState, lastScheduleTime } from './jobs.ts';
import { referenceOf, type Job } from './jobs.ts';
import { timesOf } from './schedule.ts';
import { addWebhooks } from './webhooks.ts';

/** `now` returns the time in milliseconds, like `Date.now`, its default. */
export function createOperator(options: ManagerOptions, now: () => number = Date.now): Manager {
  const manager = createManager(options);
  // #region operator
  manager.addController({
    name: 'cronjob',
    for: CronJob,
    owns: [builtin.Job],
    async reconcile({ namespace, name }, { cache, client, events, patchStatus, signal }) {
      const cronJob = cache.get(CronJob, { namespace, name });
      if (cronJob === undefined || isDeleting(cronJob)) return; // the garbage collector deletes its Jobs
      const { spec, metadata, status } = cronJob;
      let jobs: readonly Job[] = cache.owned(builtin.Job, cronJob); // from the index on the controller owner
      const time = now();
      const last = Date.parse(lastScheduleTime(cronJob, jobs) ?? metadata.creationTimestamp);
      const earliest = time - (spec.startingDeadlineSeconds ?? Infinity) * 1000;
      const suspended = spec.suspend === true;
      const times = suspended ? {} : timesOf(spec.schedule, Math.max(last, earliest), time);
      let { problem } = times;
      let failure: unknown;
      const { active } = jobsByState(jobs);
      const blocked = spec.concurrencyPolicy === 'Forbid' && active.length > 0;
      if (times.due !== undefined && !blocked) {
        try {
          const replaced = spec.concurrencyPolicy === 'Replace' ? active : [];
          await removeJobs(client, replaced, signal);
          const job = await client.create(builtin.Job, jobAt(cronJob, times.due), { signal });
          jobs = [...jobs.filter((other) => !replaced.includes(other)), job];
          const note = `created Job ${job.metadata.name}`;
          events.record(cronJob, { reason: 'JobCreated', action: 'CreateJob', note });
        } catch (error) {
          failure = error;
          problem = { reason: 'JobCreationFailed', message: String(error) };
        }
      }
      const byState = jobsByState(jobs);
      const conditions = conditionsOf(byState, suspended, problem);
      const lastTime = lastScheduleTime(cronJob, jobs); // kept, so that a deleted Job does not run again
      const references = byState.active.map(referenceOf);
      const newStatus = { active: references, lastScheduleTime: lastTime, conditions };
      await patchStatus(CronJob, cronJob, newStatus);
      if (problem && problem.reason !== findCondition(status?.conditions, 'Degraded')?.reason) {
        const { reason, message: note } = problem;
        events.record(cronJob, { type: 'Warning', reason, action: 'Schedule', note });
      }
      if (failure !== undefined) throw failure; // retried with backoff
      await removeJobs(client, excessJobs(byState.failed, spec.failedJobsHistoryLimit), signal);
      const { successfulJobsHistoryLimit } = spec;
      await removeJobs(client, excessJobs(byState.successful, successfulJobsHistoryLimit), signal);
      if (times.next !== undefined) return { requeueAfter: times.next - time };
    },
  });
  // #endregion
  if (options.servers?.webhook !== undefined) addWebhooks(manager);
  return manager;
}

async function removeJobs(
  client: Client,
  jobs: readonly Job[],
  signal: AbortSignal,
): Promise<void> {
  for (const { metadata } of jobs) {
    try {
      const options = { propagationPolicy: 'Background', signal } as const;
      await client.delete(builtin.Job, metadata, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
