import type { ObjectOf } from '@keelson/manager';
import { defineKind } from '@keelson/schema';

const strings = { type: 'object', additionalProperties: { type: 'string' } } as const;
const text = { type: 'string' } as const;
const date = { type: 'string', format: 'date-time' } as const;
const count = { type: 'integer', minimum: 0 } as const;

/** Runs a Job at the times of a schedule. */
export const cronJobs = defineKind({
  group: 'examples.keelson.dev',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  spec: {
    type: 'object',
    required: ['schedule', 'jobTemplate'],
    properties: {
      schedule: { type: 'string', description: 'Five fields of cron, such as "0 * * * *".' },
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
    },
  },
  status: {
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
  },
  printColumns: [
    { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
    { name: 'Last run', type: 'date', jsonPath: '.status.lastScheduleTime' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export const CronJob = cronJobs.resource;
export type CronJob = ObjectOf<typeof CronJob>;
