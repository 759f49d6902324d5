import type { KubernetesObject, ManagedFieldsEntry } from '@keelson/apimachinery';
import { asJson, type JsonObject } from '@keelson/structural-schema';
import { zeroObject } from '../schema/decode.ts';
import type { SchemaType } from '../schema/schema-type.ts';
import { fitsType } from './check-configuration.ts';
import { type Comparison, compareObjects } from './comparison.ts';
import { FieldSet } from './fields/field-set.ts';
import {
  capUpdateManagers,
  decodeManagers,
  encodeManagers,
  isReset,
  type ManagedSet,
  type ManagerIdentity,
  managerId,
  type Managers,
} from './fields/managed-fields.ts';
import { type ResetRules, resetFields, withoutNeverOwned } from './fields/unowned-fields.ts';

/** A create, update or patch whose changes get an owner. */
export interface RecordedUpdate extends ResetRules {
  readonly type: SchemaType;
  /** The stored object; undefined for a create. */
  readonly before: KubernetesObject | undefined;
  /** The object to store, with defaults. Its `metadata.managedFields` are those that the client sent. */
  readonly after: KubernetesObject;
  /** True if the kind is custom: its schema may have changed since the object was stored. */
  readonly custom?: boolean;
  /** The field manager of the request; by default the start of the user agent. */
  readonly manager: string;
  /** The subresource of the write; empty for the main resource. */
  readonly subresource?: string;
  readonly apiVersion: string;
  /** RFC 3339 in whole seconds. */
  readonly now: string;
}

/**
 * Returns the managed fields after an update. The writer owns the fields that it added or changed; other managers
 * lose these and all removed fields. The entry of the writer gets a new time only if it gained a field. An object
 * that does not match its type has no owners. Managed fields in the request replace the stored ones; `[{}]` clears
 * them, and so does `[]` for a built-in kind.
 */
export function recordUpdate(update: RecordedUpdate): ManagedFieldsEntry[] {
  const { before, subresource = '' } = update;
  const found = managersOf(update);
  // An object with cleared managers stays untracked until the next apply.
  if (found.size === 0 && before !== undefined) return [];
  const { managers, unreadable } = keptManagers(found, update);
  if (unreadable !== undefined) return [];
  const [stored, next] = [storedBefore(update), withoutManagedFields(update.after)];
  if (update.custom === true && !(fitsType(update.type, stored) && fitsType(update.type, next))) {
    return [];
  }
  const identity: ManagerIdentity = {
    manager: update.manager,
    operation: 'Update',
    apiVersion: update.apiVersion,
    subresource,
  };
  const ignored = resetFields(subresource, update);
  const comparison = excludeFields(compareObjects(update.type, stored, next), ignored);
  return encodeManagers(capUpdateManagers(take(managers, identity, comparison, update.now)));
}

/** The object before the write. A new object counts as having its structs, so that they get no owner of their own. */
function storedBefore({ type, before }: RecordedUpdate): JsonObject {
  if (before !== undefined) return withoutManagedFields(before);
  return type.kind === 'struct' ? zeroObject(type) : {};
}

/** The object without its managed fields. */
export function withoutManagedFields(object: KubernetesObject): JsonObject {
  if (!('managedFields' in (object.metadata ?? {}))) return asJson(object);
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return asJson({ ...object, metadata });
}

export function excludeFields(comparison: Comparison, fields: FieldSet): Comparison {
  return {
    added: comparison.added.recursiveDifference(fields),
    removed: comparison.removed.recursiveDifference(fields),
    modified: comparison.modified.recursiveDifference(fields),
  };
}

/** The managers after a change by another manager: they lose the written and the removed fields. */
export function releaseFields(managers: Managers, comparison: Comparison): Map<string, ManagedSet> {
  const left = new Map<string, ManagedSet>();
  if (managers.size === 0) return left;
  const lost = comparison.modified.union(comparison.added).union(comparison.removed);
  for (const [id, set] of managers) {
    const fields = set.fields.difference(lost);
    if (!fields.isEmpty) left.set(id, { ...set, fields });
  }
  return left;
}

function take(
  managers: Managers,
  identity: ManagerIdentity,
  comparison: Comparison,
  now: string,
): Map<string, ManagedSet> {
  const left = releaseFields(managers, comparison);
  const taken = withoutNeverOwned(comparison.modified.union(comparison.added));
  if (taken.isEmpty) return left;
  const id = managerId(identity);
  const owned = left.get(id)?.fields ?? new FieldSet();
  // The scale handler of kube-apiserver records no time.
  const time = identity.subresource === 'scale' ? undefined : now;
  return left.set(id, { ...identity, fields: owned.union(taken), time });
}

/** The managers that a write keeps. */
export interface KeptManagers {
  readonly managers: Managers;
  /** The version of an unreadable manager, if one is. Then an update loses all managers, and an apply fails. */
  readonly unreadable?: string;
}

/** Returns the managers that a write keeps. */
export function keptManagers(
  managers: Managers,
  { ownersIn, apiVersion }: ResetRules & { readonly apiVersion: string },
): KeptManagers {
  if (ownersIn === undefined) return { managers };
  const lost = new Set<string>();
  for (const [id, set] of managers) {
    const fate = set.apiVersion === apiVersion ? 'kept' : ownersIn(set.apiVersion);
    if (fate === 'unreadable') return { managers: new Map(), unreadable: set.apiVersion };
    if (fate === 'dropped') lost.add(id);
  }
  if (lost.size === 0) return { managers };
  return { managers: new Map([...managers].filter(([id]) => !lost.has(id))) };
}

function managersOf({ before, after, custom, subresource = '' }: RecordedUpdate): Managers {
  const stored = decodeManagers(before?.metadata?.managedFields);
  if (subresource !== '') return stored;
  const sent = after.metadata?.managedFields;
  // kube-apiserver drops an empty list from the metadata of a custom resource before it looks for one.
  if (isReset(sent) && !(custom === true && sent?.length === 0)) return new Map();
  const managers = decodeManagers(sent);
  return managers.size === 0 ? stored : managers;
}
