import { builtin, isDeleting } from '@keelson/apimachinery';
import { ignoreMissing, type Run } from '../control/control.ts';
import type { RecordEvent } from '../control/event-log.ts';
import { equalJson } from '../objects/equal-json.ts';
import { sumOf } from '../objects/counts.ts';
import type { Job, Pod } from '../objects/kinds.ts';
import { millisecondsOf, timestamp } from '../objects/times.ts';
import { inDeletionOrder } from '../pods/deletion-order.ts';
import type { PodControl } from '../pods/pod-control.ts';
import { isActive, isFinished, isReady, isTerminating } from '../pods/pod-state.ts';
import { slowStart } from '../pods/slow-start.ts';
import { pendingIndexes, printIndexes, succeededIndexes } from './completed-indexes.ts';
import { backoffOf, type FailureBackoff, type Failures } from './failure-backoff.ts';
import { indexedPod } from './indexed-pod.ts';
import {
  isIndexed,
  isPodFailed,
  isSuspended,
  isTracked,
  jobCondition,
  TRACKING,
  type JobCondition,
  type JobStatus,
} from './job-state.ts';

/** The helpers of one run. */
export interface JobParts {
  readonly run: Run;
  readonly pods: PodControl;
  readonly record: RecordEvent;
  readonly backoff: FailureBackoff;
}

/** One run for one Job that has not ended. */
export class JobSync {
  readonly #job: Job;
  readonly #parts: JobParts;
  readonly #now: number;
  readonly #pods: readonly Pod[];
  readonly #active: readonly Pod[];
  readonly #indexes: readonly number[];
  #status: JobStatus;
  /** The counts that this run changes. */
  #activeCount: number;
  #readyCount: number;
  #terminating: number;
  /** The failures with those of this run, which delay the next Pod. */
  readonly #failures: Failures;
  /** The condition with which the Job ends, or is about to end. */
  #end: JobCondition | undefined;
  /** The milliseconds until the Job must be looked at again. */
  wait: number | undefined;

  constructor(job: Job, pods: readonly Pod[], parts: JobParts) {
    this.#job = job;
    this.#parts = parts;
    this.#pods = pods;
    this.#now = parts.run.clock.now();
    this.#active = pods.filter(isActive);
    this.#activeCount = this.#active.length;
    this.#readyCount = this.#active.filter(isReady).length;
    this.#terminating = pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length;
    this.#indexes = isIndexed(job) ? succeededIndexes(job, pods) : [];
    this.#status = { uncountedTerminatedPods: {}, ...job.status };
    if (this.#status.startTime === undefined && !isSuspended(job))
      this.#status = { ...this.#status, startTime: timestamp(this.#now) };
    this.#failures = parts.backoff.next(job.metadata.uid, this.#newlySucceeded, this.#newlyFailed);
  }

  async run(): Promise<void> {
    this.#end = this.#success() ?? this.#failure();
    const failure = this.#end === undefined ? await this.#work() : await this.#endActive();
    this.#status = {
      ...this.#status,
      active: this.#activeCount,
      ready: this.#readyCount,
      terminating: this.#terminating,
    };
    await this.#track();
    if (failure !== undefined) throw failure;
  }

