import { isAlreadyExists, isNotFound, StatusError } from '@keelson/apimachinery';
import { applyConfiguration } from '../../apply/apply-configuration.ts';
import { goNames } from '../../apply/go-names.ts';
import { timestamp } from '../../schema/clock.ts';
import {
  asJson,
  cloneJson,
  isJsonObject,
  type JsonObject,
  jsonText,
  type JsonValue,
  sortMembers,
} from '@keelson/structural-schema';
import type { ServedResource } from '../../resources/served-resource.ts';
import { convertText } from '../../schema/decode.ts';
import { DecodeError } from '../../schema/decode-error.ts';
import { checkTypeMeta } from './object-body.ts';
import { badRequest, conflict, failure } from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import { byCodeUnit } from '../../storage/sorted-keys.ts';
import { wrapIntegers } from '../../schema/wrapped-integers.ts';
import type { StoredObject } from '../../storage/stored-object.ts';
import { decodeTargetOf, decodeWrite } from './decode-write.ts';
import { checkName, nameRequired, placeInNamespace } from './object-meta.ts';
import type { ObjectWriter, StoreOptions } from './object-writer.ts';
import { resetRulesOf } from './ownership.ts';
import type { Patch } from './patch-body.ts';
import type { UpdateScope } from '../../resources/revert-outside-scope.ts';
import type { WriteOptions } from './write-options.ts';

/** The object that a patch addresses. */
export interface PatchTarget {
  readonly resource: ServedResource;
  readonly key: string;
  readonly name: string;
  readonly namespace: string;
  readonly scope: UpdateScope;
  readonly options: WriteOptions;
  /** Warnings of the response; the patcher appends to the list. */
  readonly warnings: string[];
}

/** The result of an apply. */
export interface Applied {
  readonly stored: StoredObject;
  readonly created: boolean;
}

type Refuse = (error: StatusError) => StatusError;

/** Executes patches and applies. */
export class ObjectPatcher {
  readonly #writer: ObjectWriter;
  readonly #now: () => number;

  constructor(writer: ObjectWriter, now: () => number) {
    this.#writer = writer;
    this.#now = now;
  }

  patch(target: PatchTarget, patch: Patch): Promise<StoredObject> {
    const { resource, key, scope, options, warnings } = target;
    const patched = (object: ApiObject): JsonValue => patch.next(asJson(object));
    // Decoding has changed the value, so the refusal computes it again.
    const again = (): unknown => {
      const stored = resource.store.get(key);
      return stored && patched(resource.read(stored));
    };
    const refuse = (error: StatusError): StatusError =>
      undecodablePatch(
        patch,
        again,
        patch.shown === undefined ? firstError(target, again(), error) : error,
      );
    return this.#writer.updateFor(resource, {
      key,
      scope,
      options,
      warnings,
      next: (current) =>
        completed(target, patched(current), refuse, { isConverted: patch.shown !== undefined }),
    });
  }

  /** Executes a server-side apply; `created` is true if the object did not exist. */
  async apply(target: PatchTarget, applied: ApiObject): Promise<Applied> {
    const { resource, key, scope } = target;
    // The refusal contains the names that the applier has sent.
    const sent = goNames(applied);
    const refuse = (error: StatusError): StatusError => unconvertible(sent, error);
    for (;;) {
      const wasAbsent = resource.store.get(key) === undefined;
      try {
        return wasAbsent && createsObject(resource, scope)
          ? await this.#create(target, applied, refuse)
          : await this.#update(target, applied, refuse);
      } catch (error) {
        if (!isOvertaken(target, wasAbsent, error)) throw error;
      }
    }
  }

  async #create(target: PatchTarget, applied: ApiObject, refuse: Refuse): Promise<Applied> {
    const { resource, scope, warnings } = target;
    const value = this.#applied(target, cloneJson(applied), undefined);
    const object = completed(target, value, refuse, { ...application, isNew: true });
    delete object.metadata.resourceVersion;
    const creation = { options: optionsOf(target), warnings, scope, isUpsert: true };
    return { stored: await this.#writer.createFor(resource, object, creation), created: true };
  }

  async #update(target: PatchTarget, applied: ApiObject, refuse: Refuse): Promise<Applied> {
    const { resource, key, scope, warnings } = target;
    const next = (current: ApiObject): ApiObject =>
      completed(target, this.#applied(target, cloneJson(applied), current), refuse, application);
    const isForced = target.options.force;
    const update = { key, scope, options: optionsOf(target), next, warnings, isForced };
    return { stored: await this.#writer.updateFor(resource, update), created: false };
  }

  #applied(target: PatchTarget, applied: ApiObject, live: ApiObject | undefined): unknown {
    const { resource, scope, options } = target;
    const object = applyConfiguration({
      type: resource.schema.type,
      live,
      applied,
      manager: options.fieldManager,
      force: options.force,
      subresource: scope,
      ...resetRulesOf(resource),
      apiVersion: resource.apiVersion,
      now: timestamp(this.#now()),
    });
    if (object.metadata?.managedFields?.length === 0) delete object.metadata.managedFields;
    return object;
  }
}

/** An apply records its owners itself. */
function optionsOf({ options: { dryRun, requester, admitted } }: PatchTarget): StoreOptions {
  return { dryRun, requester, admitted, fieldManager: undefined };
}

/**
 * True for the failure of an apply that waited for a webhook while another request created or deleted its object. Then it starts
 * again, as in kube-apiserver.
 */
