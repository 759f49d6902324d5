import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { type KubernetesObject, type Status, StatusError } from '@keelson/apimachinery';
import { builtinKindSchema } from '../schema/builtin-kind-schema.ts';
import type { JsonObject, JsonValue } from './json-value.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

interface Recorded {
  before: KubernetesObject;
  patches: { name: string; patch: JsonObject; after: KubernetesObject & Status }[];
}

const recorded = JSON.parse(
  readFileSync(new URL('../../data/fixtures/patched.json', import.meta.url), 'utf8'),
) as Recorded;

const schema = deploymentSchema();

describe('strategicMergePatch', () => {
  test.each(recorded.patches.filter(({ after }) => after.kind !== 'Status'))(
    '$name as a real server does',
    ({ patch, after }) => {
      const patched = strategicMergePatch(schema.type, recorded.before as JsonObject, patch);
      schema.decode(patched);
      schema.setDefaults(patched);
      expect(withoutServerMetadata(patched)).toEqual(withoutServerMetadata(after));
    },
  );

  test.each(recorded.patches.filter(({ after }) => after.kind === 'Status'))(
    'refuses a patch: $name',
    ({ patch, after }) => {
      const status = catchStatus(() =>
        strategicMergePatch(schema.type, recorded.before as JsonObject, patch),
      );
      expect(status).toMatchObject({ code: after.code, message: after.message });
    },
  );

  test.each([[[]], [1], ['x']] as JsonValue[][])('the body %j is no patch: 400', (body) => {
    const status = catchStatus(() => strategicMergePatch(schema.type, {}, body));
    expect(status).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  test('the target is not changed', () => {
    const before = structuredClone(recorded.before);
    strategicMergePatch(schema.type, recorded.before as JsonObject, {
      metadata: { labels: { x: null }, finalizers: ['n.io/n'] },
    });
    expect(recorded.before).toEqual(before);
  });
});

function deploymentSchema(): NonNullable<ReturnType<typeof builtinKindSchema>> {
  const found = builtinKindSchema({ group: 'apps', version: 'v1', kind: 'Deployment' });
  if (found === undefined) throw new Error('no schema of Deployment');
  return found;
}

function withoutServerMetadata(object: KubernetesObject): KubernetesObject {
  const { name, labels, finalizers } = object.metadata ?? {};
  return {
    ...object,
    metadata: { name, labels, finalizers } as KubernetesObject['metadata'] & object,
  };
}

function catchStatus(action: () => void): Status | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
}
