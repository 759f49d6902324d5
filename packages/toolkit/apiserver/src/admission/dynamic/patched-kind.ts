import { isJsonObject, type JsonObject, jsonText, sortMembers } from '@keelson/structural-schema';
import { goKind, typeMeta } from '../../json/json-syntax-error.ts';
import type { KubernetesVersion } from '../../releases/kubernetes-version.ts';
import { builtinType } from '../../schema/builtin-types.ts';
import {
  failure,
  internalError,
  invalid,
  notRegistered,
} from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { VersionedAttributes } from './versioned-attributes.ts';

/**
 * Refuses an object that a patch has given another kind, with the words of kube-apiserver: it decodes the object by its own
 * `kind` and `apiVersion`, and those that are missing are those of the request.
 */
export function checkPatchedKind(
  { object: before, resource, kind: own }: VersionedAttributes,
  patched: unknown,
): void {
  if (!isJsonObject(patched)) {
    throw internalError(typeProblem(`${goKind(patched)} into Go value of type ${typeMeta}`));
  }
  for (const member of ['apiVersion', 'kind'] as const) {
    const value = patched[member] ?? '';
    if (typeof value === 'string') continue;
    throw internalError(
      typeProblem(`${goKind(value)} into Go struct field .${member} of type string`),
    );
  }
  const given = patched as { readonly apiVersion?: string; readonly kind?: string };
  const { apiVersion = '', kind = '' } = given;
  if (apiVersion.split('/').length > 2) {
    throw internalError(`unexpected GroupVersion string: ${apiVersion}`);
  }
  // A form such as a Scale is a built-in kind.
  if (resource.facts.custom && own.kind === resource.facts.kind) checkCustomKind(before, patched);
  else checkBuiltinKind(before, { apiVersion, kind }, resource.release);
}

function typeProblem(why: string): string {
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${why}`;
}

function checkBuiltinKind(
  before: ApiObject | undefined,
  given: { readonly apiVersion: string; readonly kind: string },
  release: KubernetesVersion,
): void {
  const { apiVersion: ownVersion = '', kind: ownKind = '' } = before ?? {};
  const apiVersion = given.apiVersion || ownVersion;
  const kind = given.kind || ownKind;
  if (apiVersion === ownVersion && kind === ownKind) return;
  const gvk = { ...groupVersionOf(apiVersion), kind };
  if (builtinType(gvk, release) === undefined) {
    throw internalError(notRegistered(apiVersion, kind));
  }
  const own = groupVersionOf(ownVersion);
  const group = own.group === '' ? 'core' : (own.group.split('.', 1)[0] ?? '');
  throw failure(
    500,
    '',
    `converting (${gvk.version}.${kind}) to (${group}.${ownKind}): unknown conversion`,
  );
}

function checkCustomKind(before: ApiObject | undefined, patched: JsonObject): void {
  const { apiVersion: ownVersion = '', kind: ownKind = '' } = before ?? {};
  const { apiVersion = '', kind = '' } = patched as Partial<ApiObject>;
  const shown = jsonText(sortMembers(patched));
  if (kind === '') throw internalError(`Object 'Kind' is missing in '${shown}'`);
  if (apiVersion !== ownVersion) {
    const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw failure(
      500,
      '',
      `${version}, Kind=${kind} is unstructured and is not suitable for converting to ${JSON.stringify(ownVersion)}`,
    );
  }
  const { metadata = {} } = patched;
  if (!isJsonObject(metadata)) throw internalError('system metadata was not initialized');
  if (kind === ownKind) return;
  const { group } = groupVersionOf(ownVersion);
  const { name = '' } = before?.metadata ?? {};
  const message = `Invalid value: ${JSON.stringify(kind)}: must be ${ownKind}`;
  throw invalid({ group, kind, name }, [{ reason: 'FieldValueInvalid', message, field: 'kind' }]);
}

function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}
