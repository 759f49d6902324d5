import { objectAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  type FieldPath,
  invalid,
  type JsonObject,
  notSupported,
} from '@keelson/structural-schema';
import { scheduleError } from './cron-schedule.ts';
import { isTimeZone } from './time-zone.ts';
import {
  atLeastZero,
  type FieldValidator,
  type OrderedRules,
} from '../../schema/validation-rule.ts';

/** Ordered validation rules of CronJobs and their Job templates. */
export const cronJobOrders: OrderedRules = {
  'batch.v1.CronJobSpec': validateCronJob,
  'batch.v1.JobTemplateSpec': (template, path, fields) => [
    ...fields.validate('spec'),
    ...hasNoSelector(objectAt(template, 'spec'), childPath(path, 'spec')),
  ],
};

function validateCronJob(spec: JsonObject, path: FieldPath, fields: FieldValidator): StatusCause[] {
  return [
    ...fields.validate('schedule'),
    ...validateSchedule(textAt(spec, 'schedule'), childPath(path, 'schedule')),
    ...atLeastZero(spec, path, 'startingDeadlineSeconds'),
    ...validateTimeZone(spec.timeZone, childPath(path, 'timeZone')),
    ...fields.validate('concurrencyPolicy', 'jobTemplate'),
    ...atLeastZero(spec, path, 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'),
  ];
}

/** A Job template has no selector: kube-apiserver generates one for each Job. */
function hasNoSelector({ selector, manualSelector }: JsonObject, path: FieldPath): StatusCause[] {
  const allowed = ['nil', 'false'];
  return [
    ...(selector === undefined
      ? []
      : [invalid(childPath(path, 'selector'), selector, '`selector` will be auto-generated')]),
    ...(manualSelector === true
      ? [notSupported(childPath(path, 'manualSelector'), true, allowed)]
      : []),
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
  const explicit =
    'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  return [
    ...(zone.toLowerCase() === 'local' ? [invalid(path, zone, explicit)] : []),
    ...(zone === 'Local' || isTimeZone(zone)
      ? []
      : [invalid(path, zone, `unknown time zone ${zone}`)]),
  ];
}
