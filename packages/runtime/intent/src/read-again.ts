import {
  isNotFound,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import { nameOf } from './name-of.ts';
import type { IntentAccess } from './intent-place.ts';

/**
 * Reads the object from the server. Resolves with `undefined` if it was deleted or replaced by one of the same name.
 */
export async function readAgain<T extends KubernetesObject>({
  client,
  resource,
  object,
  signal,
}: IntentAccess<T>): Promise<DeepReadonly<Persisted<T>> | undefined> {
  try {
    const found = await client.get(resource, nameOf(object), { signal });
    return found.metadata.uid === object.metadata.uid
      ? (found as DeepReadonly<Persisted<T>>)
      : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
