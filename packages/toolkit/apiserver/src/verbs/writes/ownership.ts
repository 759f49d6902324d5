import { recordUpdate } from '../../apply/record-update.ts';
import type { ResetRules } from '../../apply/fields/unowned-fields.ts';
import { timestamp } from '../../schema/clock.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import type { ApiObject } from '../../storage/api-object.ts';

/** A write whose fields are recorded in `managedFields`. */
export interface OwnershipRecord {
  readonly resource: ServedResource;
  /** The previous state; absent for a new object. */
  readonly before?: ApiObject;
  /** The new state; its `managedFields` are replaced. */
  readonly after: ApiObject;
  readonly subresource: string;
  readonly fieldManager: string;
  readonly now: number;
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
    now: timestamp(record.now),
  });
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
export function resetRulesOf({ facts, strategy }: ServedResource): Required<ResetRules> {
  const { hasStatus, statusWritesKeepLabels, resets } = strategy;
  if (facts.custom) return { hasStatus, keptByStatusWrites: 'metadata', resets };
  return { hasStatus, keptByStatusWrites: statusWritesKeepLabels ? 'labels' : 'nothing', resets };
}
