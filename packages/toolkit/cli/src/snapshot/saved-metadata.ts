import { isJsonObject, type JsonObject } from '../types/definition/custom-kind.ts';

/** The newest resourceVersion with which the server in memory starts. */
const MAX_VERSION = 2n ** 52n;

/** What `isVersion` accepts, for messages. */
export const VERSION = 'a string with a number from 1 to 2^52';

/** True for a resourceVersion that the server in memory restores. */
export function isVersion(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) && BigInt(value) <= MAX_VERSION;
}

/** Returns why the server in memory would not restore an object with this metadata; `undefined` if it would. */
export function checkMetadata(metadata: JsonObject, namespaced: boolean): string | undefined {
  const { namespace } = metadata;
  if (!namespaced && namespace !== undefined) return 'metadata.namespace is not allowed';
  if (namespaced && !isName(namespace)) return 'metadata.namespace must be a name';
  for (const [member, { isValid, expected, isNeeded }] of Object.entries(checks)) {
    const value = metadata[member];
    const isAccepted = value === undefined ? isNeeded !== true : isValid(value);
    if (!isAccepted) return `metadata.${member} must be ${expected}`;
  }
  return undefined;
}

interface Check {
  readonly expected: string;
  readonly isNeeded?: true;
  readonly isValid: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string';
/** Integers beyond 2^53 are read as bigints. */
const isNumber = (value: unknown): boolean => ['number', 'bigint'].includes(typeof value);

/** A name is a part of a path. */
function isName(value: unknown): boolean {
  return typeof value === 'string' && /^(?!\.{1,2}$)[^/%]+$/.test(value);
}

function isTextMap(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every(isText);
}

function isListOf(isItem: (item: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(isItem);
}

function isOwner(item: unknown): boolean {
  return (
    isJsonObject(item) && ['apiVersion', 'kind', 'name', 'uid'].every((name) => isText(item[name]))
  );
}

const text: Check = { expected: 'a string', isValid: isText };
const number: Check = { expected: 'a number', isValid: isNumber };
const textMap: Check = { expected: 'an object of strings', isValid: isTextMap };

/** The members of metadata that the server in memory checks when it restores an object. */
const checks: Readonly<Record<string, Check>> = {
  name: { expected: 'a name', isNeeded: true, isValid: isName },
  resourceVersion: { expected: VERSION, isNeeded: true, isValid: isVersion },
  generateName: text,
  uid: text,
  generation: number,
  creationTimestamp: text,
  deletionTimestamp: text,
  deletionGracePeriodSeconds: number,
  labels: textMap,
  annotations: textMap,
  finalizers: { expected: 'a list of strings', isValid: isListOf(isText) },
  ownerReferences: { expected: 'a list of owner references', isValid: isListOf(isOwner) },
  managedFields: { expected: 'a list of objects', isValid: isListOf(isJsonObject) },
};
