import { cloneJson, jsonEquals, type JsonObject } from '@keelson/structural-schema';
import { refuseConflicts } from '../../apply/apply-conflict.ts';
import { compareObjects } from '../../apply/comparison.ts';
import {
  decodeManagers,
  encodeManagers,
  type Managers,
} from '../../apply/fields/managed-fields.ts';
import { recordUpdate, releaseFields, withoutManagedFields } from '../../apply/record-update.ts';
import type { OwnersInVersion, ResetRules } from '../../apply/fields/unowned-fields.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import { builtinType } from '../../schema/builtin-types.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import { type Steps, wait } from './steps.ts';

/** A write whose fields are recorded in `managedFields`. */
export interface OwnershipRecord {
  readonly resource: ServedResource;
  /** The previous state; absent for a new object. */
  readonly before?: ApiObject;
  /** The new state; its `managedFields` are replaced. */
  readonly after: ApiObject;
  readonly subresource: string;
  readonly fieldManager: string;
  /** RFC 3339 in whole seconds. */
  readonly now: string;
}

/** Records the manager of the written fields in `managedFields`. */
export function recordOwnership(record: OwnershipRecord): void {
  const { resource, before, after, subresource } = record;
  const managedFields = recordUpdate({
    type: resource.schema.type,
    before,
    after,
    custom: resource.facts.custom,
    manager: record.fieldManager,
    subresource,
    ...resetRulesOf(resource),
    apiVersion: resource.apiVersion,
    now: record.now,
  });
  if (managedFields.length === 0) delete after.metadata.managedFields;
  else after.metadata.managedFields = managedFields;
}

/** A write in one version, whose fields managers own in other versions. */
export interface ForeignChange {
  readonly before: ApiObject;
  readonly after: ApiObject;
  /** False for an apply that must not take fields of others. */
  readonly isForced: boolean;
}

/**
 * Takes from managers of other versions the fields that a write has changed in their versions, to which a webhook
 * converts the object before and after. Throws 409 for an apply that must not take them. Source: `merge/update.go` of
 * structured-merge-diff.
 */
export function* releaseInOtherVersions(
  { converter, apiVersion }: ServedResource,
  { before, after, isForced }: ForeignChange,
): Steps<void> {
  const managers = decodeManagers(after.metadata.managedFields);
  const versions = new Set([...managers.values()].map((set) => set.apiVersion));
  versions.delete(apiVersion);
  const [old, next] = [withoutManagedFields(before), withoutManagedFields(after)];
  if (converter === undefined || versions.size === 0 || jsonEquals(old, next)) return;
  let left: Managers = managers;
  for (const version of versions) {
    const type = converter.typeIn(version);
    if (type === undefined) continue;
    const convert = (object: JsonObject): Promise<ApiObject> =>
      converter.convert(cloneJson(object) as ApiObject, version);
    const one = withoutManagedFields(yield* wait(convert(old)));
    const other = withoutManagedFields(yield* wait(convert(next)));
    const comparison = compareObjects(type, one, other);
    const owners = new Map([...left].filter(([, set]) => set.apiVersion === version));
    if (!isForced) refuseConflicts(owners, comparison);
    const released = releaseFields(owners, comparison);
    left = new Map(
      [...left].flatMap(([id, set]) => {
        const kept = set.apiVersion === version ? released.get(id) : set;
        return kept === undefined ? [] : [[id, kept] as const];
      }),
    );
  }
  const managedFields = encodeManagers(left);
  if (managedFields.length === 0) delete after.metadata.managedFields;
  else after.metadata.managedFields = managedFields;
}

/**
 * Restores the owners that admission has made invalid, with a warning. Source: `endpoints/handlers/fieldmanager/admission.go`
 * of apiserver.
 */
export function keepValidOwners(
  { object, warnings }: { readonly object: ApiObject; readonly warnings: string[] },
  before: ApiObject['metadata']['managedFields'],
): void {
  const { metadata } = object;
  if (metadata.managedFields?.length === 0) delete metadata.managedFields;
  const problem = (metadata.managedFields ?? [])
    .map(ownerProblem)
    .find((each) => each !== undefined);
  if (problem === undefined) return;
  if (before === undefined) delete metadata.managedFields;
  else metadata.managedFields = before;
  warnings.push(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${problem}`,
  );
}

type ManagedFields = NonNullable<ApiObject['metadata']['managedFields']>;

function ownerProblem(entry: ManagedFields[number], index: number): string | undefined {
  const { operation, apiVersion = '', fieldsType = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update')
    return 'operation must be `Apply` or `Update`';
  if (apiVersion === '') return 'apiVersion must not be empty';
  if (fieldsType === '') return `missing fieldsType in managed fields entry ${index}`;
  if (fieldsType === 'FieldsV1') return undefined;
  return `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`;
}

/** Returns the fields that writes of a kind cannot own. */
export function resetRulesOf(resource: ServedResource): Required<ResetRules> {
  const { facts, strategy } = resource;
  const { hasStatus, statusWritesKeepLabels, resets } = strategy;
  const ownersIn = (apiVersion: string): OwnersInVersion => ownersInVersion(resource, apiVersion);
  if (facts.custom) return { hasStatus, keptByStatusWrites: 'metadata', resets, ownersIn };
  const keptByStatusWrites = statusWritesKeepLabels ? 'labels' : 'nothing';
  return { hasStatus, keptByStatusWrites, resets, ownersIn };
}

/** The server drops owners in versions that a built-in kind does not have, and cannot read others of a custom kind. */
function ownersInVersion({ facts, release }: ServedResource, apiVersion: string): OwnersInVersion {
  if (facts.versions !== undefined) return facts.versions.has(apiVersion) ? 'kept' : 'unreadable';
  const [version = '', group = '', ...more] = apiVersion.split('/').toReversed();
  if (more.length > 0) return 'unreadable';
  // kube-apiserver cannot convert the owned fields of an Event between its two groups.
  if (facts.storedAs.group === '' && facts.plural === 'events') return 'dropped';
  return builtinType({ group, version, kind: facts.kind }, release) ? 'kept' : 'dropped';
}
