import {
  builtin,
  isAlreadyExists,
  isControlledBy,
  isDeleting,
  objectKey,
  ownerReferenceTo,
} from '@keelson/apimachinery';
import type { Outcome, Request } from '@keelson/manager';
import {
  after,
  CONCURRENCY,
  ignoreMissing,
  retried,
  type Control,
  type Run,
} from '../control/control.ts';
import type { RecordEvent } from '../control/event-log.ts';
import { compareTexts } from '../objects/counts.ts';
import type { CronJob, Job } from '../objects/kinds.ts';
import { millisecondsOf, timestamp } from '../objects/times.ts';
import { finishedCondition } from '../job/job-state.ts';
import { messageOf } from '../pods/pod-control.ts';
import { parseSchedule, startsOf, type Schedule } from './schedule.ts';

type Status = NonNullable<CronJob['status']>;
type Reference = NonNullable<Status['active']>[number];

/** The starts after which a warning asks for a deadline. */
const MANY_MISSED = 100;
const SCHEDULED_ANNOTATION = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** Creates the Jobs of CronJobs at their times, and deletes old finished ones. */
export function addCronJobController({ manager, events }: Control): void {
  const record = events.recorder({ component: 'cronjob-controller' });
  const schedules = new SeenSchedules();
  manager.addController({
    name: 'cronjob',
    for: builtin.CronJob,
    owns: [builtin.Job],
    concurrency: CONCURRENCY,
    reconcile: retried(async (request, run) => {
      const cronJob = run.cache.get(builtin.CronJob, request);
      if (cronJob === undefined) return schedules.forget(request);
      const isRescheduled = schedules.hasChanged(request, cronJob);
      return reconcile(cronJob, run, { record, isRescheduled });
    }),
  });
}

/** How a run records Events, and why it runs. */
interface SyncOptions {
  readonly record: RecordEvent;
  /** True for the first run after a change of the schedule. It waits for the next start and makes up for none. */
  readonly isRescheduled: boolean;
}

async function reconcile(
  cronJob: CronJob,
  run: Run,
  options: SyncOptions,
): Promise<Outcome | undefined> {
  const sync = new CronJobSync(cronJob, run, options);
  return after(await sync.run());
}

/** The schedules with which CronJobs ran last. */
class SeenSchedules {
  readonly #schedules = new Map<string, string>();

  /** True if the CronJob has run with another schedule. */
  hasChanged(name: Request, { spec }: CronJob): boolean {
    const key = objectKey(name);
    const seen = this.#schedules.get(key);
    const present = JSON.stringify([spec?.schedule, spec?.timeZone]);
    this.#schedules.set(key, present);
    return seen !== undefined && seen !== present;
  }

  forget(name: Request): void {
    this.#schedules.delete(objectKey(name));
  }
}

/** One run for one CronJob. */
class CronJobSync {
  readonly #cronJob: CronJob;
  readonly #run: Run;
  readonly #record: RecordEvent;
  readonly #isRescheduled: boolean;
  readonly #now: number;
  readonly #jobs: readonly Job[];
  #status: Status;

  constructor(cronJob: CronJob, run: Run, { record, isRescheduled }: SyncOptions) {
    this.#cronJob = cronJob;
    this.#run = run;
    this.#record = record;
    this.#isRescheduled = isRescheduled;
    this.#now = run.clock.now();
    this.#jobs = run.cache.owned(builtin.Job, cronJob);
    this.#status = cronJob.status ?? {};
  }

  /** Resolves with the milliseconds until the next start. */
  async run(): Promise<number | undefined> {
    await this.#cleanUp();
    this.#dropFinished();
    this.#dropMissing();
    const next = isDeleting(this.#cronJob) ? undefined : await this.#schedule();
    await this.#writeStatus();
    return next;
  }

  get #active(): readonly Reference[] {
    return this.#status.active ?? [];
  }

