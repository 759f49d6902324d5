import { jsonEquals, type JsonSchema } from '@keelson/structural-schema';
import type { CustomResourceDefinition } from '../kind/single-kind.ts';
import { compareSchemas } from './compare-schemas.ts';
import { surprises, type CrdChange } from './crd-change.ts';

/** One entry of `spec.versions`. */
export type CrdVersion = CustomResourceDefinition['spec']['versions'][number];

/** Lists the changes of one version that break stored objects or clients. */
export function compareVersion(before: CrdVersion, after: CrdVersion): CrdChange[] {
  const { name: version } = before;
  const changes = [
    ...(before.served && !after.served ? [['served', 'is not served any more'] as const] : []),
    ...subresourceChanges(before, after),
    ...fieldChanges(before, after),
  ];
  return [
    ...changes.map(([path, reason]) => ({ version, path, reason, ...surprises })),
    ...compareSchemas(schemaOf(before), schemaOf(after)).map((change) => ({ version, ...change })),
  ];
}

type Change = readonly [path: string, reason: string];

function subresourceChanges(
  { subresources: before = {} }: CrdVersion,
  { subresources: after = {} }: CrdVersion,
): Change[] {
  const changes: Change[] = [];
  if (before.status !== undefined && after.status === undefined) {
    changes.push(['subresources.status', 'removed: requests to /status fail']);
  }
  if (before.status === undefined && after.status !== undefined) {
    changes.push(['subresources.status', 'added: requests to the object do not change its status']);
  }
  if (before.scale !== undefined && !jsonEquals(before.scale, after.scale)) {
    const reason = after.scale === undefined ? 'removed: requests to /scale fail' : 'changed';
    changes.push(['subresources.scale', reason]);
  }
  return changes;
}

function fieldChanges(before: CrdVersion, after: CrdVersion): Change[] {
  const paths = new Set(after.selectableFields?.map(({ jsonPath }) => jsonPath));
  return (before.selectableFields ?? [])
    .filter(({ jsonPath }) => !paths.has(jsonPath))
    .map(({ jsonPath }) => ['selectableFields', `removed: ${jsonPath}`]);
}

/** The schema of a version; a version without one keeps every value. */
export function schemaOf({ schema }: CrdVersion): JsonSchema {
  return (schema?.openAPIV3Schema ?? {
    'x-kubernetes-preserve-unknown-fields': true,
  }) as JsonSchema;
}
