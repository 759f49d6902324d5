import { FieldSet } from './field-set.ts';

/** Fields that never have an owner: names and numbers that the server maintains. */
const neverOwned = FieldSet.of(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((field) => ['f:metadata', `f:${field}`]),
);

const noFields = new FieldSet();
const status = FieldSet.of(['f:status']);

/** The part of an object that a status update cannot change besides the spec. */
export type StatusKeeps = 'metadata' | 'labels' | 'nothing';

const keptByStatus: Readonly<Record<StatusKeeps, FieldSet>> = {
  metadata: FieldSet.of(['f:spec'], ['f:metadata']),
  labels: FieldSet.of(['f:spec'], ['f:metadata', 'f:labels']),
  nothing: FieldSet.of(['f:spec']),
};

/** The rules of a kind that decide which fields a write can own. */
export interface ResetRules {
  /**
   * True if the kind has a status subresource, so that writes to the main resource do not own status. Default: true.
   */
  readonly hasStatus?: boolean;
  /** The part of an object that a status update cannot own besides the spec. Default: `nothing`. */
  readonly keptByStatusWrites?: StatusKeeps;
  /** The fields that no write through a subresource owns, by its name, in the place of the rules above. */
  readonly resets?: ResetPaths;
  /** Returns what a write does with the owners of fields in another version. Default: it keeps them. */
  readonly ownersIn?: (apiVersion: string) => OwnersInVersion;
}

/**
 * The fate of the owners of fields in another version:
 *
 * - `kept`: the server can convert objects to that version.
 * - `dropped`: the kind does not have that version.
 * - `unreadable`: the server cannot convert to it, which ends the whole record. The object keeps no owner at all.
 */
export type OwnersInVersion = 'kept' | 'dropped' | 'unreadable';

/** Paths of fields by the name of a subresource: `{ status: [['f:spec']] }`. */
export type ResetPaths = Readonly<Record<string, readonly (readonly string[])[]>>;

/**
 * The fields that a write through this subresource cannot change and therefore cannot own. Writes to the main
 * resource reset `status` only if the kind has a status subresource.
 */
export function resetFields(
  subresource: string,
  { hasStatus = true, keptByStatusWrites = 'nothing', resets }: ResetRules,
): FieldSet {
  const own = resets?.[subresource];
  if (own !== undefined) return FieldSet.of(...own);
  if (subresource === 'status') return keptByStatus[keptByStatusWrites];
  return subresource === '' && hasStatus ? status : noFields;
}

export function withoutNeverOwned(set: FieldSet): FieldSet {
  return set.difference(neverOwned);
}
