import {
  isNotFound,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import { nameOf } from './name-of.ts';
import type { IntentAccess } from './intent-place.ts';

/** The object as the server has it, or `undefined` if it is gone or replaced. */
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
