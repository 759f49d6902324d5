import type { ApiResource, DeepReadonly, ObjectName, Persisted } from '@keelson/apimachinery';

/** An object that a write deleted. */
export interface DeletedObject {
  /** The namespace of the object; `undefined` for a cluster-scoped one. */
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
  /** The last version of the object, if the server returned the object. */
  readonly resourceVersion?: string | undefined;
}

/**
 * Receives the responses of the writes that succeeded, before the caller of the write receives them. A write is not
 * reported if it failed, if its outcome is unknown, or if it was a dry run. Those of `deleteCollection`, `request` and
 * the APIs of client-node are not reported either. An error of a method does not affect the write; it becomes a process
 * warning (`OBSERVER_FAILED`).
 */
export interface WriteObserver {
  /**
   * The server responded to a write of this resource, or of one of its subresources, with an object. It may be of
   * another kind, such as a `Scale`. The caller of the write may change it afterwards, so read it before the method
   * returns.
   */
  written(resource: ApiResource, object: DeepReadonly<Persisted>, facts: WriteFacts): void;
  /** An object no longer exists: the server deleted it, or removed it with its last finalizer. */
  deleted(resource: ApiResource, object: DeletedObject): void;
}

export const writeObserverMethods: readonly (keyof WriteObserver)[] = ['written', 'deleted'];

/** Facts about a write that are not in the object. */
export interface WriteFacts {
  /** True if the write created the object. */
  readonly isCreation: boolean;
  /** The body of an update or a patch. `undefined` for a write without a body. */
  readonly sent?: SentBody | undefined;
}

/** The body of a request as text, such as JSON, and its media type. */
export interface SentBody {
  readonly contentType: string;
  readonly text: string;
}

/** Names the object of a write for the observers that receive its response. */
export interface WriteTarget {
  readonly resource: ApiResource;
  /** The name of a deleted object, because the response may lack its namespace. Set only for a delete. */
  readonly deleted?: ObjectName;
}

interface WriteResult {
  readonly statusCode: number;
  readonly response: object;
  readonly sent: SentBody | undefined;
}

/** Reports the response of a successful write to observers, which are guarded. */
export function reportWrite(
  observers: readonly WriteObserver[],
  target: WriteTarget,
  { statusCode, response, sent }: WriteResult,
): void {
  const { resource, deleted: name } = target;
  const object = response as WriteResponse;
  const isDeletion = isGone(object, name !== undefined);
  const deleted = isDeletion ? deletedObject(object, name) : undefined;
  // The response only confirms an eviction, or a deletion without the uid of the object, so it contains no state.
  if (deleted === undefined && (isDeletion || object.kind === 'Status')) return;
  for (const observer of observers) {
    if (deleted !== undefined) observer.deleted(resource, deleted);
    else observer.written(resource, object, { isCreation: statusCode === CREATED, sent });
  }
}

const CREATED = 201;

/** The response to a write: an object, or a Status with details of the deleted object. */
type WriteResponse = DeepReadonly<Persisted> & {
  readonly details?: { readonly uid?: string };
  readonly spec?: { readonly finalizers?: unknown };
};

/** True if the object does not exist after the write. */
function isGone(response: WriteResponse, isDelete: boolean): boolean {
  return isReleased(response) || (isDelete && !isTerminating(response));
}

/** Returns `undefined` without a uid: the name alone could mean a later object. */
function deletedObject(
  { kind, metadata, details }: WriteResponse,
  target: ObjectName | undefined,
): DeletedObject | undefined {
  // A Status does not contain the namespace of the object, so it comes from the target.
  if (kind === 'Status')
    return details?.uid && target ? { ...target, uid: details.uid } : undefined;
  const { namespace, name, uid, resourceVersion } = metadata ?? {};
  return uid ? { namespace, name, uid, resourceVersion } : undefined;
}

/**
 * True for a terminating object without finalizers and grace period, which the server has deleted. The update that
 * removes the last finalizer has this response too. A Namespace also has finalizers in its spec.
 */
function isReleased(object: WriteResponse): boolean {
  const { finalizers, deletionGracePeriodSeconds = 0 } = object.metadata ?? {};
  const isHeld = [finalizers, object.spec?.finalizers].some(
    (list: unknown) => Array.isArray(list) && list.length > 0,
  );
  return isTerminating(object) && !isHeld && deletionGracePeriodSeconds === 0;
}

function isTerminating({ metadata }: WriteResponse): boolean {
  return metadata?.deletionTimestamp !== undefined;
}
