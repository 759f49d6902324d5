import type { ObjectMeta } from '@keelson/apimachinery';
import { invalidSnapshot } from './invalid-snapshot.ts';

type Members = Readonly<Record<string, unknown>>;

/** Returns the members of a JSON object, and none of another value. */
export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : {};
}

/** The newest resourceVersion of a snapshot. Those of the writes that follow are still exact numbers. */
const MAX_REVISION = 2 ** 52;

/** True for a resourceVersion that a snapshot may have: a string with a number from 1 to 2^52. */
export function isSnapshotVersion(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d*$/.test(value) && Number(value) <= MAX_REVISION;
}

/** Reads a resourceVersion. Throws `SNAPSHOT_INVALID`. */
export function revisionOf(line: number, value: unknown, name: string): number {
  if (isSnapshotVersion(value)) return Number(value);
  throw invalidSnapshot(line, `${name} must be a resourceVersion`);
}

/**
 * Returns why a server cannot restore an object with this metadata, such as `metadata.uid must be a string`; `undefined` if it
 * can. The controllers of the server read these members without a further check.
 */
export function snapshotMetadataProblem(value: unknown): string | undefined {
  const metadata = membersOf(value);
  for (const [name, check] of Object.entries(checks)) {
    if (!check.isValid(metadata[name])) return `metadata.${name} must be ${check.expected}`;
  }
  return undefined;
}

/** Checks the metadata of an object. Throws `SNAPSHOT_INVALID`. */
export function checkedMetadata(
  line: number,
  value: unknown,
): { readonly metadata: ObjectMeta; readonly revision: number } {
  const problem = snapshotMetadataProblem(value);
  if (problem !== undefined) throw invalidSnapshot(line, problem);
  const metadata = membersOf(value);
  return { metadata, revision: Number(metadata['resourceVersion']) };
}

interface Check {
  readonly expected: string;
  isValid(value: unknown): boolean;
}

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';
/** Integers beyond 2^53 are read as bigints. */
const isNumber = (value: unknown): boolean =>
  value === undefined || typeof value === 'number' || typeof value === 'bigint';

function isTextMap(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const each of Object.values(value)) if (typeof each !== 'string') return false;
  return true;
}

function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isItem));
}

/** A name is a part of a path. */
function isName(value: unknown): boolean {
  return typeof value === 'string' && /^(?!\.{1,2}$)[^/%]+$/.test(value);
}

function isOwner(item: unknown): boolean {
  const owner = membersOf(item);
  return ['apiVersion', 'kind', 'name', 'uid'].every((name) => typeof owner[name] === 'string');
}

const text: Check = { expected: 'a string', isValid: isText };
const textMap: Check = { expected: 'an object of strings', isValid: isTextMap };

/** The members of metadata that the server reads. */
const checks: Readonly<Partial<Record<keyof ObjectMeta, Check>>> = {
  name: { expected: 'a name', isValid: isName },
  resourceVersion: { expected: 'a resourceVersion', isValid: isSnapshotVersion },
  namespace: { expected: 'a name', isValid: (value) => value === undefined || isName(value) },
  generateName: text,
  uid: text,
  generation: { expected: 'a number', isValid: isNumber },
  creationTimestamp: text,
  deletionTimestamp: text,
  deletionGracePeriodSeconds: { expected: 'a number', isValid: isNumber },
  labels: textMap,
  annotations: textMap,
  finalizers: {
    expected: 'a list of strings',
    isValid: (value) => isList(value, (item) => typeof item === 'string'),
  },
  ownerReferences: {
    expected: 'a list of owner references',
    isValid: (value) => isList(value, isOwner),
  },
  managedFields: {
    expected: 'a list of objects',
    isValid: (value) => isList(value, (item) => membersOf(item) === item),
  },
};