function isOvertaken({ resource, key }: PatchTarget, wasAbsent: boolean, error: unknown): boolean {
  const isAbsent = resource.store.get(key) === undefined;
  return wasAbsent ? !isAbsent && isAlreadyExists(error) : isAbsent && isNotFound(error);
}

/** The form in which Go gets the object that a patch results in. */
interface PatchedForm {
  readonly isApplied?: boolean;
  /** True if Go converts the object without its decoder. */
  readonly isConverted: boolean;
  /** True if the object does not exist yet. */
  readonly isNew?: boolean;
}

const application: PatchedForm = { isApplied: true, isConverted: true };

/** Returns the patched object, decoded and completed like the body of an update. */
function completed(
  target: PatchTarget,
  value: unknown,
  refuse: (error: StatusError) => StatusError,
  { isApplied = false, isConverted, isNew = false }: PatchedForm,
): ApiObject {
  if (!isJsonObject(value)) throw undecodable(value, 'the object is none any more');
  const { facts, schema } = target.resource;
  if (!facts.custom) {
    decodePatched(refuse, () => readKind(target, value, isConverted));
    if (isConverted) wrapIntegers(schema.type, value);
    else if ((value['apiVersion'] ?? '') === '') throw nameRequired(target.name);
  }
  const body = { value, json: '', isApplied };
  const decode = decodeTargetOf(target.resource);
  const object = decodePatched(refuse, () =>
    decodeWrite(decode, body, target.options, target.warnings),
  );
  if (isNew) checkAbsent(target, object);
  placeInNamespace(target.resource, object, target.namespace);
  checkName(object, target.name);
  return object;
}

/**
 * Reads the kind of a patched built-in object. Go's converter fills the struct of the own kind and ignores the kind of the
 * object; its decoder refuses one of a wrong form. Without apiVersion the decoder finds no metadata.
 */
function readKind({ resource }: PatchTarget, value: JsonObject, isConverted: boolean): void {
  if (!isConverted) {
    try {
      checkTypeMeta(value);
    } catch (error) {
      throw error instanceof SyntaxError ? badRequest(error.message) : error;
    }
    return;
  }
  for (const name of ['kind', 'apiVersion'] as const) {
    const given = value[name] ?? '';
    if (typeof given !== 'string') throw undecodableMember(given);
  }
  value['kind'] = resource.facts.kind;
  value['apiVersion'] = resource.apiVersion;
}

function undecodableMember(value: JsonValue): StatusError {
  const converted = convertText(value, 'string');
  return new StatusError(
    { status: 'Failure', message: converted, reason: 'BadRequest', code: 400 },
    {},
    { cause: new DecodeError(converted) },
  );
}

/** The error if the result of a patch does not decode. It is not a 400, because the patch itself is well formed. */
export function decodePatched<T>(refuse: (error: StatusError) => StatusError, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof StatusError) || error.statusCode !== 400) throw error;
    throw refuse(error);
  }
}

/** The refusal quotes a strategic patch itself, and for other patches their result. */
export function undecodablePatch(
  { shown }: Patch,
  result: () => unknown,
  error: StatusError,
): StatusError {
  return shown === undefined
    ? undecodable(printed(result()), decoderText(error))
    : undecodable(shown, converterText(error));
}

/** Go's decoder reads the result of a merge or JSON patch in alphabetical order, and reports the first error. */
function firstError(
  { resource, options }: PatchTarget,
  result: unknown,
  found: StatusError,
): StatusError {
  if (!(found.cause instanceof DecodeError)) return found;
  try {
    const value = sortMembers(result as JsonValue) as JsonObject;
    decodeWrite(decodeTargetOf(resource), { value, json: '' }, options, []);
  } catch (error) {
    if (error instanceof StatusError && error.statusCode === 400) return error;
    throw error;
  }
  return found;
}

function decoderText({ status: { message = '' } }: StatusError): string {
  return message.replace(/^.* cannot be handled as a \w+: /, '');
}

function converterText(error: StatusError): string {
  return error.cause instanceof DecodeError ? error.cause.converted : decoderText(error);
}

/** The error of an applied configuration that conforms to its schema but does not decode. */
function unconvertible(sent: ReturnType<typeof goNames>, error: StatusError): StatusError {
  if (!(error.cause instanceof DecodeError)) return error;
  const { kind, name } = sent;
  const why = `unable to convert unstructured object to ${kind}: ${error.cause.converted}`;
  return failure(500, '', `failed to convert new object (${name}) to proper version: ${why}`);
}

function undecodable(value: unknown, why: string): StatusError {
  const message = `Invalid value: ${jsonText(value)}: ${why}`;
  const causes = [{ reason: 'FieldValueInvalid', message, field: 'patch' }];
  return failure(422, 'Invalid', ` "" is invalid: patch: ${message}`, { causes });
}

/** Formats the object for a refusal, its members in alphabetical order. */
function printed(value: unknown): string {
  const members = Object.entries(value ?? {}).toSorted(([a], [b]) => byCodeUnit(a, b));
  return jsonText(Object.fromEntries(members));
}

/** Refuses to create an object for a configuration with a uid, which addresses an existing object. */
function checkAbsent({ resource, name }: PatchTarget, { metadata: { uid } }: ApiObject): void {
  if (uid === undefined || uid === '') return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(resource.subject(name), why);
}

/** kube-apiserver also creates Services through `/status`. */
function createsObject({ strategy }: ServedResource, scope: UpdateScope): boolean {
  return scope === '' || (scope === 'status' && strategy.createsOnUpdate);
}
