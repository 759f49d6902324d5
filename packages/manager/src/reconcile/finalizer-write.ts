import {
  isConflict,
  isNotFound,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { ManagerError } from '../errors.ts';
import { requestFor } from './request.ts';

/** The object whose finalizers change. */
export interface FinalizerTarget<T extends KubernetesObject> {
  readonly client: Pick<Client, 'get' | 'patch'>;
  readonly resource: ApiResource<T>;
  readonly object: DeepReadonly<Persisted<T>>;
  readonly signal?: AbortSignal | undefined;
}

/** Attempts to write before `FINALIZER_CONFLICT`: then another client keeps changing the object. */
const MAX_ATTEMPTS = 10;

/**
 * Writes the finalizers that `change` returns; `undefined` means no write. After a conflict the object is read again.
 * Resolves with false if the object does not exist, and throws `FINALIZER_CONFLICT` after 10 conflicts in a row.
 */
export async function changeFinalizers<T extends KubernetesObject>(
  target: FinalizerTarget<T>,
  change: (object: DeepReadonly<KubernetesObject>) => string[] | undefined,
): Promise<boolean> {
  let object: DeepReadonly<KubernetesObject> = target.object;
  for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
    const finalizers = change(object);
    if (finalizers === undefined) return true;
    const result = await tryToWrite(target, object, finalizers);
    if (result !== 'conflict') return result === 'written';
    const fresh = await read(target);
    // A new object of the same name has its own finalizers.
    if (fresh?.metadata?.uid !== object.metadata?.uid || fresh === undefined) return false;
    object = fresh;
  }
  const { kind } = target.resource;
  throw new ManagerError('FINALIZER_CONFLICT', { kind, ...requestFor(target.object) });
}

async function tryToWrite<T extends KubernetesObject>(
  target: FinalizerTarget<T>,
  object: DeepReadonly<KubernetesObject>,
  finalizers: string[],
): Promise<'written' | 'conflict' | 'gone'> {
  const { client, signal } = target;
  const resource: ApiResource = target.resource;
  const { resourceVersion, uid } = object.metadata ?? {};
  const body = { metadata: { resourceVersion, uid, finalizers } };
  try {
    // A merge patch of metadata is valid for every kind, which the type of one kind cannot express.
    const patch = { type: 'merge', body } as unknown as Parameters<Client['patch']>[2];
    await client.patch(resource, requestFor(target.object), patch, { signal });
    return 'written';
  } catch (error) {
    if (isConflict(error)) return 'conflict';
    if (isNotFound(error)) return 'gone';
    throw error;
  }
}

async function read<T extends KubernetesObject>({
  client,
  resource,
  object,
  signal,
}: FinalizerTarget<T>): Promise<DeepReadonly<KubernetesObject> | undefined> {
  try {
    return await client.get<KubernetesObject>(resource, requestFor(object), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
