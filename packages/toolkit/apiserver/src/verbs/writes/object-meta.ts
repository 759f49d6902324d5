import { randomInt, randomUUID } from 'node:crypto';
import type { StatusCause } from '@keelson/apimachinery';
import type { ServedResource } from '../../resources/served-resource.ts';
import {
  badRequest,
  conflict,
  failure,
  invalid,
  modified,
} from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import { versionProblem } from './version-problem.ts';

/** Kubernetes' alphabet without vowels and similar digits, so that no name contains a word. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const longestBase = 63 - suffixLength;

/** Returns `base` with a random suffix, for `generateName`. */
export function generatedName(base: string): string {
  let name = base.slice(0, longestBase);
  for (let at = 0; at < suffixLength; at++)
    name += suffixAlphabet[randomInt(suffixAlphabet.length)];
  return name;
}

/**
 * Sets the namespace of the URL in the object, and removes that of a cluster-scoped object. Throws 400 if a namespaced
 * object has another one.
 */
export function placeInNamespace(
  resource: ServedResource,
  object: ApiObject,
  namespace: string,
): void {
  const { metadata } = object;
  if (!resource.facts.namespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace === undefined || metadata.namespace === '') metadata.namespace = namespace;
  if (metadata.namespace !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
}

/** Removes the metadata that the server determines for a new object, before admission sees the object. */
export function clearNewMetadata(
  resource: ServedResource,
  { metadata }: ApiObject,
  isUpsert: boolean,
): void {
  // A deletion is slow, also of a member that does not exist.
  for (const name of ofServer) if (metadata[name] !== undefined) delete metadata[name];
  // The other kinds keep the generation that the client sends.
  if (resource.strategy.firstGeneration > 0) delete metadata.generation;
  // kube-apiserver does not clear it in an object that an update or a patch creates.
  if (!isUpsert && metadata.deletionGracePeriodSeconds !== undefined) {
    delete metadata.deletionGracePeriodSeconds;
  }
}

const ofServer = ['selfLink', 'deletionTimestamp', 'uid', 'creationTimestamp'] as const;

/** Sets the metadata that the server determines for a new object, after admission. `now` is in RFC 3339. */
export function completeNewMetadata(
  resource: ServedResource,
  object: ApiObject,
  now: string,
): void {
  const { metadata } = object;
  const { firstGeneration } = resource.strategy;
  const named = metadata.name !== undefined && metadata.name !== '';
  if (!named && metadata.generateName) metadata.name = generatedName(metadata.generateName);
  object.metadata = {
    ...metadata,
    uid: randomUUID(),
    ...(firstGeneration > 0 && { generation: firstGeneration }),
    creationTimestamp: now,
  };
}

/** Refuses a new object with a version. kube-apiserver ignores one that is not a number, and any on a dry run. */
export function checkNewVersion({ metadata: { resourceVersion = '' } }: ApiObject): void {
  if (resourceVersion === '' || !/^\d+$/.test(resourceVersion)) return;
  if (BigInt(resourceVersion) === 0n) return;
  throw failure(500, '', 'resourceVersion should not be set on objects to be created');
}

/** The error for an object without a name; `name` is the one in the URL. */
export function nameRequired(name: string): Error {
  return badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );
}

/** Refuses an update with another uid, since it addresses a deleted object. A patch is validated like other changes. */
export function checkUid(
  resource: ServedResource,
  current: ApiObject,
  next: ApiObject,
  { dryRun }: { readonly dryRun: boolean },
): void {
  const { uid } = next.metadata;
  if (uid === undefined || uid === '' || uid === current.metadata.uid) return;
  const subject = resource.subject(current.metadata.name ?? '');
  const message = uidMismatch(resource, current, uid);
  throw conflict(subject, dryRun ? withoutStorage(message) : message);
}

/** Refuses an update with a uid that would create the object. */
export function checkUidOfMissing(
  resource: ServedResource,
  { metadata }: ApiObject,
  { dryRun }: { readonly dryRun: boolean },
): void {
  const { uid = '', name = '', namespace } = metadata;
  if (uid === '') return;
  const missing = { metadata: { name, uid: '', ...(namespace !== undefined && { namespace }) } };
  const message = uidMismatch(resource, missing, uid);
  throw conflict(resource.subject(name), dryRun ? withoutStorage(message) : message);
}

