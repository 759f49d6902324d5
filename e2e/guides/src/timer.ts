// #region kind
import { defineKind } from '@keelson/schema';

const v1 = {
  spec: {
    type: 'object',
    required: ['seconds'],
    properties: {
      seconds: { type: 'integer', minimum: 1, maximum: 59_940 },
      note: { type: 'string' },
    },
  },
} as const;

const v1beta1 = {
  deprecated: true,
  spec: {
    type: 'object',
    required: ['every'],
    properties: { every: { type: 'string', pattern: '^[1-9][0-9]{0,2}[sm]$' } },
  },
} as const;

export const timers = defineKind({
  group: 'ops.example.com',
  kind: 'Timer',
  plural: 'timers',
  versions: { v1, v1beta1 },
  convert: {
    hub: 'v1',
    from: {
      v1beta1({ spec: { every } }) {
        const count = Number.parseInt(every, 10);
        return { spec: { seconds: every.endsWith('m') ? count * 60 : count } };
      },
    },
    to: {
      v1beta1: ({ spec: { seconds } }) => ({
        spec: { every: seconds < 1000 ? `${seconds}s` : `${Math.round(seconds / 60)}m` },
      }),
    },
    keep: { annotation: 'ops.example.com/kept-fields' },
  },
});

export const Timer = timers.resource; // by its name `keelson add controller Timer` finds the kind
// #endregion
