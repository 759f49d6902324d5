import { StatusError } from '@keelson/apimachinery';
import {
  asJson,
  type JsonObject,
  type JsonValue,
  MutationError,
  type MutationPatch,
  type PatchOperation,
  sortMembers,
} from '@keelson/structural-schema';
import { atomicParts } from '../../apply/atomic-parts.ts';
import { typeErrors } from '../../apply/check-configuration.ts';
import { mergeConfiguration } from '../../apply/merge-configuration.ts';
import { goKind } from '../../apply/go-names.ts';
import { jsonPatch } from '../../patch/json-patch.ts';
import { DecodeError } from '../../schema/decode-error.ts';
import { type SchemaType, untyped } from '../../schema/schema-type.ts';
import { internalError } from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import { completed, schemaOf } from '../dynamic/apply-patch.ts';
import { patchFailure } from '../dynamic/patch-failure.ts';
import type { VersionedAttributes } from '../dynamic/versioned-attributes.ts';

/**
 * Returns the object of a request after a mutation. Throws `MutationError` if the patch does not apply, and 500 if its
 * result cannot be decoded. Source: `policy/mutating/patch` of kube-apiserver's admission.
 */
export function mutated(
  request: VersionedAttributes,
  object: ApiObject,
  patch: MutationPatch,
): ApiObject {
  return 'operations' in patch
    ? patched(request, object, patch.operations)
    : merged(request, object, patch.configuration);
}

function patched(
  request: VersionedAttributes,
  object: ApiObject,
  operations: readonly PatchOperation[],
): ApiObject {
  const result = applied(object, operations);
  if (result === undefined) return object;
  const schema = schemaOf(request);
  if (!request.resource.facts.custom) {
    const unknown = schema?.prune(sortMembers(result) as ApiObject) ?? [];
    if (unknown.length > 0) {
      const fields = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
      throw internalError(`strict decoding error: ${fields.join(', ')}`);
    }
  }
  return completed(object, result, schema).result;
}

/** Returns `undefined` if a `test` of the patch fails, with which the patch has no effect. */
function applied(object: ApiObject, operations: readonly PatchOperation[]): JsonValue | undefined {
  try {
    return jsonPatch(asJson(object), asOperations(operations));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.facts['op'] === 'test') return undefined;
    throw new MutationError(`JSON Patch: ${patchFailure(asJson(object), error.facts)}`);
  }
}

function asOperations(operations: readonly PatchOperation[]): JsonValue {
  return operations.map((operation): JsonObject => ({ ...operation }));
}

function merged(
  request: VersionedAttributes,
  object: ApiObject,
  configuration: JsonObject,
): ApiObject {
  const schema = schemaOf(request);
  const { apiVersion = '', kind = '' } = object;
  const patch: JsonObject = { ...configuration, apiVersion, kind };
  const type = typeOf(request, goKind(apiVersion, kind));
  refuse('failed to convert patch object to typed object', typeErrors(type, patch, false));
  const atomics = atomicParts(type, patch);
  if (atomics.length > 0) {
    const parts = atomics.join(', ');
    throw failed(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${parts}`,
    );
  }
  refuse(
    'failed to convert original object to typed object',
    typeErrors(type, asJson(object), true),
  );
  const result = mergeConfiguration(type, asJson(object), patch) as ApiObject;
  const { custom } = request.resource.facts;
  try {
    if (!custom) schema?.decode(result);
  } catch (error) {
    throw undecodable(error, goKind(apiVersion, kind));
  }
  if (custom) return completed(object, result, schema).result;
  schema?.setDefaults(result);
  return result;
}

/** The OpenAPI document of a group and version, where kube-apiserver looks for the type, has no forms of other groups. */
function typeOf(request: VersionedAttributes, shown: string): SchemaType {
  const { kind, resource } = request;
  const { group, version } = resource.facts;
  if (kind.group === group && kind.version === version) return schemaOf(request)?.type ?? untyped;
  throw failed(
    `failed to convert patch object to typed object: no corresponding type for ${shown}`,
  );
}

function refuse(step: string, errors: readonly string[]): void {
  if (errors.length === 0) return;
  const [only = ''] = errors;
  throw failed(`${step}: ${errors.length === 1 ? only : `errors:\n  ${errors.join('\n  ')}`}`);
}

function failed(why: string): MutationError {
  return new MutationError(`error applying patch: ${why}`);
}

function undecodable(error: unknown, kind: string): unknown {
  if (!(error instanceof StatusError) || !(error.cause instanceof DecodeError)) return error;
  const why = error.cause.converted;
  return new MutationError(`unable to convert unstructured object to ${kind}: ${why}`);
}
