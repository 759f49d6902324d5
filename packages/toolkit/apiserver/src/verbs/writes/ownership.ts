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

/** Returns the fields that writes of a kind cannot own. */
export function resetRulesOf({ facts, strategy }: ServedResource): Required<ResetRules> {
  const { hasStatus, statusWritesKeepLabels, resets } = strategy;
  if (facts.custom) return { hasStatus, keptByStatusWrites: 'metadata', resets };
  return { hasStatus, keptByStatusWrites: statusWritesKeepLabels ? 'labels' : 'nothing', resets };
}
