import {
  isDeleting,
  isNotFound,
  keyOf,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import type { Client } from '../verbs/client.ts';
import { applySetLabels, groupKindOf } from './apply-set.ts';

/** An object with the label of the set, and its kind. */
export interface Member {
  readonly resource: ApiResource;
  readonly object: DeepReadonly<Persisted>;
  readonly key: string;
}

/** Returns a key that is equal for an object in two versions of its kind. */
export function memberKey(resource: ApiResource, object: DeepReadonly<KubernetesObject>): string {
  return `${groupKindOf(resource)} ${keyOf(object)}`;
}

/** A list request: a kind in one namespace, or of the whole cluster if it is cluster-scoped. */
export interface Place {
  readonly resource: ApiResource;
  readonly namespace: string | undefined;
}

/** Returns the places in which kinds may have objects. */
export function placesOf(
  kinds: readonly ApiResource[],
  namespaces: Iterable<string>,
): readonly Place[] {
  const all = [...namespaces];
  return kinds.flatMap((resource): Place[] =>
    resource.namespaced
      ? all.map((namespace) => ({ resource, namespace }))
      : [{ resource, namespace: undefined }],
  );
}

/** Lists the members of a set in one place; `undefined` if the server no longer serves the kind. */
export async function listMembers(
  client: Pick<Client, 'items'>,
  id: string,
  { resource, namespace }: Place,
  signal: AbortSignal | undefined,
): Promise<readonly Member[] | undefined> {
  const labelSelector = `${applySetLabels.partOf}=${id}`;
  const members: Member[] = [];
  try {
    for await (const object of client.items(resource, { namespace, labelSelector, signal })) {
      members.push({ resource, object, key: memberKey(resource, object) });
    }
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  return members;
}

/** True for a member that is not being deleted. */
export function isLive({ object }: Member): boolean {
  return !isDeleting(object);
}
