import {
  isConflict,
  isInvalid,
  isNotFound,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
  type StatusError,
} from '@keelson/apimachinery';
import type { Client, JsonPatchOperation } from '@keelson/client';
import { ManagerError } from '../errors.ts';
import { requestFor } from './request.ts';

/** The object whose finalizers change. */
export interface FinalizerTarget<T extends KubernetesObject> {
  readonly client: Pick<Client, 'get' | 'patch'>;
  readonly resource: ApiResource<T>;
  readonly object: DeepReadonly<Persisted<T>>;
  readonly signal?: AbortSignal | undefined;
}

type AnyObject = DeepReadonly<KubernetesObject>;

/** Writes before `FINALIZER_CONFLICT`. After so many, another client keeps changing the finalizers. */
const MAX_ATTEMPTS = 10;

const FINALIZERS = '/metadata/finalizers';

/**
 * Writes the finalizers that `change` returns; `undefined` means no write. The write applies only to the list that
 * `change` received. Other members may change meanwhile; after a change of the list the object is read again. Resolves
 * with false if the object does not exist. Throws `FINALIZER_CONFLICT` after 10 such changes in a row, and
 * `FINALIZER_NOT_STORED` if the server accepts the write and does not store the change.
 */
export async function changeFinalizers<T extends KubernetesObject>(
  target: FinalizerTarget<T>,
  change: (object: AnyObject) => string[] | undefined,
): Promise<boolean> {
  let object: AnyObject = target.object;
  for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
    const finalizers = change(object);
    if (finalizers === undefined) return true;
    const result = await tryToWrite(target, object, finalizers);
    if (result === 'gone') return false;
    if (!(result instanceof Error)) {
      const missed = missedChanges(object, finalizers, result);
      if (missed.length === 0) return true;
      const facts = { kind: target.resource.kind, ...requestFor(target.object) };
      throw new ManagerError('FINALIZER_NOT_STORED', { ...facts, finalizers: missed.join(' ') });
    }
    const fresh = await read(target);
    // A new object of the same name has its own finalizers.
    if (fresh?.metadata?.uid !== object.metadata?.uid || fresh === undefined) return false;
    // The patch would pass its tests now, so the server refused the new list or the object itself.
    const isStillWanted = hasSameFinalizers(fresh, object) && change(fresh) !== undefined;
    if (isInvalid(result) && isStillWanted) throw result;
    object = fresh;
  }
  const { kind } = target.resource;
  throw new ManagerError('FINALIZER_CONFLICT', { kind, ...requestFor(target.object) });
}

/**
 * Resolves with the object of the response, with `'gone'` if the object no longer exists, or with the error of a
 * refused patch if the object may have changed meanwhile.
 */
async function tryToWrite<T extends KubernetesObject>(
  { client, resource, object: { metadata }, signal }: FinalizerTarget<T>,
  object: AnyObject,
  finalizers: readonly string[],
): Promise<AnyObject | 'gone' | StatusError> {
  try {
    const patch = { type: 'json', body: operations(object, finalizers) } as const;
    const name = requestFor({ metadata });
    return await client.patch<KubernetesObject>(resource, name, patch, { signal });
  } catch (error) {
    if (isNotFound(error)) return 'gone';
    if (isConflict(error) || isInvalid(error)) return error as StatusError;
    throw error;
  }
}

/**
 * Returns a patch without a resourceVersion: kube-apiserver applies it again if other members change meanwhile. In a
 * test, kube-apiserver treats a missing member as null.
 */
function operations(
  { metadata: { uid, finalizers: before } = {} }: AnyObject,
  finalizers: readonly string[],
): JsonPatchOperation[] {
  const tests: JsonPatchOperation[] = [
    ...(uid === undefined ? [] : [{ op: 'test', path: '/metadata/uid', value: uid } as const]),
    { op: 'test', path: FINALIZERS, value: before ?? null },
  ];
  if (finalizers.length > 0) return [...tests, { op: 'add', path: FINALIZERS, value: finalizers }];
  return [...tests, { op: 'remove', path: FINALIZERS }];
}

/** The changes of a write that the server did not store, for example because of a webhook. */
function missedChanges(
  { metadata: { finalizers: before = [] } = {} }: AnyObject,
  wanted: readonly string[],
  { metadata: { finalizers: stored = [] } = {} }: AnyObject,
): string[] {
  const added = wanted.filter((name) => !before.includes(name) && !stored.includes(name));
  const removed = before.filter((name) => !wanted.includes(name) && stored.includes(name));
  return [...added, ...removed];
}

function hasSameFinalizers(one: AnyObject, other: AnyObject): boolean {
  return JSON.stringify(one.metadata?.finalizers) === JSON.stringify(other.metadata?.finalizers);
}

async function read<T extends KubernetesObject>({
  client,
  resource,
  object,
  signal,
}: FinalizerTarget<T>): Promise<AnyObject | undefined> {
  try {
    return await client.get<KubernetesObject>(resource, requestFor(object), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
