import { deny, type Manager } from '@keelson/manager';
import { CronJob, cronJobs } from './custom-resource.ts';
import { timesOf } from './schedule.ts';

/** The name of a Job has 11 characters more than that of its CronJob, and a label has at most 63. */
const MAX_NAME_LENGTH = 52;

/** Adds the two webhooks of the tutorial, and the conversion of its second version. */
export function addWebhooks(manager: Manager): void {
  // #region webhooks
  manager.addWebhook({
    name: 'cronjob-defaults',
    resource: CronJob,
    mutate({ object: { spec } }) {
      spec.suspend ??= false;
      spec.successfulJobsHistoryLimit ??= 3;
      spec.failedJobsHistoryLimit ??= 1;
    },
  });
  manager.addWebhook({
    name: 'cronjob',
    resource: CronJob,
    validate({ object: { metadata, spec } }) {
      const now = Date.now();
      const causes = [];
      if ((metadata?.name ?? '').length > MAX_NAME_LENGTH) {
        const message = `must be no more than ${MAX_NAME_LENGTH} characters`;
        causes.push({ field: 'metadata.name', reason: 'FieldValueInvalid', message });
      }
      const { problem } = timesOf(spec.schedule, now, now);
      if (problem?.reason === 'InvalidSchedule') {
        const { message } = problem;
        causes.push({ field: 'spec.schedule', reason: 'FieldValueInvalid', message });
      }
      const text = causes.map(({ field, message }) => `${field}: ${message}`).join(', ');
      return causes.length > 0 ? deny(text, { causes }) : undefined;
    },
  });
  manager.addConversion(cronJobs);
  // #endregion
}