  get #uncounted(): { succeeded: readonly string[]; failed: readonly string[] } {
    const { succeeded = [], failed = [] } = this.#status.uncountedTerminatedPods ?? {};
    return { succeeded, failed };
  }

  /** The Pods that have succeeded and are in no count. */
  get #newlySucceeded(): Pod[] {
    const { succeeded } = this.#uncounted;
    return this.#pods.filter(
      (pod) =>
        isTracked(pod) &&
        pod.status?.phase === 'Succeeded' &&
        !succeeded.includes(pod.metadata.uid),
    );
  }

  get #newlyFailed(): Pod[] {
    const { failed } = this.#uncounted;
    return this.#pods.filter(
      (pod) => isTracked(pod) && isPodFailed(pod, this.#job) && !failed.includes(pod.metadata.uid),
    );
  }

  get #succeeded(): number {
    if (isIndexed(this.#job)) return this.#indexes.length;
    return (
      (this.#status.succeeded ?? 0) + this.#newlySucceeded.length + this.#uncounted.succeeded.length
    );
  }

  get #failed(): number {
    return (this.#status.failed ?? 0) + this.#newlyFailed.length + this.#uncounted.failed.length;
  }

  /** A success that an earlier run has recorded. */
  #success(): JobCondition | undefined {
    return jobCondition(this.#status, 'SuccessCriteriaMet');
  }

  /** A failure that an earlier run has recorded, or that is due now. */
  #failure(): JobCondition | undefined {
    const recorded = jobCondition(this.#status, 'FailureTarget');
    if (recorded !== undefined) return { ...recorded, type: 'Failed' };
    const { backoffLimit = 6, activeDeadlineSeconds } = this.#job.spec ?? {};
    if (this.#failed > backoffLimit || this.#restartsExceed(backoffLimit)) {
      const message = 'Job has reached the specified backoff limit';
      return this.#condition('FailureTarget', 'BackoffLimitExceeded', message);
    }
    if (activeDeadlineSeconds === undefined || isSuspended(this.#job)) return undefined;
    const left = millisecondsOf(this.#status.startTime) + activeDeadlineSeconds * 1000 - this.#now;
    if (left > 0) {
      this.#waitFor(left);
      return undefined;
    }
    const message = 'Job was active longer than specified deadline';
    return this.#condition('FailureTarget', 'DeadlineExceeded', message);
  }

  /** With `OnFailure` the restarts of containers count instead of Pods. */
  #restartsExceed(limit: number): boolean {
    if (this.#job.spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
    const restarts = this.#pods
      .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
      .flatMap(({ status }) => [
        ...(status?.initContainerStatuses ?? []),
        ...(status?.containerStatuses ?? []),
      ]);
    const sum = sumOf(restarts, ({ restartCount }) => restartCount);
    return limit === 0 ? sum > 0 : sum >= limit;
  }

  #condition(type: string, reason: string, message: string): JobCondition {
    const time = timestamp(this.#now);
    return { type, status: 'True', reason, message, lastProbeTime: time, lastTransitionTime: time };
  }

  #waitFor(milliseconds: number): void {
    this.wait = Math.min(this.wait ?? Infinity, milliseconds);
  }

  /** Deletes the Pods that run, because the Job ends. */
  async #endActive(): Promise<unknown> {
    const { run, pods } = this.#parts;
    const ends = await Promise.allSettled(
      this.#active.map((pod) => ignoreMissing(pods.delete(run.client, this.#job, pod))),
    );
    const failed = ends.filter((end) => end.status === 'rejected');
    if (failed.length > 0) this.#end = undefined;
    this.#activeCount = failed.length;
    this.#terminating += this.#active.length - failed.length;
    this.#readyCount = 0;
    return failed[0]?.reason;
  }

  /** Creates or deletes Pods, and decides whether the Job has succeeded. */
  async #work(): Promise<unknown> {
    if (isDeleting(this.#job)) return undefined;
    const failure = isSuspended(this.#job)
      ? await this.#remove(this.#active)
      : await this.#adjust();
    const { completions } = this.#job.spec ?? {};
    const isDone = completions === undefined ? this.#succeeded > 0 : this.#succeeded >= completions;
    if (isDone && this.#activeCount === 0) {
      const message = 'Reached expected number of succeeded pods';
      this.#end = this.#condition('SuccessCriteriaMet', 'CompletionsReached', message);
    } else this.#noteSuspension();
    return failure;
  }

  async #adjust(): Promise<unknown> {
    const wanted = this.#wanted();
    const excess = this.#active.length - wanted;
    if (excess > 0) {
      const { cache } = this.#parts.run;
      const related = cache.owned(builtin.Pod, this.#job);
      return this.#remove(inDeletionOrder(this.#active, related, this.#now).slice(0, excess));
    }
    const reserved = this.#job.spec?.podReplacementPolicy === 'Failed' ? this.#terminating : 0;
    const missing = wanted - reserved - this.#active.length;
    return missing > 0 ? this.#create(missing) : undefined;
  }

  /** The number of Pods that should run now. */
  #wanted(): number {
    const { completions, parallelism = 1 } = this.#job.spec ?? {};
    if (completions !== undefined)
      return Math.max(0, Math.min(completions - this.#succeeded, parallelism));
    return this.#succeeded > 0 ? this.#active.length : parallelism;
  }

  async #create(missing: number): Promise<unknown> {
    const { pods, run } = this.#parts;
    const { template } = this.#job.spec ?? {};
    const delay = backoffOf(this.#failures, this.#now);
    if (delay > 0 || template === undefined) {
      this.#waitFor(delay);
      return undefined;
    }
    const indexes = isIndexed(this.#job)
      ? pendingIndexes(this.#job, {
          succeeded: this.#indexes,
          active: this.#active,
          count: missing,
        })
      : Array.from({ length: missing }, () => undefined);
    return slowStart(indexes.length, async (at) => {
      const index = indexes[at];
      const own = index === undefined ? {} : indexedPod(this.#job, template, index);
      await pods.create(run.client, this.#job, template, { ...own, finalizers: [TRACKING] });
      this.#activeCount += 1;
    });
  }

  /** Deletes Pods that the Job does not need, without counting them. */
  async #remove(doomed: readonly Pod[]): Promise<unknown> {
    const { run, pods } = this.#parts;
    const ends = await Promise.allSettled(
      doomed.map(async (pod) => {
        await untrack(pod, run);
        await ignoreMissing(pods.delete(run.client, this.#job, pod));
        this.#activeCount -= 1;
        this.#terminating += 1;
        if (isReady(pod)) this.#readyCount -= 1;
      }),
    );
    return ends.find((end) => end.status === 'rejected')?.reason;
  }

  /** Records in the conditions that the Job was suspended or resumed. */
  #noteSuspension(): void {
    const isHeld = isSuspended(this.#job);
    const known = this.#status.conditions?.find(({ type }) => type === 'Suspended');
    if (isHeld === (known?.status === 'True')) return;
    const [status, reason, message] = isHeld
      ? (['True', 'JobSuspended', 'Job suspended'] as const)
      : (['False', 'JobResumed', 'Job resumed'] as const);
    const condition = { ...this.#condition('Suspended', reason, message), status };
    const conditions = this.#withCondition(condition);
    const { startTime: _time, ...others } = this.#status;
    this.#status = { ...others, conditions, ...(!isHeld && { startTime: timestamp(this.#now) }) };
    this.#parts.record(this.#job, { reason: isHeld ? 'Suspended' : 'Resumed', message });
  }

  #withCondition(condition: JobCondition): JobCondition[] {
    const others = (this.#status.conditions ?? []).filter(({ type }) => type !== condition.type);
    return [...others, condition];
  }

  /**
   * Counts the Pods that have ended: their uids are written into the status before their finalizers are removed, and the
   * counts rise when the finalizers are gone, so that a crash between two writes counts no Pod twice.
   */
  async #track(): Promise<void> {
    const { run, backoff } = this.#parts;
    const counted = this.#pods.filter((pod) => isTracked(pod) && this.#isCounted(pod));
    this.#settle(new Set(this.#pods.filter(isTracked).map(({ metadata }) => metadata.uid)));
    for (const pod of counted) this.#addUncounted(pod);
    if (isIndexed(this.#job)) this.#countIndexes();
    const end = this.#noteEnd();
    await this.#flush();
    backoff.set(this.#job.metadata.uid, this.#failures);
    await Promise.all(counted.map((pod) => untrack(pod, run)));
    const left = this.#pods.filter((pod) => isTracked(pod) && !counted.includes(pod));
    this.#settle(new Set(left.map(({ metadata }) => metadata.uid)));
    const hasEnded = end !== undefined && this.#enact(end);
    await this.#flush();
    if (hasEnded) this.#recordEnd(end);
  }

  #isCounted(pod: Pod): boolean {
    const isEnding = isDeleting(this.#job) || this.#end !== undefined;
    return isEnding || pod.status?.phase === 'Succeeded' || isPodFailed(pod, this.#job);
  }

  /** Moves the Pods without a finalizer from the lists into the counts. */
  #settle(tracked: ReadonlySet<string>): void {
    const { succeeded, failed } = this.#uncounted;
    const keep = (uids: readonly string[]): string[] => uids.filter((uid) => tracked.has(uid));
    const left = { succeeded: keep(succeeded), failed: keep(failed) };
    const isSame =
      left.succeeded.length === succeeded.length && left.failed.length === failed.length;
    if (isSame) return;
    this.#status = {
      ...this.#status,
      succeeded: (this.#status.succeeded ?? 0) + succeeded.length - left.succeeded.length,
      failed: (this.#status.failed ?? 0) + failed.length - left.failed.length,
      uncountedTerminatedPods: listsOf(left),
    };
  }

  #addUncounted(pod: Pod): void {
    const { uid } = pod.metadata;
    const { succeeded, failed } = this.#uncounted;
    if (pod.status?.phase === 'Succeeded' && !failed.includes(uid)) {
      if (isIndexed(this.#job) || succeeded.includes(uid)) return;
      this.#status = {
        ...this.#status,
        uncountedTerminatedPods: listsOf({ succeeded: [...succeeded, uid], failed }),
      };
      return;
    }
    const isFailed = isPodFailed(pod, this.#job) || (this.#end !== undefined && !this.#endsWell);
    if (!isFailed || failed.includes(uid)) return;
    this.#status = {
      ...this.#status,
      uncountedTerminatedPods: listsOf({ succeeded, failed: [...failed, uid] }),
    };
  }

  get #endsWell(): boolean {
    return this.#end?.type === 'SuccessCriteriaMet';
  }

  #countIndexes(): void {
    const completedIndexes = printIndexes(this.#indexes);
    const { completedIndexes: _old, ...others } = this.#status;
    this.#status = {
      ...others,
      succeeded: this.#indexes.length,
      ...(completedIndexes !== '' && { completedIndexes }),
    };
  }

  /** Adds the condition that precedes the last one. Returns the last one. */
  #noteEnd(): JobCondition | undefined {
    const end = this.#end;
    if (end === undefined || end.type === 'Failed') return end;
    if (jobCondition(this.#status, end.type) === undefined)
      this.#status = { ...this.#status, conditions: [...(this.#status.conditions ?? []), end] };
    const { reason = '', message = '' } = end;
    return this.#condition(this.#endsWell ? 'Complete' : 'Failed', reason, message);
  }

  /** Adds the last condition when all Pods are counted and gone. */
  #enact(end: JobCondition): boolean {
    const { succeeded, failed } = this.#uncounted;
    if (succeeded.length + failed.length > 0 || this.#terminating > 0) return false;
    const conditions = this.#withCondition(end);
    const completionTime = end.type === 'Complete' ? end.lastTransitionTime : undefined;
    this.#status = {
      ...this.#status,
      conditions,
      ...(completionTime !== undefined && { completionTime }),
    };
    return true;
  }

  #recordEnd({ type, reason = '', message = '' }: JobCondition): void {
    const { record, backoff } = this.#parts;
    backoff.forget(this.#job.metadata.uid);
    if (type === 'Complete') record(this.#job, { reason: 'Completed', message: 'Job completed' });
    else record(this.#job, { type: 'Warning', reason, message });
  }

  /** The Job as the last write of this run returned it. */
  #written: Job | undefined;

  async #flush(): Promise<void> {
    const present = this.#written ?? this.#job;
    if (equalJson(stored(present.status), stored(this.#status))) return;
    const { client } = this.#parts.run;
    this.#written = await client.status(builtin.Job).update({ ...present, status: this.#status });
  }
}

function listsOf({
  succeeded,
  failed,
}: {
  succeeded: readonly string[];
  failed: readonly string[];
}) {
  return { ...(succeeded.length > 0 && { succeeded }), ...(failed.length > 0 && { failed }) };
}

/** Removes the finalizer of a Pod. */
export async function untrack(pod: Pod, { client }: Run): Promise<void> {
  if (!isTracked(pod)) return;
  const finalizers = pod.metadata.finalizers?.filter((name) => name !== TRACKING) ?? [];
  const body = { metadata: { uid: pod.metadata.uid, finalizers } };
  await ignoreMissing(client.patch(builtin.Pod, pod.metadata, { type: 'merge', body }));
}

/** A status as the API server stores it: without the counts that are zero. */
function stored(status: JobStatus | undefined): unknown {
  const counts = new Set(['active', 'succeeded', 'failed']);
  const entries = Object.entries(status ?? {}).filter(
    ([name, value]) => !counts.has(name) || value !== 0,
  );
  return Object.fromEntries(entries);
}
