import type { ObjectOf } from '@keelson/manager';
import { defineKind } from '@keelson/schema';
import { scheduleOf, textOf } from './conversion.ts';

const strings = { type: 'object', additionalProperties: { type: 'string' } } as const;
const text = { type: 'string' } as const;
const date = { type: 'string', format: 'date-time' } as const;
const count = { type: 'integer', minimum: 0 } as const;

const properties = {
  startingDeadlineSeconds: {
    ...count,
    description: 'A start that is later than this is skipped. Default: no limit.',
  },
  concurrencyPolicy: {
    type: 'string',
    enum: ['Allow', 'Forbid', 'Replace'],
    default: 'Allow',
    description: 'With an active Job: start another one, wait for its end, or replace it.',
  },
  suspend: { type: 'boolean', description: 'Starts no further Jobs.' },
  jobTemplate: {
    type: 'object',
    required: ['spec'],
    properties: {
      metadata: { type: 'object', properties: { labels: strings, annotations: strings } },
      spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  },
  successfulJobsHistoryLimit: { ...count, description: 'Default: all are kept.' },
  failedJobsHistoryLimit: { ...count, description: 'Default: all are kept.' },
} as const;

const status = {
  type: 'object',
  properties: {
    active: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'object',
        properties: { apiVersion: text, kind: text, namespace: text, name: text, uid: text },
      },
    },
    lastScheduleTime: date,
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: {
        type: 'object',
        required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
        properties: {
          type: text,
          status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
          reason: text,
          message: text,
          lastTransitionTime: date,
          observedGeneration: { type: 'integer' },
        },
      },
    },
  },
} as const;

const lastRun = { name: 'Last run', type: 'date', jsonPath: '.status.lastScheduleTime' } as const;
const age = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' } as const;
const part = { type: 'string', description: 'Default: "*".' } as const;

/** Runs a Job at the times of a schedule. v2 has the fields of the schedule apart, as the multi-version tutorial. */
export const cronJobs = defineKind({
  group: 'examples.keelson.dev',
  kind: 'CronJob',
  plural: 'cronjobs',
  versions: {
    v1: {
      spec: {
        type: 'object',
        required: ['schedule', 'jobTemplate'],
        properties: {
          schedule: { type: 'string', description: 'Five fields of cron, such as "0 * * * *".' },
          ...properties,
        },
      },
      status,
      printColumns: [
        { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
        lastRun,
        age,
      ],
    },
    v2: {
      spec: {
        type: 'object',
        required: ['schedule', 'jobTemplate'],
        properties: {
          schedule: {
            type: 'object',
            properties: {
              minute: part,
              hour: part,
              dayOfMonth: part,
              month: part,
              dayOfWeek: part,
            },
          },
          ...properties,
        },
      },
      status,
      printColumns: [lastRun, age],
    },
  },
  // #region convert
  convert: {
    hub: 'v1',
    from: {
      v2: ({ spec: { schedule, ...spec }, ...others }) => ({
        ...others,
        spec: { ...spec, schedule: textOf(schedule) },
      }),
    },
    to: {
      v2: ({ spec: { schedule, ...spec }, ...others }) => ({
        ...others,
        spec: { ...spec, schedule: scheduleOf(schedule) },
      }),
    },
    keep: { annotation: 'examples.keelson.dev/kept-fields' }, // such as "@hourly"
  },
  // #endregion
});

export const CronJob = cronJobs.resource;
export type CronJob = ObjectOf<typeof CronJob>;
