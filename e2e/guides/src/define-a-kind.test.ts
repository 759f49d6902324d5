import { describe, expect, jest, test } from '@jest/globals';
import type { Cached, InputOf, ObjectOf } from '@keelson/apimachinery';
import { defineKind, InvalidObjectError } from '@keelson/schema';
import * as z from 'zod';

describe('docs/guides/define-a-kind.md', () => {
  test('the kind of zod has the type, the CRD and the rules of the guide', () => {
    expect(describeBackup(sample)).toBe('nightly: 2 volumes');
    expect(JSON.stringify(backups.crd)).toContain('"x-kubernetes-list-type":"map"');
    const spec = { ...sample.spec, target: { type: 'bucket' } };
    expect(() => backups.parse({ ...sample, spec })).toThrow(/url is required|is required if type/);
  });

  test('the literal has the same type', () => {
    const spec: InputOf<typeof schedules.resource>['spec'] = { from: 1, to: 2 };
    expect(schedules.parse({ metadata: { name: 'a' }, spec }).spec).toEqual({
      ...spec,
      zone: 'UTC',
    });
    const old = { metadata: { name: 'a' }, spec: { from: 1, to: 2, zone: 'CET' } };
    expect(() => schedules.parse({ metadata: { name: 'a' }, spec }, { old })).toThrow(/immutable/);
  });

  test('a file is read with every error', () => {
    const print = jest.fn<(line: string) => void>();
    expect(readBackup(JSON.stringify(sample), print)?.spec.keep).toBe(7);
    expect(readBackup('{"metadata":{"name":"a"},"spec":{"keep":0,"colour":"red"}}', print)).toBe(
      undefined,
    );
    expect(print.mock.calls.flat()).toEqual([
      'spec.colour: Forbidden: unknown field',
      'spec.keep: Invalid value: 0: spec.keep in body should be greater than or equal to 1',
      'spec.volumes: Required value',
      'spec.target: Required value',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });
});

const sample: Cached<Backup> = {
  metadata: {
    namespace: 'default',
    name: 'nightly',
    uid: '5a3c',
    resourceVersion: '1',
    creationTimestamp: '2026-11-21T10:00:00Z',
  },
  spec: { keep: 7, volumes: [{ name: 'a' }, { name: 'b' }], target: { type: 'local' } },
};

// #region define
const volumes = z
  .array(z.object({ name: z.string().max(63), path: z.string().optional() }))
  .max(32)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] });

const target = z.discriminatedUnion('type', [
  z.object({ type: z.literal('local') }),
  z.object({
    type: z.literal('bucket'),
    url: z
      .string()
      .regex(/^https:\/\/[!-~]+$/)
      .max(255),
  }),
]);

const backups = defineKind({
  group: 'ops.example.com',
  version: 'v1',
  kind: 'Backup',
  plural: 'backups',
  shortNames: ['bk'],
  spec: z.object({ keep: z.int().min(1).default(7), volumes, target }),
  status: z.object({ lastRun: z.iso.datetime().optional() }),
  printColumns: [{ name: 'Keep', type: 'integer', jsonPath: '.spec.keep' }],
});

type Backup = ObjectOf<typeof backups.resource>;

function describeBackup({ metadata, spec }: Cached<Backup>): string {
  return `${metadata.name}: ${spec.volumes.length} volumes`;
}
// #endregion

// #region literal
const schedules = defineKind({
  group: 'ops.example.com',
  version: 'v1',
  kind: 'Schedule',
  plural: 'schedules',
  spec: {
    type: 'object',
    required: ['from', 'to'],
    properties: {
      from: { type: 'integer', minimum: 0, maximum: 23 },
      to: { type: 'integer', minimum: 0, maximum: 23 },
      zone: {
        type: 'string',
        maxLength: 64,
        default: 'UTC',
        'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'zone is immutable' }],
      },
    },
    'x-kubernetes-validations': [
      { rule: 'self.from < self.to', message: 'from must be before to', fieldPath: '.from' },
    ],
  },
});
// #endregion

// #region parse
function readBackup(text: string, print: (line: string) => void): Backup | undefined {
  try {
    return backups.parse(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof InvalidObjectError)) throw error;
    for (const { field, message } of error.causes) print(`${field}: ${message}`);
    return undefined;
  }
}
// #endregion
