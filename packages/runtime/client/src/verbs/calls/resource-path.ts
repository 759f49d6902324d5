import {
  apimachineryErrors,
  CodedError,
  invalidOption,
  objectNameProblem,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type ObjectName,
} from '@keelson/apimachinery';
import { ClientError } from '../../errors.ts';
import { refuseUnless } from '../../values/option-check.ts';
import { isRecord } from '../../values/record.ts';

/** Upper bound of a name of any kind, in characters (DNS-1123 subdomain). */
const MAX_NAME_LENGTH = 253;

/** Throws `INVALID_OPTION` if `resource` is not an object. A misspelt `builtin.X` is `undefined`. */
export function checkResource(resource: unknown): void {
  refuseUnless(isRecord(resource), 'resource', 'must be a resource token: builtin.X');
}

/** Returns the path of one object, or of a subresource of it. */
export function objectPath(
  resource: ApiResource,
  object: ObjectName,
  subresource?: string,
): string {
  if (!isRecord(resource)) checkResource(resource);
  if (!isRecord(object)) throw invalidOption('name', 'must be { namespace, name }');
  const { namespace, name } = object;
  if (resource.namespaced && !namespace) throw namespaceRequired(resource, name);
  if (!resource.namespaced && namespace) throw notAllowed(resource, namespace);
  const path = `${collectionPath(resource, namespace)}/${segment('name', name)}`;
  return subresource === undefined ? path : `${path}/${segment('subresource', subresource)}`;
}

/** Returns the path of all objects of a namespace, or of the whole cluster. */
export function collectionPath(resource: ApiResource, namespace?: string): string {
  if (!isRecord(resource)) checkResource(resource);
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

/** Returns the path for creating an object, whose name may be missing (`generateName`). */
export function creationPath(
  resource: ApiResource,
  object: DeepReadonly<KubernetesObject>,
): string {
  const { namespace, name } = object.metadata ?? {};
  if (resource.namespaced && !namespace) throw namespaceRequired(resource, name);
  if (!resource.namespaced && namespace) throw notAllowed(resource, namespace);
  return collectionPath(resource, namespace);
}

/** Returns namespace and name of an object. Throws `NAME_REQUIRED` if the name is missing. */
export function nameOf(resource: ApiResource, object: DeepReadonly<KubernetesObject>): ObjectName {
  const { namespace, name } = object.metadata ?? {};
  if (!name) throw new ClientError('NAME_REQUIRED', { kind: resource.kind, namespace });
  return namespace === undefined ? { name } : { namespace, name };
}

/**
 * Returns the query with its leading `?`, or the empty string without parameters. Parameters that are `undefined` are
 * omitted.
 */
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

function namespaceRequired(resource: ApiResource, name: string | undefined): ClientError {
  return new ClientError('NAMESPACE_REQUIRED', { kind: resource.kind, name });
}

function notAllowed(resource: ApiResource, namespace: string | undefined): ClientError {
  return new ClientError('NAMESPACE_NOT_ALLOWED', { kind: resource.kind, namespace });
}

/**
 * Encodes one segment of a path. It accepts names by the rule of k8s.io/apimachinery for path segments, which permits
 * the colons in names of RBAC objects.
 */
function segment(what: string, value: unknown): string {
  if (typeof value !== 'string') throw invalidName(what, typeof value, 'must be a string');
  const reason = objectNameProblem(value);
  if (reason !== undefined) throw invalidName(what, value, reason);
  return encodeURIComponent(value);
}

export function invalidName(what: string, value: string, reason: string): CodedError {
  const facts = { what, value: value.slice(0, MAX_NAME_LENGTH), reason };
  return new CodedError('INVALID_NAME', apimachineryErrors.INVALID_NAME, facts);
}
