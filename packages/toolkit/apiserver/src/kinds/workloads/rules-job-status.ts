import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  jsonEquals,
  type JsonObject,
  required,
} from '@keelson/structural-schema';
import { atLeastZero } from '../../schema/validation-rule.ts';

/** The new status of a Job with the stored one. */
interface JobChange {
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly before: JsonObject;
}

const conditions: FieldPath = 'status.conditions';

/**
 * Validates the status of a Job. A rule about two fields applies only if one of them changes. A status that is
 * already invalid therefore does not block other updates of a controller.
 */
export function validateJobStatus(job: JsonObject, old: JsonObject): StatusCause[] {
  const change: JobChange = {
    spec: objectAt(job, 'spec'),
    status: objectAt(job, 'status'),
    before: objectAt(old, 'status'),
  };
  return [
    ...atLeastZero(
      change.status,
      'status',
      'active',
      'succeeded',
      'failed',
      'ready',
      'terminating',
    ),
    ...validateUncounted(objectAt(change.status, 'uncountedTerminatedPods')),
    ...validateCompletion(change),
    ...validateReasons(change),
    ...validateFinished(change),
    ...validateIndexes(change),
    ...validatePodCounts(change),
    ...validateSuccess(change),
    ...validateProgress(change),
  ];
}

