import {
  apimachineryErrors,
  CodedError,
  type ApiResource,
  type KubernetesObject,
  type ObjectName,
} from '@keelson/apimachinery';
import { ClientError } from '../../errors.ts';
import { refuseUnless } from '../../values/option-check.ts';
import { isRecord } from '../../values/record.ts';

/** The longest name of any kind (DNS-1123 subdomain). */
const LONGEST_NAME = 253;
/** What nearly all names are, and what needs neither a closer look nor encoding. */
const ORDINARY = /^[a-z0-9][a-z0-9.-]*$/;

/** Refuses what is not even an object: a misspelt `builtin.X` is `undefined`. Code `INVALID_OPTION`. */
export function checkResource(resource: unknown): void {
  refuseUnless(isRecord(resource), 'resource', 'must be a resource token: builtin.X');
}

/** The path of one object, or of a subresource of it. */
export function objectPath(
  resource: ApiResource,
  object: ObjectName,
  subresource?: string,
): string {
  checkResource(resource);
  refuseUnless(isRecord(object), 'name', 'must be { namespace, name }');
  const { namespace, name } = object;
  checkScope(resource, namespace, name);
  const path = `${collectionPath(resource, namespace)}/${segment('name', name)}`;
  return subresource === undefined ? path : `${path}/${segment('subresource', subresource)}`;
}

/** The path of all objects of a namespace, or of the whole cluster. */
export function collectionPath(resource: ApiResource, namespace?: string): string {
  checkResource(resource);
  const { group, version, plural } = resource;
  if (!version || !plural || typeof group !== 'string') {
    throw new ClientError('INVALID_RESOURCE', { kind: resource.kind, group, version, plural });
  }
  const root =
    group === ''
      ? `/api/${segment('version', version)}`
      : `/apis/${segment('group', group)}/${segment('version', version)}`;
  const scope = namespace ? `/namespaces/${segment('namespace', namespace)}` : '';
  if (scope !== '' && !resource.namespaced) throw notAllowed(resource, namespace);
  return `${root}${scope}/${segment('plural', plural)}`;
}

/** Where an object that has no name yet is created. */
export function creationPath(resource: ApiResource, object: KubernetesObject): string {
  const { namespace, name } = object.metadata ?? {};
  checkScope(resource, namespace, name);
  return collectionPath(resource, namespace);
}

/** The name of an object that must have one. */
export function nameOf(resource: ApiResource, object: KubernetesObject): ObjectName {
  const { namespace, name } = object.metadata ?? {};
  if (!name) throw new ClientError('NAME_REQUIRED', { kind: resource.kind, namespace });
  return namespace === undefined ? { name } : { namespace, name };
}

/** The query with its `?`; members that are `undefined` are left out. Empty without members. */
export function queryOf(
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  let query = '';
  for (const [key, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    query += `${query === '' ? '?' : '&'}${encodeURIComponent(key)}=${encodeURIComponent(value)}`;
  }
  return query;
}

function checkScope(
  resource: ApiResource,
  namespace: string | undefined,
  name: string | undefined,
): void {
  if (resource.namespaced && !namespace) {
    throw new ClientError('NAMESPACE_REQUIRED', { kind: resource.kind, name });
  }
  if (!resource.namespaced && namespace) throw notAllowed(resource, namespace);
}

function notAllowed(resource: ApiResource, namespace: string | undefined): ClientError {
  return new ClientError('NAMESPACE_NOT_ALLOWED', { kind: resource.kind, namespace });
}

/** What may be one segment of a path (apimachinery's path segment rule); names of RBAC objects have colons. */
function segment(what: string, value: unknown): string {
  if (typeof value !== 'string') throw invalidName(what, typeof value, 'must be a text');
  if (value.length <= LONGEST_NAME && ORDINARY.test(value)) return value;
  const reason = problemOf(value);
  if (reason !== undefined) throw invalidName(what, value, reason);
  return encodeURIComponent(value);
}

export function invalidName(what: string, value: string, reason: string): CodedError {
  const facts = { what, value: value.slice(0, LONGEST_NAME), reason };
  return new CodedError('INVALID_NAME', apimachineryErrors.INVALID_NAME, facts);
}

/** Why a text cannot be one segment of a path; `undefined` if it can. */
export function problemOf(value: string): string | undefined {
  if (value === '') return 'must not be empty';
  if (value.length > LONGEST_NAME) return `must have at most ${LONGEST_NAME} characters`;
  if (value === '.' || value === '..') return 'must not be "." or ".."';
  // oxlint-disable-next-line no-control-regex -- control characters are what must not pass
  if (/[/%\u0000-\u001f\u007f]/.test(value))
    return 'must not contain "/", "%" or control characters';
  return value.isWellFormed() ? undefined : 'must be well-formed Unicode';
}
