import { refersToKind, type ApiResource, type KubernetesObject } from '@keelson/apimachinery';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import type { Request } from './request.ts';

/** Says which requests an object stands for: one, several, or none. */
export type RequestMapper<T extends KubernetesObject, Q extends object = Request> = (
  object: ObjectView<T>,
) => Q | Iterable<Q> | undefined;

/** Turns events into requests; what one mapping throws must not lose the others. */
export type EventMapper<Q extends object> = (
  event: InformerEvent,
  emit: (request: Q) => void,
  failed: (error: unknown) => void,
) => void;

/** Which owner references count. */
export type OwnerMatch = 'controller' | 'any';

/**
 * The owners among an object's owner references that are of the given kind. Group and kind decide,
 * not the version: references keep the version they were written with.
 */
export function mapOwners(
  owner: ApiResource,
  match: OwnerMatch = 'controller',
): EventMapper<Request> {
  return mapObjects((view) => {
    const references = view.metadata.ownerReferences ?? [];
    return references
      .filter((reference) => match === 'any' || reference.controller === true)
      .filter((reference) => refersToKind(reference, owner))
      .map(({ name }) =>
        owner.namespaced && view.namespace !== undefined
          ? { namespace: view.namespace, name }
          : { name },
      );
  });
}

/**
 * What the mapper says of the object, and on an update also of its previous state, so that whoever
 * is no longer meant hears of it too. Requests named twice are one in the queue.
 */
export function mapObjects<Q extends object>(
  mapper: RequestMapper<KubernetesObject, Q>,
): EventMapper<Q> {
  return (event, emit, failed) => {
    for (const request of mapped(mapper, event.object, failed)) emit(request);
    if (event.type !== 'updated') return;
    for (const request of mapped(mapper, event.previous, failed)) emit(request);
  };
}

function mapped<Q extends object>(
  mapper: RequestMapper<KubernetesObject, Q>,
  view: ObjectView,
  failed: (error: unknown) => void,
): readonly Q[] {
  try {
    const result = mapper(view);
    if (result === undefined) return [];
    return isIterable(result) ? [...result] : [result];
  } catch (error) {
    failed(error);
    return [];
  }
}

function isIterable<Q extends object>(result: Q | Iterable<Q>): result is Iterable<Q> {
  return Symbol.iterator in result;
}
