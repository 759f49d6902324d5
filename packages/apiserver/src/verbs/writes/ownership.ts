import { recordUpdate } from '../../apply/record-update.ts';
import type { ResetRules } from '../../apply/fields/unowned-fields.ts';
import { timestamp } from '../../schema/clock.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import type { ApiObject } from '../../storage/api-object.ts';

/** A write whose fields get an owner. */
export interface OwnershipRecord {
  readonly resource: ServedResource;
  /** The state before; absent for a new object. */
  readonly before?: ApiObject;
  /** Its `managedFields` are replaced. */
  readonly after: ApiObject;
  readonly subresource: string;
  readonly fieldManager: string;
  readonly now: number;
}

/** Notes in the object's `managedFields` who set what. */
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

/** What writes of a kind cannot own. */
export function resetRulesOf({ facts, strategy }: ServedResource): Required<ResetRules> {
  const { hasStatus, statusKeepsLabels } = strategy;
  if (facts.custom) return { hasStatus, statusKeeps: 'metadata' };
  return { hasStatus, statusKeeps: statusKeepsLabels ? 'labels' : 'nothing' };
}
