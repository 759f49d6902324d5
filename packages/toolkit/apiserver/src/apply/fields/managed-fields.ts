import type { ManagedFieldsEntry } from '@keelson/apimachinery';
import { FieldSet } from './field-set.ts';
import { decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts';

/** Identifies a manager: one entry of `metadata.managedFields` without its fields and time. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
}

/** The fields that one manager owns. */
export interface ManagedSet extends ManagerIdentity {
  readonly fields: FieldSet;
  /** RFC 3339 in whole seconds; undefined if the entry has no time. */
  readonly time: string | undefined;
}

/** The managers of an object by `managerId`. */
export type Managers = ReadonlyMap<string, ManagedSet>;

const MAX_UPDATE_MANAGERS = 10;
const oldUpdatesManager = 'ancient-changes';

/** A key that is equal for two entries of one manager. The key of an applier does not include the version. */
export function managerId(identity: ManagerIdentity): string {
  const { manager, operation, subresource } = identity;
  const apiVersion = operation === 'Apply' ? '' : identity.apiVersion;
  return JSON.stringify([manager, operation, apiVersion, subresource]);
}

/** Decodes `metadata.managedFields`. If one entry is invalid, all are ignored, as in kube-apiserver. */
export function decodeManagers(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  const managers = new Map<string, ManagedSet>();
  try {
    for (const entry of entries ?? []) {
      const set = decodeEntry(entry);
      managers.set(managerId(set), set);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    managers.clear();
  }
  return managers;
}

/** Encodes `metadata.managedFields`: appliers first, then by time, manager, version and subresource. */
export function encodeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()]
    .filter((set) => !set.fields.isEmpty)
    .toSorted(compareSets)
    .map((set) => ({
      ...(set.manager !== '' && { manager: set.manager }),
      operation: set.operation,
      apiVersion: set.apiVersion,
      ...(set.time !== undefined && { time: set.time }),
      fieldsType: 'FieldsV1',
      fieldsV1: encodeFieldsV1(set.fields),
      ...(set.subresource !== '' && { subresource: set.subresource }),
    }));
}

/** True if a client requests to clear all managers, with `[]` or `[{}]`. */
export function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (entries === undefined || entries.length > 1) return false;
  return Object.keys(entries[0] ?? {}).length === 0;
}

/**
 * Limits the entries of updates to ten. The oldest entries of each version merge into `ancient-changes`, which can no
 * longer be attributed to a manager.
 */
export function capUpdateManagers(managers: Managers): Managers {
  if (managers.size <= MAX_UPDATE_MANAGERS) return managers;
  const updates = [...managers].filter(([, set]) => set.operation === 'Update');
  let surplus = updates.length - MAX_UPDATE_MANAGERS;
  if (surplus <= 0) return managers;
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, [string, ManagedSet]>();
  for (const [id, set] of updates.toSorted(([, left], [, right]) => compareSets(left, right))) {
    if (surplus <= 0) break;
    const first = firstOfVersion.get(set.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(set.apiVersion, [id, set]);
      continue;
    }
    const bucket = bucketOf(set.apiVersion);
    const bucketId = managerId(bucket);
    const older = capped.get(bucketId) ?? first[1];
    capped.delete(first[0]);
    capped.delete(id);
    capped.set(bucketId, { ...bucket, fields: older.fields.union(set.fields), time: set.time });
    surplus -= 1;
  }
  return capped;
}

function bucketOf(apiVersion: string): ManagerIdentity {
  return { manager: oldUpdatesManager, operation: 'Update', apiVersion, subresource: '' };
}

function decodeEntry(entry: ManagedFieldsEntry): ManagedSet {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
    throw new TypeError('an entry of managedFields has no operation');
  }
  if (!entry.apiVersion || entry.fieldsType !== 'FieldsV1') {
    throw new TypeError('an entry of managedFields has no version, or unknown fields');
  }
  return {
    manager: entry.manager ?? '',
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    subresource: entry.subresource ?? '',
    time: entry.time,
    fields: decodeFieldsV1(entry.fieldsV1),
  };
}

function compareSets(left: ManagedSet, right: ManagedSet): number {
  return (
    compare(left.operation, right.operation) ||
    compare(left.time ?? '', right.time ?? '') ||
    compare(left.manager, right.manager) ||
    compare(left.apiVersion, right.apiVersion) ||
    compare(left.subresource, right.subresource)
  );
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