/** Only the storage adds the prefix of the keys, and a dry run does not reach it. */
function withoutStorage(message: string): string {
  return message.replace('/registry', '');
}

/** Refuses an update of an older version, and one without a version if the kind requires it. */
export function checkPreconditions(
  resource: ServedResource,
  current: ApiObject,
  next: ApiObject,
): void {
  const { resourceVersion } = next.metadata;
  const subject = resource.subject(current.metadata.name ?? '');
  if (resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0') {
    if (!resource.strategy.allowsUnconditionalUpdate)
      throw invalid({ ...subject, kind: subject.plural }, [versionRequired]);
    return;
  }
  checkVersionSyntax(next);
  if (resourceVersion !== current.metadata.resourceVersion) throw modified(subject);
}

/** Refuses an invalid resourceVersion. kube-apiserver responds with 500. */
export function checkVersionSyntax({ metadata: { resourceVersion = '' } }: ApiObject): void {
  const problem = versionProblem(resourceVersion);
  if (problem !== undefined) throw failure(500, '', problem);
}

const versionRequired: StatusCause = {
  reason: 'FieldValueInvalid',
  message: 'Invalid value: 0: must be specified for an update',
  field: 'metadata.resourceVersion',
};

/** Requires the name of the URL in an update. */
export function checkName(object: ApiObject, name: string): void {
  const own = object.metadata.name ?? '';
  if (own === '') throw nameRequired(name);
  if (own === name) return;
  throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
}

/** Returns the folder of etcd in which kube-apiserver keeps the objects of a resource. */
function folderOf({ facts: { custom, group, plural } }: ServedResource): string {
  if (custom || foldersByGroup.has(group)) return `${group}/${plural}`;
  return otherFolders[group === '' ? plural : `${group}/${plural}`] ?? plural;
}

/** Groups of the extension and aggregation servers. */
const foldersByGroup: ReadonlySet<string> = new Set([
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
]);

/** Folders with other names than their resources. Source: `SpecialDefaultResourcePrefixes` of Kubernetes. */
const otherFolders: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  'networking.k8s.io/ingresses': 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

function uidMismatch(resource: ServedResource, current: ApiObject, uid: string): string {
  return mismatchIn(resource, current, ['UID', uid, current.metadata.uid]);
}

/** The message of the storage about an object that does not match the precondition of a write. */
function mismatchIn(
  resource: ServedResource,
  { metadata: { namespace, name } }: ApiObject,
  [member, wanted, found = '']: readonly [string, string, string | undefined],
): string {
  const key = ['/registry', folderOf(resource), namespace, name].filter(Boolean).join('/');
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${member} in precondition: ${wanted}, ${member} in object meta: ${found}`;
}

/** Refuses a binding of a pod that has another uid or version than the binding. The versions are compared as texts. */
export function checkIdentity(
  resource: ServedResource,
  current: ApiObject,
  { uid = '', resourceVersion: version = '' }: ApiObject['metadata'],
  { dryRun }: { readonly dryRun: boolean },
): void {
  const { name = '', uid: own, resourceVersion: ownVersion } = current.metadata;
  const parts: readonly (readonly [string, string, string | undefined])[] = [
    ['UID', uid, own],
    ['ResourceVersion', version, ownVersion],
  ];
  const wrong = parts.find(([, wanted, found]) => wanted !== '' && wanted !== found);
  if (wrong === undefined) return;
  const message = mismatchIn(resource, current, wrong);
  throw conflict(resource.subject(name), dryRun ? withoutStorage(message) : message);
}

/** Restores the metadata of an update that writers cannot change or have left out. */
export function keepServerMetadata(next: ApiObject, current: ApiObject): void {
  const { metadata } = next;
  for (const name of serverMembers) {
    const value = current.metadata[name];
    if (value === undefined) delete metadata[name];
    else Object.assign(metadata, { [name]: value });
  }
  const { uid, deletionTimestamp, deletionGracePeriodSeconds: grace } = current.metadata;
  if (!metadata.uid && uid !== undefined) metadata.uid = uid;
  if (deletionTimestamp !== undefined) metadata.deletionTimestamp = deletionTimestamp;
  if (grace !== undefined) metadata.deletionGracePeriodSeconds ??= grace;
  delete metadata.selfLink;
}

const serverMembers = [
  'name',
  'namespace',
  'resourceVersion',
  'generation',
  'creationTimestamp',
] as const;
