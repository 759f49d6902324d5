import type { KubernetesObject } from '@keelson/apimachinery';
import { jsonEquals, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import type { SchemaType } from '../schema/schema-type.ts';
import { type ApplyConflict, applyConflictError } from './apply-conflict.ts';
import { failure } from '../status-errors/status-errors.ts';
import { checkConfiguration, checkLive } from './check-configuration.ts';
import { compareObjects } from './comparison.ts';
import { FieldSet } from './fields/field-set.ts';
import { fieldSetOf, withNamedFields } from './fields/field-set-of.ts';
import { lastAppliedFields, refreshLastApplied } from './last-applied.ts';
import {
  decodeManagers,
  encodeManagers,
  type ManagedSet,
  managerId,
  type Managers,
} from './fields/managed-fields.ts';
import { mergeConfiguration } from './merge-configuration.ts';
import {
  keptManagers,
  withoutManagedFields,
  excludeFields,
  recordUpdate,
  releaseFields,
} from './record-update.ts';
import { removeItems } from './remove-items.ts';
import { type ResetRules, resetFields, withoutNeverOwned } from './fields/unowned-fields.ts';

/** One request of server-side apply. */
export interface ApplyRequest extends ResetRules {
  readonly type: SchemaType;
  /** The stored object; undefined if it does not exist. */
  readonly live: KubernetesObject | undefined;
  /** The applied configuration: only the fields that the applier wants to own. */
  readonly applied: KubernetesObject;
  readonly manager: string;
  /** Takes over fields that other managers own. */
  readonly force: boolean;
  readonly subresource?: string;
  readonly apiVersion: string;
  /** RFC 3339 in whole seconds. */
  readonly now: string;
}

/** The manager of fields without a recorded owner, as in kube-apiserver. */
const beforeFirstApply = 'before-first-apply';

/**
 * Merges an applied configuration into the live object (server-side apply). Removes the fields that this manager
 * applied before and now omits, unless another manager owns them. Updates `metadata.managedFields`.
 *
 * The caller sets defaults in the result. Throws a `StatusError` with the message of kube-apiserver: 409 Conflict if
 * an unforced apply would change fields of others, 400 BadRequest if the configuration has managed fields, 500 if it
 * does not match its type.
 */
export function applyConfiguration(request: ApplyRequest): KubernetesObject {
  checkConfiguration(request.type, request.applied);
  if (request.live !== undefined) checkLive(request.type, withoutManagedFields(request.live));
  const application = new Application(request);
  application.run();
  const object = application.object as KubernetesObject;
  if (request.manager === 'kubectl') refreshLastApplied(object, request.applied);
  object.metadata = { ...object.metadata, managedFields: encodeManagers(application.managers) };
  return object;
}

/** One apply: the object and its managers, changed step by step. */
class Application {
  object: JsonValue;
  managers: Managers;
  readonly #request: ApplyRequest;
  readonly #live: JsonValue;
  readonly #id: string;
  readonly #ignored: FieldSet;

  constructor(request: ApplyRequest) {
    this.#request = request;
    this.#live = withoutManagedFields(request.live ?? {});
    this.#ignored = resetFields(request.subresource ?? '', request);
    this.#id = managerId(this.#own(new FieldSet()));
    this.managers = readableManagers(request);
    this.object = this.#live;
  }

  run(): void {
    const { type, applied } = this.#request;
    const configuration = withoutManagedFields(applied);
    const last = this.managers.get(this.#id);
    // The set includes the name until the end: metadata remains while a manager applies it.
    const set = fieldSetOf(type, configuration).recursiveDifference(this.#ignored);
    this.managers = new Map(this.managers).set(this.#id, this.#own(set));
    this.object = mergeConfiguration(type, this.#live, configuration);
    if (last !== undefined) this.#prune(last.fields);
    this.#takeFromOthers();
    this.#forgetNeverOwned();
    this.#keepTimeIfUnchanged(last);
  }

  #own(fields: FieldSet): ManagedSet {
    const { manager, apiVersion, subresource = '', now } = this.#request;
    return { manager, operation: 'Apply', apiVersion, subresource, fields, time: now };
  }

  /** Removes the fields of the last apply that this one omits, unless another manager owns them. */
  #prune(last: FieldSet): void {
    const { type } = this.#request;
    const merged = this.object;
    const lastNamed = withNamedFields(last, type);
    const removed = removeItems(type, merged, lastNamed);
    const mergedSet = withNamedFields(fieldSetOf(type, merged), type);
    const owned = [...this.managers.values()]
      .map((set) => set.fields)
      .reduce((all, fields) => all.union(fields), new FieldSet());
    const stays = withNamedFields(fieldSetOf(type, removed), type).union(
      withNamedFields(owned, type),
    );
    const withOwned = removeItems(type, merged, mergedSet.difference(stays));
    const left = withNamedFields(fieldSetOf(type, withOwned), type);
    // A field that no manager applied stays, even next to a removed one.
    this.object = removeItems(type, merged, mergedSet.difference(left).intersection(lastNamed));
  }

  #takeFromOthers(): void {
    const { type, force } = this.#request;
    const comparison = excludeFields(compareObjects(type, this.#live, this.object), this.#ignored);
    const mine = this.managers.get(this.#id);
    const others = new Map(this.managers);
    others.delete(this.#id);
    const written = comparison.modified.union(comparison.added);
    if (!force) this.#refuseConflicts(others, written);
    const left = releaseFields(others, comparison);
    if (mine !== undefined && !mine.fields.isEmpty) left.set(this.#id, mine);
    this.managers = left;
  }

  #refuseConflicts(others: Managers, written: FieldSet): void {
    const found: ApplyConflict[] = [];
    for (const owner of others.values()) {
      for (const path of owner.fields.intersection(written).paths()) found.push({ owner, path });
    }
    if (found.length === 0) return;
    const allowed = this.#takeoverFields();
    const conflicts = found.filter(({ path }) => !allowed.has(path));
    if (conflicts.length > 0) throw applyConflictError(conflicts);
  }

  #forgetNeverOwned(): void {
    const mine = this.managers.get(this.#id);
    if (mine === undefined) return;
    const left = new Map(this.managers);
    const fields = withoutNeverOwned(mine.fields);
    if (fields.isEmpty) left.delete(this.#id);
    else left.set(this.#id, { ...mine, fields });
    this.managers = left;
  }

  /** The fields of client-side apply that kubectl may take over. */
  #takeoverFields(): FieldSet {
    const { manager, live, type, apiVersion } = this.#request;
    if (manager !== 'kubectl' || live === undefined) return new FieldSet();
    return lastAppliedFields(type, live, apiVersion);
  }

  /** Keeps the old time, or none, if this apply changed nothing: the time is that of the last change. */
  #keepTimeIfUnchanged(last: ManagedSet | undefined): void {
    const mine = this.managers.get(this.#id);
    // `managedFields: null` is the only field that is missing in both objects.
    const isSame = this.#request.applied.metadata?.managedFields !== null;
    if (mine === undefined || !isSame || !jsonEquals(this.object, this.#live)) return;
    this.managers = new Map(this.managers).set(this.#id, { ...mine, time: last?.time });
  }
}

/** Throws 500 for a manager in a version that a custom kind has no more. */
function readableManagers(request: ApplyRequest): Managers {
  const { managers, unreadable } = keptManagers(liveManagers(request), request);
  if (unreadable === undefined) return managers;
  throw failure(500, '', `request to convert CR to an invalid group/version: ${unreadable}`);
}

/** The managers of the live object; fields without an owner belong to `before-first-apply`. */
function liveManagers(request: ApplyRequest): Managers {
  const { live } = request;
  if (live === undefined) return new Map();
  const managers = decodeManagers(live.metadata?.managedFields);
  if (managers.size > 0) return managers;
  const { managedFields: _, ...metadata } = live.metadata ?? {};
  const after: KubernetesObject = { ...(live as JsonObject), metadata };
  return decodeManagers(
    recordUpdate({ ...request, before: undefined, after, manager: beforeFirstApply }),
  );
}
