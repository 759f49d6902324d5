import type { StatusCause } from '@keelson/apimachinery';
import type { JsonObject } from '../patch/json-value.ts';
import { scheduleError } from './cron-schedule.ts';
import { objectAt, objectsAt, textAt } from './default-rule.ts';
import { invalid, notSupported, required } from './field-error.ts';
import { childPath, type FieldPath, indexPath } from './field-path.ts';
import { validateLabelSelector } from './rules-selector.ts';
import { atLeastZero, type ValidationRules } from './validation-rule.ts';

/** What the server adds to the selector and the template of a Job. */
const uidLabel = 'batch.kubernetes.io/controller-uid';
const completionModes = ['NonIndexed', 'Indexed'];

/** What makes Jobs and CronJobs unacceptable, beyond their pod template. */
export const jobRules: ValidationRules = {
  'batch.v1.Job': (job) => validateJobSelector(job),
  'batch.v1.JobSpec': validateJobSpec,
  'batch.v1.CronJobSpec': validateCronJobSpec,
};

/** What is told after the pod template. */
export const lastJobRules: ValidationRules = { 'batch.v1.JobSpec': endsSomeTime };

/** The selector is the server's, unless the Job says that it brings its own. */
function validateJobSelector(job: JsonObject): StatusCause[] {
  const spec = objectAt(job, 'spec');
  const selector = objectAt(spec, 'selector');
  const labels = objectAt(objectAt(spec, 'template'), 'metadata').labels;
  const wanted = objectAt(selector, 'matchLabels');
  const given = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
  const uid = objectAt(job, 'metadata').uid;
  // Before the registry completed it, a new Job has no uid and no selector yet.
  const isComplete = spec.selector !== undefined && uid !== undefined;
  const isManual = spec.manualSelector === true;
  const generated = isManual || !isComplete || Object.keys(wanted).join() === uidLabel;
  const matches = Object.keys(wanted).every((key) => given[key] === wanted[key]);
  const isMissing = isManual && spec.selector === undefined;
  return [
    ...(isMissing ? [required('spec.selector')] : []),
    ...(generated ? [] : [invalid('spec.selector', selector, '`selector` not auto-generated')]),
    ...(matches && !isMissing
      ? []
      : [
          invalid(
            'spec.template.metadata.labels',
            labels ?? null,
            '`selector` does not match template `labels`',
          ),
        ]),
  ];
}

function validateJobSpec(spec: JsonObject, path: FieldPath): StatusCause[] {
  const counts = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit'];
  const later = ['ttlSecondsAfterFinished', 'backoffLimitPerIndex', 'maxFailedIndexes'];
  return [
    ...atLeastZero(spec, path, ...counts, ...later),
    ...validateLabelSelector(objectAt(spec, 'selector'), childPath(path, 'selector')),
    ...validateCompletionMode(spec, path),
    ...validateIndexLimits(spec, path),
    ...objectsAt(objectAt(spec, 'podFailurePolicy'), 'rules').flatMap((rule, index) =>
      validateFailureRule(rule, indexPath(childPath(path, 'podFailurePolicy.rules'), index)),
    ),
  ];
}

function validateCompletionMode(spec: JsonObject, path: FieldPath): StatusCause[] {
  const mode = textAt(spec, 'completionMode', 'NonIndexed');
  if (!completionModes.includes(mode)) {
    return [notSupported(childPath(path, 'completionMode'), mode, completionModes)];
  }
  if (mode !== 'Indexed' || typeof spec.completions === 'number') return [];
  return [required(childPath(path, 'completions'), 'when completion mode is Indexed')];
}

function validateIndexLimits(spec: JsonObject, path: FieldPath): StatusCause[] {
  if (spec.completionMode === 'Indexed') return [];
  const detail = 'requires indexed completion mode';
  const field = childPath(path, 'backoffLimitPerIndex');
  const perIndex = spec.backoffLimitPerIndex;
  const isMissing = spec.maxFailedIndexes !== undefined && perIndex === undefined;
  return [
    ...(isMissing ? [required(field, 'when maxFailedIndexes is specified')] : []),
    ...(perIndex === undefined ? [] : [invalid(field, perIndex, detail)]),
    ...(spec.maxFailedIndexes === undefined
      ? []
      : [invalid(childPath(path, 'maxFailedIndexes'), spec.maxFailedIndexes, detail)]),
  ];
}

function validateFailureRule(rule: JsonObject, path: FieldPath): StatusCause[] {
  const hasCodes = rule.onExitCodes !== undefined;
  const hasConditions = objectsAt(rule, 'onPodConditions').length > 0;
  if (hasCodes !== hasConditions) return [];
  const problem = hasCodes
    ? 'specifying both OnExitCodes and OnPodConditions is not supported'
    : 'specifying one of OnExitCodes and OnPodConditions is required';
  // The server quotes no value here.
  return [{ reason: 'FieldValueInvalid', message: `Invalid value: ${problem}`, field: path }];
}

function endsSomeTime(spec: JsonObject, path: FieldPath): StatusCause[] {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  if (policy === 'OnFailure' || policy === 'Never') return [];
  const field = childPath(path, 'template.spec.restartPolicy');
  return [required(field, 'valid values: "OnFailure", "Never"')];
}

function validateCronJobSpec(spec: JsonObject, path: FieldPath): StatusCause[] {
  const template = objectAt(objectAt(spec, 'jobTemplate'), 'spec');
  const templatePath = childPath(path, 'jobTemplate.spec');
  const limits = ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'];
  return [
    ...validateSchedule(textAt(spec, 'schedule'), childPath(path, 'schedule')),
    ...atLeastZero(spec, path, 'startingDeadlineSeconds'),
    ...validateTimeZone(spec.timeZone, childPath(path, 'timeZone')),
    ...atLeastZero(spec, path, ...limits),
    ...(template.manualSelector === true
      ? [notSupported(childPath(templatePath, 'manualSelector'), true, ['nil', 'false'])]
      : []),
    ...(template.selector === undefined
      ? []
      : [
          invalid(
            childPath(templatePath, 'selector'),
            template.selector,
            '`selector` will be auto-generated',
          ),
        ]),
  ];
}

function validateSchedule(schedule: string, path: FieldPath): StatusCause[] {
  if (schedule === '') return [];
  const reason = scheduleError(withoutZone(schedule));
  const zone = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  return [
    ...(reason === undefined ? [] : [invalid(path, schedule, reason)]),
    ...(schedule.includes('TZ') ? [invalid(path, schedule, zone)] : []),
  ];
}

function withoutZone(schedule: string): string {
  return schedule.replace(/^(CRON_)?TZ=\S+ +/, '');
}

function validateTimeZone(zone: unknown, path: FieldPath): StatusCause[] {
  if (typeof zone !== 'string') return [];
  if (zone === '') return [invalid(path, zone, 'timeZone must be nil or non-empty string')];
  if (zone.toLowerCase() === 'local') {
    const detail =
      'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [invalid(path, zone, detail)];
  }
  return isTimeZone(zone) ? [] : [invalid(path, zone, `unknown time zone ${zone}`)];
}

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    // The only error is a RangeError for a zone that is not known.
    return false;
  }
}
