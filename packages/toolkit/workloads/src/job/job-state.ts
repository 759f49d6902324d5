import type { Job, Pod } from '../objects/kinds.ts';
import { millisecondsOf } from '../objects/times.ts';

export type JobStatus = NonNullable<Job['status']>;
export type JobCondition = NonNullable<JobStatus['conditions']>[number];

/** The finalizer that keeps a Pod until its Job has counted it. */
export const TRACKING = 'batch.kubernetes.io/job-tracking';
/** The annotation and the label of a Pod of an indexed Job. */
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';

/** The true condition of a type. */
export function jobCondition(
  status: JobStatus | undefined,
  type: string,
): JobCondition | undefined {
  return status?.conditions?.find((each) => each.type === type && each.status === 'True');
}

/** The condition with which a Job has ended. */
export function finishedCondition({ status }: Job): JobCondition | undefined {
  return jobCondition(status, 'Complete') ?? jobCondition(status, 'Failed');
}

/** True if the Job waits until `suspend` is taken back. */
export function isSuspended({ spec }: Job): boolean {
  return spec?.suspend === true;
}

/** True if each Pod of the Job has a number of its own. */
export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === 'Indexed';
}

/** True if the Job has not counted the Pod yet. */
export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING) === true;
}

/** True if the Pod counts as a failure. A deletion counts at once, unless the Job waits for the end. */
export function isPodFailed(pod: Pod, { spec }: Job): boolean {
  if (pod.status?.phase === 'Failed') return true;
  if (spec?.podReplacementPolicy === 'Failed') return false;
  return pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== 'Succeeded';
}

/** The time at which a Pod ended, in milliseconds. */
export function endOf({ metadata, status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) =>
    millisecondsOf(state?.terminated?.finishedAt),
  );
  const end = Math.max(0, ...ends);
  return end > 0 ? end : millisecondsOf(metadata.deletionTimestamp ?? metadata.creationTimestamp);
}

/** The number of a Pod of an indexed Job; -1 without one. */
export function indexOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[COMPLETION_INDEX];
  return text === undefined || !/^\d+$/.test(text) ? -1 : Number(text);
}
