import type { GroupVersionKind } from '../../admission/dynamic/admission-attributes.ts';
import { goKind } from '../../apply/go-names.ts';
import { builtinKindSchema } from '../../kinds/builtin-kind-schema.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import { isJsonObject } from '@keelson/structural-schema';
import { repeatedText } from '../../json/parse-yaml.ts';
import type { KindSchema } from '../../schema/kind-schema.ts';
import type { KubernetesVersion } from '../../releases/kubernetes-version.ts';
import { builtinType } from '../../schema/builtin-types.ts';
import { badRequest, invalid, notRegistered } from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import { readFields } from './read-fields.ts';
import type { WriteOptions } from './write-options.ts';

/** The kind and the field validation by which a body is decoded. */
export interface DecodeTarget {
  readonly apiVersion: string;
  readonly group: string;
  readonly kind: string;
  readonly version: string;
  readonly custom: boolean;
  readonly schema: KindSchema;
  readonly release: KubernetesVersion;
}

export function decodeTargetOf(resource: ServedResource): DecodeTarget {
  const { apiVersion, schema, release } = resource;
  const { group, kind, version, custom } = resource.facts;
  return { apiVersion, group, kind, version, custom, schema, release };
}

/** The target of a body whose kind is built in and not that of the resource, such as a Scale. */
export function builtinTarget(gvk: GroupVersionKind, release: KubernetesVersion): DecodeTarget {
  const { group, version, kind } = gvk;
  const schema = builtinKindSchema(gvk, release);
  if (schema === undefined) throw new Error(`no schema of the kind (kind=${kind})`);
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { apiVersion, group, kind, version, custom: false, schema, release };
}

/**
 * Decodes the object of a create or update and sets its defaults. Checks apiVersion and kind, and treats unknown and
 * duplicate fields by `fieldValidation`. `isApplied` marks the result of an apply. Takes ownership of the value.
 */
export function decodeWrite(
  target: DecodeTarget,
  body: {
    value: Record<string, unknown>;
    json: string;
    repeated?: readonly string[];
    isApplied?: boolean;
  },
  options: Pick<WriteOptions, 'fieldValidation'>,
  warnings: string[],
): ApiObject {
  checkType(target, body.value);
  const { object, problems } = readFields(target, body);
  object['apiVersion'] = target.apiVersion;
  object['kind'] = target.kind;
  target.schema.decode(object);
  const { repeated = [] } = body;
  // An apply has no field validation: its type refuses unknown fields, except in free-form objects, where they are dropped.
  if (body.isApplied !== true) checkFields(target, { repeated, problems }, options, warnings);
  if (!isJsonObject(object['metadata'])) object['metadata'] = {};
  const decoded = object as ApiObject;
  target.schema.setDefaults(decoded, body.isApplied);
  return decoded;
}

/**
 * Decodes an applied configuration without adding or removing fields, because the applier owns exactly the fields that
 * it sends. Throws 400 for another kind.
 */
export function decodeApplied(target: DecodeTarget, value: Record<string, unknown>): ApiObject {
  const { apiVersion, kind } = value;
  if (apiVersion !== target.apiVersion || kind !== target.kind) {
    const version = textOf(apiVersion, '');
    throw badRequest(`invalid object type: ${goKind(version, textOf(kind, ''))}`);
  }
  if (!isJsonObject(value['metadata'])) value['metadata'] = {};
  return value as ApiObject;
}

function checkType(target: DecodeTarget, object: Record<string, unknown>): void {
  if (target.custom) {
    checkCustomType(target, object);
    return;
  }
  const apiVersion = textOf(object['apiVersion'], target.apiVersion);
  const kind = textOf(object['kind'], target.kind);
  if (apiVersion === target.apiVersion && kind === target.kind) return;
  const version = JSON.stringify(apiVersion.split('/').at(-1));
  throw badRequest(
    `${kind} in version ${version} cannot be handled as a ${target.kind}: ${unknownKindReason(target, apiVersion, kind)}`,
  );
}

/** The reason depends on whether the server knows the other kind. */
function unknownKindReason(target: DecodeTarget, apiVersion: string, kind: string): string {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const single = kind.endsWith('List') ? kind.slice(0, -4) : kind;
  const gvk = { group, version, kind: single };
  const isKnown = kind === 'Status' || builtinType(gvk, target.release);
  if (!isKnown) return notRegistered(apiVersion, kind);
  const goPackage = target.group.split('.', 1)[0] || 'core';
  return `converting (${version}.${kind}) to (${goPackage}.${target.kind}): unknown conversion`;
}

function textOf(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

/** A custom resource requires apiVersion and kind in the body. */
function checkCustomType(target: DecodeTarget, object: Record<string, unknown>): void {
  const { apiVersion = '', kind = '' } = object;
  if (kind === '') {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${target.kind}): Object 'Kind' is missing`,
    );
  }
  if (apiVersion !== target.apiVersion) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${target.apiVersion})`,
    );
  }
  if (kind === target.kind) return;
  const { name = '' } = (object['metadata'] ?? {}) as { name?: string };
  const message = `Invalid value: ${JSON.stringify(kind)}: must be ${target.kind}`;
  throw invalid({ group: target.group, kind: String(kind), name }, [
    { reason: 'FieldValueInvalid', message, field: 'kind' },
  ]);
}

function checkFields(
  target: DecodeTarget,
  {
    repeated,
    problems,
  }: { readonly repeated: readonly string[]; readonly problems: readonly string[] },
  options: Pick<WriteOptions, 'fieldValidation'>,
  warnings: string[],
): void {
  const all = [...repeated, ...problems];
  if (all.length === 0 || options.fieldValidation === 'Ignore') return;
  if (options.fieldValidation === 'Warn') {
    warnings.push(...all);
    return;
  }
  const yaml = repeated.length === 0 ? [] : [repeatedText(repeated)];
  const { kind, version } = target;
  throw badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: strict decoding error: ${[...yaml, ...problems].join(', ')}`,
  );
}
