import {
  invalidOption,
  refersToKind,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import type { Hint } from '../../common-mistakes.ts';
import type { Request } from '../../reconcile/request.ts';
import type { UserCode } from '../../user-code/user-code.ts';

/** Maps an object to requests: one, several, or none. */
export type RequestMapper<T extends KubernetesObject, Q extends object = Request> = (
  object: ObjectView<T>,
) => Q | Iterable<Q> | undefined | Hint<`map ${typeof mapCure}`>;

const mapCure = 'must return requests ({ namespace, name }) and no promise';

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
 * Maps the object and, on an update, also its previous state, so that a former owner is reconciled
 * too. Duplicate requests are one in the queue. The user's mapper is called through `userCode`.
 */
export function mapObjects<Q extends object>(
  mapper: RequestMapper<KubernetesObject, Q>,
  userCode?: UserCode,
): EventMapper<Q> {
  const map = (view: ObjectView): readonly Q[] => requestsOf(mapper(view));
  const mapped = (view: ObjectView, failed: (error: unknown) => void): readonly Q[] =>
    userCode === undefined ? map(view) : (userCode.attempt(map, failed, view) ?? []);
  return (event, emit, failed) => {
    for (const request of mapped(event.object, failed)) emit(request);
    if (event.type !== 'updated') return;
    for (const request of mapped(event.previous, failed)) emit(request);
  };
}

/** The iterable that a mapper returns may be code of the user too: it is read to the end here. */
function requestsOf<Q extends object>(
  result: ReturnType<RequestMapper<KubernetesObject, Q>>,
): readonly Q[] {
  if (result === undefined) return [];
  if (typeof result !== 'object' || result === null) {
    throw invalidOption('map', mapCure, {
      returned: result === null ? 'null' : typeof result,
    });
  }
  return isIterable<Q>(result) ? [...result] : [result as Q];
}

function isIterable<Q extends object>(result: object): result is Iterable<Q> {
  return Symbol.iterator in result;
}
