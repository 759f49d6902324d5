import { isConditionTrue, setControllerReference } from '@keelson/manager';
import type { builtin, DeepReadonly, NewCondition, ObjectOf, Persisted } from '@keelson/manager';
import type { CronJob } from './custom-resource.ts';
import type { Problem } from './schedule.ts';

export type Job = DeepReadonly<Persisted<ObjectOf<typeof builtin.Job>>>;
type NewJob = ObjectOf<typeof builtin.Job>;

const SCHEDULED_AT = 'examples.keelson.dev/scheduled-at';

/** The Jobs of a CronJob by their state. */
export interface JobsByState {
  readonly active: readonly Job[];
  readonly successful: readonly Job[];
  readonly failed: readonly Job[];
}

export function jobsByState(jobs: readonly Job[]): JobsByState {
  const byState = Object.groupBy(jobs, ({ status }) => {
    if (isConditionTrue(status?.conditions, 'Failed')) return 'failed';
    return isConditionTrue(status?.conditions, 'Complete') ? 'successful' : 'active';
  });
  return { active: [], successful: [], failed: [], ...byState };
}

/** The latest of the scheduled times of the Jobs and of the status, which outlives the Jobs. */
export function lastScheduleTime(
  { status }: DeepReadonly<CronJob>,
  jobs: readonly Job[],
): string | undefined {
  const times = jobs.flatMap(({ metadata }) => metadata.annotations?.[SCHEDULED_AT] ?? []);
  return [...times, status?.lastScheduleTime ?? '']
    .filter((time) => !Number.isNaN(Date.parse(time)))
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1);
}

/** The finished Jobs that exceed the limit, the oldest first. */
export function excessJobs(jobs: readonly Job[], limit = Infinity): readonly Job[] {
  const startOf = ({ status }: Job): number => Date.parse(status?.startTime ?? '') || 0;
  const oldestFirst = jobs.toSorted((a, b) => startOf(a) - startOf(b));
  return oldestFirst.slice(0, Math.max(jobs.length - limit, 0));
}

/** The Job of a scheduled time. Its name depends on the time only, so that it cannot be created twice. */
export function jobAt(cronJob: DeepReadonly<Persisted<CronJob>>, time: number): NewJob {
  const { namespace, name } = cronJob.metadata;
  const { metadata, spec } = structuredClone(cronJob.spec.jobTemplate) as Template;
  const job = {
    metadata: {
      namespace,
      name: `${name}-${time / 1000}`,
      labels: { ...metadata?.labels },
      annotations: {
        ...metadata?.annotations,
        [SCHEDULED_AT]: new Date(time).toISOString().replace('.000', ''),
      },
    },
    spec,
  };
  return setControllerReference(job, cronJob);
}

/** The server validates the Job when it is created. */
interface Template {
  readonly metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  readonly spec: NonNullable<NewJob['spec']>;
}

/** The conditions of a CronJob with these Jobs. */
export function conditionsOf(
  { active, failed }: JobsByState,
  suspended: boolean,
  problem: Problem | undefined,
): NewCondition[] {
  const failure = { reason: 'JobsFailed', message: `${failed.length} Jobs have failed` };
  const running = { reason: 'JobsActive', message: `${active.length} Jobs are active` };
  const idle = { reason: 'NoJobsActive', message: 'no Job is active' };
  const degraded = problem ?? (failed.length > 0 ? failure : undefined);
  const progress = active.length > 0 ? running : idle;
  const stopped = suspended ? { reason: 'Suspended', message: 'suspended' } : degraded;
  const healthy = { reason: 'AsExpected', message: 'no Job has failed' };
  return [
    { type: 'Available', status: stopped ? 'False' : 'True', ...(stopped ?? progress) },
    { type: 'Progressing', status: active.length > 0 ? 'True' : 'False', ...progress },
    { type: 'Degraded', status: degraded ? 'True' : 'False', ...(degraded ?? healthy) },
  ];
}

/** The entry of `status.active`. */
export function referenceOf({ metadata }: Job): ActiveJob {
  const { namespace, name, uid } = metadata;
  return { apiVersion: 'batch/v1', kind: 'Job', ...(namespace && { namespace }), name, uid };
}

type ActiveJob = NonNullable<NonNullable<CronJob['status']>['active']>[number];