function validateUncounted(pods: JsonObject): StatusCause[] {
  const seen = new Set<string>();
  return ['succeeded', 'failed'].flatMap((list) =>
    textsAt(pods, list).flatMap((uid, index) => {
      const path = indexPath(`status.uncountedTerminatedPods.${list}`, index);
      if (uid === '') return [invalid(path, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(path, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

/** The condition Complete requires a completion time and excludes the conditions of a failure. */
function validateCompletion({ status, before }: JobChange): StatusCause[] {
  const completeChanged = isTrue(status, 'Complete') !== isTrue(before, 'Complete');
  const changed = (type: string): boolean => isTrue(status, type) !== isTrue(before, type);
  const isComplete = isTrue(status, 'Complete');
  const timeChanged = !jsonEquals(status.completionTime, before.completionTime);
  const startChanged = !jsonEquals(status.startTime, before.startTime);
  const field = 'status.completionTime';
  const time = status.completionTime;
  const opposites = ['Failed', 'FailureTarget'].filter(
    (type) => isComplete && isTrue(status, type) && (completeChanged || changed(type)),
  );
  const early = timeOf(time) < timeOf(status.startTime);
  return [
    ...opposites.map((type) => impossible(`cannot set Complete=True and ${type}=true conditions`)),
    ...(time !== undefined && !isComplete && (completeChanged || timeChanged)
      ? [invalid(field, time, 'cannot set completionTime when there is no Complete=True condition')]
      : []),
    ...(time === undefined && isComplete && (completeChanged || timeChanged)
      ? [required(field, 'completionTime is required for Complete jobs')]
      : []),
    ...(early && (startChanged || timeChanged)
      ? [invalid(field, time, 'must be equal to or after `startTime`')]
      : []),
  ];
}

/** A Job cannot finish before the condition that names the reason. */
function validateReasons({ status, before }: JobChange): StatusCause[] {
  const changed = (type: string): boolean => isTrue(status, type) !== isTrue(before, type);
  const indexesChanged = !jsonEquals(status.failedIndexes, before.failedIndexes);
  const failed = isTrue(status, 'Failed') && !isTrue(status, 'FailureTarget');
  const complete = isTrue(status, 'Complete') && !isTrue(status, 'SuccessCriteriaMet');
  return [
    ...(failed && (changed('Failed') || indexesChanged)
      ? [impossible('cannot set Failed=True condition without the FailureTarget=true condition')]
      : []),
    ...(complete && (changed('Complete') || changed('SuccessCriteriaMet'))
      ? [
          impossible(
            'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
          ),
        ]
      : []),
  ];
}

function validateFinished({ spec, status, before }: JobChange): StatusCause[] {
  if (!isFinished(status)) return [];
  const ended = !isFinished(before);
  const changed = (field: string): boolean => ended || !jsonEquals(status[field], before[field]);
  const pods = objectAt(status, 'uncountedTerminatedPods');
  const uncounted = textsAt(pods, 'succeeded').length + textsAt(pods, 'failed').length;
  const neverRan = spec.suspend === true && spec.completions === 0;
  return [
    ...(Number(status.active ?? 0) > 0 && changed('active')
      ? [invalid('status.active', status.active, 'active>0 is invalid for finished job')]
      : []),
    ...(status.startTime === undefined && changed('startTime') && !neverRan
      ? [required('status.startTime', 'startTime is required for finished job')]
      : []),
    ...(uncounted > 0 && changed('uncountedTerminatedPods')
      ? [
          invalid(
            'status.uncountedTerminatedPods',
            // kube-apiserver prints its internal struct, whose members have other names.
            { Succeeded: pods.succeeded ?? null, Failed: pods.failed ?? null },
            'must be empty for finished job',
          ),
        ]
      : []),
  ];
}

function validateIndexes({ spec, status, before }: JobChange): StatusCause[] {
  const isIndexed = spec.completionMode === 'Indexed';
  const completed = textAt(status, 'completedIndexes');
  const failedChanged = !jsonEquals(status.failedIndexes, before.failedIndexes);
  return [
    ...(completed !== '' && !isIndexed && completed !== textAt(before, 'completedIndexes')
      ? [
          invalid(
            'status.completedIndexes',
            completed,
            'cannot set non-empty completedIndexes when non-indexed completion mode',
          ),
        ]
      : []),
    ...(status.failedIndexes !== undefined &&
    spec.backoffLimitPerIndex === undefined &&
    failedChanged
      ? [
          invalid(
            'status.failedIndexes',
            status.failedIndexes,
            'cannot set non-null failedIndexes when backoffLimitPerIndex is null',
          ),
        ]
      : []),
  ];
}

function validatePodCounts({ status, before }: JobChange): StatusCause[] {
  const changed = (field: string): boolean => !jsonEquals(status[field], before[field]);
  const endedNow = isFinished(status) && !isFinished(before);
  const terminating = Number(status.terminating ?? 0) > 0 && isFinished(status);
  const { ready } = status;
  const tooManyReady = ready !== undefined && Number(ready) > Number(status.active ?? 0);
  return [
    ...(terminating && (endedNow || changed('terminating'))
      ? [
          invalid(
            'status.terminating',
            status.terminating,
            'terminating>0 is invalid for finished job',
          ),
        ]
      : []),
    ...(tooManyReady && (changed('ready') || changed('active'))
      ? [invalid('status.ready', status.ready, 'cannot set more ready pods than active')]
      : []),
  ];
}

function validateSuccess({ spec, status }: JobChange): StatusCause[] {
  const met = isTrue(status, 'SuccessCriteriaMet');
  const opposites = ['Failed', 'FailureTarget'].filter((type) => met && isTrue(status, type));
  const detail =
    'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True';
  return [
    ...opposites.map((type) =>
      impossible(`cannot set SuccessCriteriaMet=True and ${type}=true conditions`),
    ),
    ...(spec.successPolicy !== undefined && !met && isTrue(status, 'Complete')
      ? [impossible(detail)]
      : []),
  ];
}

/** Terminal conditions stay true, and counters do not decrease. */
function validateProgress({ spec, status, before }: JobChange): StatusCause[] {
  const terminal = ['Failed', 'Complete', 'FailureTarget'];
  const disabled = terminal.filter((type) => isTrue(before, type) && !isTrue(status, type));
  const mayShrink =
    spec.completionMode === 'Indexed' && jsonEquals(spec.completions, spec.parallelism);
  const counters = mayShrink ? ['failed'] : ['failed', 'succeeded'];
  const fewer = counters.filter((field) => Number(status[field] ?? 0) < Number(before[field] ?? 0));
  return [
    ...disabled.map((type) => impossible(`cannot disable the terminal ${type}=True condition`)),
    ...fewer.map((field) =>
      invalid(
        childPath('status', field),
        status[field] ?? 0,
        `cannot decrease the ${field} counter`,
      ),
    ),
    ...validateTimes({ spec, status, before }),
    ...validateMet(status, before),
  ];
}

function validateTimes({ spec, status, before }: JobChange): StatusCause[] {
  const { completionTime, startTime } = status;
  const ended = completionTime !== undefined && before.completionTime !== undefined;
  const resumes = isTrue(before, 'Suspended') && conditionOf(status, 'Suspended') === 'False';
  const restarted = before.startTime !== undefined && !jsonEquals(startTime, before.startTime);
  return [
    ...(ended && !jsonEquals(completionTime, before.completionTime)
      ? [invalid('status.completionTime', completionTime, 'field is immutable')]
      : []),
    ...(restarted && spec.suspend !== true && !resumes
      ? [invalid('status.startTime', startTime, 'field is immutable for unsuspended job once set')]
      : []),
  ];
}

function validateMet(status: JsonObject, before: JsonObject): StatusCause[] {
  const type = 'SuccessCriteriaMet';
  const [met, was] = [isTrue(status, type), isTrue(before, type)];
  const detail = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
  return [
    ...(was && !met ? [impossible('cannot disable the SuccessCriteriaMet=True condition')] : []),
    ...(isTrue(before, 'Complete') && !was && met ? [impossible(detail)] : []),
  ];
}

function isFinished(status: JsonObject): boolean {
  return isTrue(status, 'Complete') || isTrue(status, 'Failed');
}

function isTrue(status: JsonObject, type: string): boolean {
  return objectsAt(status, 'conditions').some(
    (condition) => condition.type === type && condition.status === 'True',
  );
}

function conditionOf(status: JsonObject, type: string): unknown {
  return objectsAt(status, 'conditions').find((condition) => condition.type === type)?.status;
}

function timeOf(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}

/** A cause without a value, as in kube-apiserver. */
function impossible(detail: string): StatusCause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${detail}`, field: conditions };
}
