import {
  type ApiResource,
  checkCount,
  checkFlag,
  checkOptions,
  checkSignal,
  invalidOption,
  type ObjectName,
} from '@keelson/apimachinery';
import { informerError } from '../errors.ts';

const listMembers = [
  'namespace',
  'labelSelector',
  'fieldSelector',
  'index',
  'projection',
  'transform',
  'overlay',
  'signal',
  'limit',
];
const texts = ['namespace', 'labelSelector', 'fieldSelector'] as const;

/**
 * Rejects unknown and invalid list options: an ignored option would select more than the caller
 * wants.
 */
export function checkListOptions(options: object | undefined, where: string): void {
  if (options === undefined) return;
  checkOptions(options, listMembers, where);
  const given = options as Readonly<Record<string, unknown>>;
  for (const member of texts) checkText(given[member], `${where}.${member}`);
  checkForm(given, where);
  checkSignal(given['signal'], `${where}.signal`);
  if (given['limit'] !== undefined) checkCount(given['limit'], `${where}.limit`);
  if (given['index'] === undefined) return;
  checkOptions(given['index'] as object, ['name', 'value'], `${where}.index`);
  const { name, value } = given['index'] as Readonly<Record<string, unknown>>;
  for (const text of [name, value]) {
    if (typeof text !== 'string') throw invalidOption(`${where}.index`, 'must be { name, value }');
  }
}

/** Throws `INVALID_OPTION` for invalid options of a read of one object. */
export function checkReadOptions(options: object | undefined, where: string): void {
  if (options === undefined) return;
  checkOptions(options, ['projection', 'transform', 'overlay'], where);
  checkForm(options as Readonly<Record<string, unknown>>, where);
}

/** Throws `INVALID_OPTION` for invalid options of a read of one object of a handle. */
export function checkStoreOptions(options: object | undefined, where: string): void {
  if (options === undefined) return;
  checkOptions(options, ['overlay'], where);
  checkFlag((options as Readonly<Record<string, unknown>>)['overlay'], `${where}.overlay`);
}

/** Checks the options that every read of a cache has. */
export function checkForm(options: Readonly<Record<string, unknown>>, where: string): void {
  checkText(options['transform'], `${where}.transform`);
  checkChoice(options['projection'], ['full', 'metadata'], `${where}.projection`);
  checkFlag(options['overlay'], `${where}.overlay`);
}

/** Throws `INVALID_OPTION` for a value that is not a kind, such as a misspelt `builtin.X`. */
export function checkResource(resource: ApiResource, where: string): void {
  if (typeof (resource as ApiResource | null | undefined)?.plural === 'string') return;
  throw invalidOption(where, 'must be a resource token');
}

/** Throws `INVALID_OPTION` for a value that is not an object. */
export function checkObject(value: unknown, where: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidOption(where, 'must be an object');
  }
}

export function checkText(value: unknown, where: string): void {
  if (value !== undefined && typeof value !== 'string')
    throw invalidOption(where, 'must be a string');
}

export function checkChoice(value: unknown, choices: readonly unknown[], where: string): void {
  if (value !== undefined && !choices.includes(value)) {
    throw invalidOption(where, `must be one of ${choices.join(', ')}`, { value });
  }
}

/**
 * Rejects a name that does not fit the scope of the kind. Returning `undefined` would look like a
 * deleted object.
 */
export function checkName(resource: ApiResource, object: ObjectName): void {
  const { namespace, name } = object ?? {};
  if (typeof name !== 'string' || (namespace !== undefined && typeof namespace !== 'string')) {
    throw invalidOption('name', 'must be { namespace, name }');
  }
  // A single comparison, because every read runs it. A token without `namespaced` accepts every name.
  if (resource.namespaced !== !namespace) return;
  if (namespace) throw namespaceNotAllowed(resource, namespace);
  throw informerError('NAMESPACE_REQUIRED', { kind: resource.kind, name });
}

/**
 * Rejects a namespace for a cluster-scoped kind. A list without a namespace covers all namespaces.
 */
export function checkNamespaceOf(resource: ApiResource, namespace: string | undefined): void {
  const isOfOtherScope = resource.namespaced === !namespace;
  if (namespace && isOfOtherScope) {
    throw namespaceNotAllowed(resource, namespace);
  }
}

function namespaceNotAllowed({ kind }: ApiResource, namespace: string): Error {
  return informerError('NAMESPACE_NOT_ALLOWED', { kind, namespace });
}