  #dropFromActive(uid: string | undefined): void {
    this.#status = { ...this.#status, active: this.#active.filter((job) => job.uid !== uid) };
  }

  #dropFinished(): void {
    for (const job of this.#jobs) {
      const isKnown = this.#active.some(({ uid }) => uid === job.metadata.uid);
      const finished = finishedCondition(job);
      if (finished === undefined && !isKnown) {
        const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
        this.#record(this.#cronJob, { type: 'Warning', reason: 'UnexpectedJob', message });
      }
      if (finished === undefined) continue;
      if (isKnown) {
        this.#dropFromActive(job.metadata.uid);
        const message = `Saw completed job: ${job.metadata.name}, condition: ${finished.type}`;
        this.#record(this.#cronJob, { reason: 'SawCompletedJob', message });
      }
      if (finished.type === 'Complete') this.#noteSuccess(job);
    }
  }

  #noteSuccess({ status }: Job): void {
    const { completionTime } = status ?? {};
    const { lastSuccessfulTime } = this.#status;
    if (completionTime === undefined) return;
    if (millisecondsOf(completionTime) <= millisecondsOf(lastSuccessfulTime)) return;
    this.#status = { ...this.#status, lastSuccessfulTime: completionTime };
  }

  #dropMissing(): void {
    for (const { uid, name } of this.#active) {
      if (this.#jobs.some(({ metadata }) => metadata.uid === uid)) continue;
      this.#dropFromActive(uid);
      this.#record(this.#cronJob, {
        reason: 'MissingJob',
        message: `Active job went missing: ${name}`,
      });
    }
  }

  async #schedule(): Promise<number | undefined> {
    const { spec, metadata } = this.#cronJob;
    if (spec === undefined || spec.suspend === true) return undefined;
    let schedule: Schedule;
    try {
      schedule = parseSchedule(spec.schedule, spec.timeZone);
    } catch (error) {
      const message = `unparseable schedule: "${spec.schedule}" : ${messageOf(error)}`;
      this.#record(this.#cronJob, { type: 'Warning', reason: 'UnparseableSchedule', message });
      return undefined;
    }
    const last = millisecondsOf(this.#status.lastScheduleTime ?? metadata.creationTimestamp);
    const earliest = this.#now - (spec.startingDeadlineSeconds ?? Infinity) * 1000;
    const { due, missed, next } = startsOf(schedule, Math.max(last, earliest), this.#now);
    if (due !== undefined && !this.#isRescheduled) await this.#start(due, missed);
    return Number.isFinite(next) ? next - this.#now : undefined;
  }

  async #start(due: number, missed: number): Promise<void> {
    if (missed > MANY_MISSED) {
      const message =
        'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      this.#record(this.#cronJob, { type: 'Warning', reason: 'TooManyMissedTimes', message });
    }
    const { spec } = this.#cronJob;
    if (due === millisecondsOf(this.#status.lastScheduleTime)) return;
    if (spec?.concurrencyPolicy === 'Forbid' && this.#active.length > 0) {
      const message =
        'Not starting job because prior execution is running and concurrency policy is Forbid';
      this.#record(this.#cronJob, { reason: 'JobAlreadyActive', message });
      return;
    }
    if (spec?.concurrencyPolicy === 'Replace') {
      const active = new Set(this.#active.map(({ uid }) => uid));
      for (const job of this.#jobs) if (active.has(job.metadata.uid)) await this.#delete(job);
    }
    const job = await this.#create(due);
    const { apiVersion, kind, metadata } = job;
    const { namespace, name, uid, resourceVersion } = metadata;
    const reference = {
      apiVersion: apiVersion ?? 'batch/v1',
      kind: kind ?? 'Job',
      namespace,
      name,
      uid,
      resourceVersion,
    };
    this.#status = {
      ...this.#status,
      active: [...this.#active, reference],
      lastScheduleTime: timestamp(due),
    };
  }

  async #create(due: number): Promise<Job> {
    const body = jobAt(this.#cronJob, due);
    const { client } = this.#run;
    try {
      const job = await client.create(builtin.Job, body);
      this.#record(this.#cronJob, {
        reason: 'SuccessfulCreate',
        message: `Created job ${job.metadata.name}`,
      });
      return job;
    } catch (error) {
      // A run before a crash may have created the Job and not written the status.
      const present = isAlreadyExists(error)
        ? await client.get(builtin.Job, body.metadata)
        : undefined;
      if (present !== undefined && isControlledBy(present, this.#cronJob)) return present;
      const message = `Error creating job: ${messageOf(error)}`;
      this.#record(this.#cronJob, { type: 'Warning', reason: 'FailedCreate', message });
      throw error;
    }
  }

  /** Deletes the oldest finished Jobs beyond the limits. */
  async #cleanUp(): Promise<void> {
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = this.#cronJob.spec ?? {};
    for (const [type, limit] of [
      ['Complete', successfulJobsHistoryLimit],
      ['Failed', failedJobsHistoryLimit],
    ] as const) {
      const jobs = this.#jobs
        .filter((job) => finishedCondition(job)?.type === type)
        .toSorted(olderFirst);
      for (const job of jobs.slice(0, Math.max(0, jobs.length - limit))) await this.#delete(job);
    }
  }

  async #delete({ metadata }: Job): Promise<void> {
    const options = { propagationPolicy: 'Background' } as const;
    await ignoreMissing(this.#run.client.delete(builtin.Job, metadata, options));
    this.#dropFromActive(metadata.uid);
    this.#record(this.#cronJob, {
      reason: 'SuccessfulDelete',
      message: `Deleted job ${metadata.name}`,
    });
  }

  async #writeStatus(): Promise<void> {
    const { active = [], ...others } = this.#status;
    const status = { ...others, ...(active.length > 0 && { active }) };
    if (JSON.stringify(status) === JSON.stringify(this.#cronJob.status ?? {})) return;
    await this.#run.client.status(builtin.CronJob).update({ ...this.#cronJob, status });
  }
}

/** The Job of a start. Its name is the same for the same start, so that no start makes two. */
function jobAt(cronJob: CronJob, due: number) {
  const { namespace, name } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec?.jobTemplate ?? {};
  return {
    metadata: {
      namespace,
      name: `${name}-${Math.floor(due / 60_000)}`,
      ...(metadata?.labels !== undefined && { labels: metadata.labels }),
      annotations: { ...metadata?.annotations, [SCHEDULED_ANNOTATION]: timestamp(due) },
      ownerReferences: [ownerReferenceTo(cronJob, { controller: true, blockOwnerDeletion: true })],
    },
    ...(spec !== undefined && { spec }),
  };
}

function olderFirst(
  { metadata, status }: Job,
  { metadata: other, status: otherStatus }: Job,
): number {
  return (
    millisecondsOf(status?.startTime) - millisecondsOf(otherStatus?.startTime) ||
    compareTexts(metadata.name, other.name)
  );
}
