import { describe, expect, test } from '@jest/globals';
import {
  type KubernetesObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type Status,
  StatusError,
} from '@keelson/apimachinery';
import type { JsonObject, JsonSchema, JsonValue } from '@keelson/structural-schema';
import { mergePatch } from '../patch/merge-patch.ts';
import { crdKindSchema } from '../crd/crd-kind-schema.ts';
import type { KindSchema } from '../schema/kind-schema.ts';
import { readFixture, schemaOf } from '../kinds/recorded.test-support.ts';
import { applyConfiguration } from './apply-configuration.ts';
import { recordUpdate } from './record-update.ts';

type Stored = KubernetesObject & {
  spec?: { clusterIP?: string };
  status?: JsonValue;
};

interface Step {
  verb: 'create' | 'merge' | 'apply';
  manager: string;
  force?: boolean;
  subresource?: 'status';
  body: JsonObject;
  response: Stored | Status;
}

interface Story {
  name: string;
  apiVersion: string;
  kind: string;
  steps: Step[];
}

const stories = readFixture('stories.json') as Story[];
const gadgetSchema = readFixture('gadget-schema.json') as JsonSchema;

// The steps and responses are recorded from kube-apiserver 1.36.3. Here the same writes must result in the same
// objects with the same owners.
describe('ownership', () => {
  test.each(stories)('equals that of a real server: $name', ({ apiVersion, kind, steps }) => {
    const schema = kindSchema(apiVersion, kind);
    let live: Stored | undefined;
    for (const [index, step] of steps.entries()) {
      const before = live;
      const now = `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`;
      const response = resultOf(() => take(step, schema, { apiVersion, kind, now, live: before }));
      expect({ step: index, ...comparable(response) }).toEqual({
        step: index,
        ...comparable(step.response),
      });
      if (response.kind !== 'Status') live = response;
    }
  });
});

interface Situation {
  apiVersion: string;
  kind: string;
  now: string;
  live: Stored | undefined;
}

function take(step: Step, schema: KindSchema, situation: Situation): Stored {
  const { apiVersion, kind, live, now } = situation;
  const metadata = { ...(step.body.metadata as JsonObject | undefined), name: 'story' };
  const sent = { apiVersion, kind, ...step.body, metadata } as KubernetesObject;
  const write = { type: schema.type, apiVersion, now, manager: step.manager };
  const through = step.subresource === undefined ? {} : { subresource: step.subresource };
  if (step.verb === 'apply') {
    const force = step.force === true;
    const applied = applyConfiguration({ ...write, ...through, live, applied: sent, force });
    return complete(applied, schema, step, live);
  }
  const after =
    step.verb === 'create' ? sent : (mergePatch(live as JsonObject, step.body) as KubernetesObject);
  const completed = complete(after, schema, step, live);
  const managedFields = recordUpdate({ ...write, ...through, before: live, after: completed });
  return { ...completed, metadata: { ...completed.metadata, managedFields } };
}

/** Prepares an object as a server does before it stores it. */
function complete(
  object: KubernetesObject,
  schema: KindSchema,
  { subresource, response }: Step,
  live: Stored | undefined,
): Stored {
  const completed = structuredClone(object) as Stored;
  schema.prune(completed);
  schema.decode(completed);
  schema.setDefaults(completed);
  if (live === undefined) {
    schema.prepareForCreate(completed, {
      now: '',
      allocateClusterIp: () => (response as Stored).spec?.clusterIP ?? '',
      allocateNodePort: () => 0,
    });
  } else if (subresource === undefined && live.status !== undefined) {
    completed.status = live.status;
  }
  const [cause] = schema.validate(completed, live);
  if (cause === undefined) return completed;
  const message = `${completed.kind} "story" is invalid: ${cause.field}: ${cause.message}`;
  throw new StatusError({ kind: 'Status', code: 422, message });
}

function resultOf(action: () => Stored): Stored | Status {
  try {
    return action();
  } catch (error) {
    if (error instanceof StatusError) return { kind: 'Status', ...error.status };
    throw error;
  }
}

/**
 * The parts on which both servers must agree: no times, versions or uids; entries of the same second in any order.
 */
function comparable(response: Stored | Status): object {
  if (response.kind === 'Status') {
    const { code, message, details } = response as Status;
    return { code, message, ...(code === 409 && { causes: details?.causes }) };
  }
  const { labels, annotations, finalizers, managedFields = [] } = response.metadata as ObjectMeta;
  const managers = managedFields
    .map((entry) => withoutTime(entry))
    .toSorted((left, right) => (idOf(left) < idOf(right) ? -1 : 1));
  return { ...response, metadata: { labels, annotations, finalizers }, managers };
}

function withoutTime(entry: ManagedFieldsEntry): ManagedFieldsEntry {
  const copy = { ...entry };
  delete copy.time;
  return copy;
}

function idOf({ operation, manager, subresource }: ManagedFieldsEntry): string {
  return `${operation} ${manager} ${subresource}`;
}

function kindSchema(apiVersion: string, kind: string): KindSchema {
  if (kind !== 'Gadget') return schemaOf({ apiVersion, kind });
  const [group = '', version = ''] = apiVersion.split('/');
  return crdKindSchema({ group, version, kind, schema: gadgetSchema, hasStatus: true });
}
