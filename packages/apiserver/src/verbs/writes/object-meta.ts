import { randomInt, randomUUID } from 'node:crypto';
import type { StatusCause } from '@keelson/apimachinery';
import { timestamp } from '../../schema/clock.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import { badRequest, conflict, failure, invalid, modified } from '../../failures/status-answers.ts';
import type { ApiObject } from '../../storage/api-object.ts';

/** No vowels and no digits that look like letters, so that no name becomes a word. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const longestBase = 63 - suffixLength;

/** A name that begins with `base`: what `generateName` makes. */
export function generatedName(base: string): string {
  let name = base.slice(0, longestBase);
  for (let at = 0; at < suffixLength; at++)
    name += suffixAlphabet[randomInt(suffixAlphabet.length)];
  return name;
}

/** Puts the namespace of the URL into the object, or refuses another one. */
export function placeInNamespace(
  resource: ServedResource,
  object: ApiObject,
  namespace: string,
): void {
  const { metadata } = object;
  if (!resource.facts.namespaced) {
    if (metadata.namespace !== undefined && metadata.namespace !== '') {
      throw otherNamespace();
    }
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace === undefined || metadata.namespace === '') metadata.namespace = namespace;
  if (metadata.namespace !== namespace) {
    throw otherNamespace();
  }
}

/** The object names another namespace than the URL. */
export function otherNamespace(): Error {
  return badRequest(
    'the namespace of the provided object does not match the namespace sent on the request',
  );
}

/** Fills in what the server decides about a new object. */
export function completeNewMetadata(
  resource: ServedResource,
  object: ApiObject,
  now: number,
): void {
  const { metadata } = object;
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '') {
    throw failure(500, '', 'resourceVersion should not be set on objects to be created');
  }
  delete metadata.resourceVersion;
  delete metadata.selfLink;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  const { firstGeneration } = resource.strategy;
  delete metadata.generation;
  const named = metadata.name !== undefined && metadata.name !== '';
  if (!named && metadata.generateName) metadata.name = generatedName(metadata.generateName);
  object.metadata = {
    ...metadata,
    uid: randomUUID(),
    ...(firstGeneration > 0 && { generation: firstGeneration }),
    creationTimestamp: timestamp(now),
  };
}

/** The object that a write brings has no name; `name` is the one in the URL. */
export function undeterminable(name: string): Error {
  return badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );
}

/** Refuses a whole object that names another uid: its writer means one that has gone. A patch is judged like any change. */
export function checkUid(resource: ServedResource, current: ApiObject, next: ApiObject): void {
  const { uid } = next.metadata;
  if (uid === undefined || uid === '' || uid === current.metadata.uid) return;
  const subject = resource.subject(current.metadata.name ?? '');
  throw conflict(subject, uidMismatch(resource, current, uid));
}

/** Refuses an update of an older state, or without a state where the kind wants one. */
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

/** Refuses a resourceVersion that is no number, which kube-apiserver stumbles over. */
export function checkVersionSyntax({ metadata: { resourceVersion = '' } }: ApiObject): void {
  if (/^\d*$/.test(resourceVersion)) return;
  const why = `parsing ${JSON.stringify(resourceVersion)}: invalid syntax`;
  throw failure(500, '', `strconv.ParseUint: ${why}`);
}

const versionRequired: StatusCause = {
  reason: 'FieldValueInvalid',
  message: 'Invalid value: 0: must be specified for an update',
  field: 'metadata.resourceVersion',
};

/** An update names its object as the URL does. */
export function checkName(object: ApiObject, name: string): void {
  const own = object.metadata.name ?? '';
  if (own === '') throw undeterminable(name);
  if (own === name) return;
  throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
}

function uidMismatch(resource: ServedResource, current: ApiObject, uid: string): string {
  const { namespace, name } = current.metadata;
  const { custom, group, plural } = resource.facts;
  const parts = ['/registry', custom ? group : '', plural, namespace, name];
  const key = parts.filter(Boolean).join('/');
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`;
}

/** Gives an update the metadata that no writer can change, whatever it says, and what it leaves out. */
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
