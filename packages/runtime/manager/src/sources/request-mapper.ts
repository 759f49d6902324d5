import {
  ignoreRejections,
  invalidOption,
  isPromised,
  refersToKind,
  type ApiResource,
  type Hint,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { keepViews, type InformerEvent, type ObjectView, type OwnerMatch } from '@keelson/informer';
import type { EventContext } from './event-rules/predicate.ts';
import type { Request } from '../reconcile/request.ts';
import type { UserCode } from '../user-code/user-code.ts';

/**
 * Maps an object to one request, several, or none. It must be synchronous. `context` reads the controller's watches.
 */
export type RequestMapper<T extends KubernetesObject, Q extends object = Request> = (
  object: ObjectView<T>,
  context: EventContext,
) => Q | Iterable<Q> | undefined | Hint<`map ${typeof mapCure}`>;

const mapCure = 'must return requests ({ namespace, name }) and no promise';

/** The async context and the event context in which mappers of user code are called. */
export interface MapperHost {
  readonly userCode: UserCode;
  readonly context: EventContext;
}

/**
 * Turns an event into requests. An error of one mapping must not drop the requests of the others. A request of the
 * object itself is emitted with its key, and is frozen: it needs no check.
 */
export type EventMapper<Q extends object> = (
  event: InformerEvent,
  emit: (request: Q, key?: string) => void,
  failed: (error: unknown) => void,
) => void;

/** Maps an object to the request that names it. */
export const mapItself: EventMapper<Request> = ({ key, object }, emit) => {
  const { namespace, name } = object;
  emit(Object.freeze(namespace === undefined ? { name } : { namespace, name }), key);
};

/**
 * Maps an object to its owners of the given kind. The version of an owner reference is ignored, because a reference
 * keeps the version with which it was written.
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
 * Maps the object of an event. For an update it also maps the previous state, so that a former owner is reconciled; for
 * a resync it maps the object once. The queue merges equal requests. With a host, the mapper is user code.
 */
export function mapObjects<Q extends object>(
  mapper: RequestMapper<KubernetesObject, Q>,
  host?: MapperHost,
): EventMapper<Q> {
  // A mapper of Keelson uses no context.
  const context = host?.context as EventContext;
  const map = (view: ObjectView): readonly Q[] => requestsOf(mapper(view, context));
  const mapped = (view: ObjectView, failed: (error: unknown) => void): readonly Q[] =>
    host === undefined ? map(view) : (host.userCode.attempt(map, failed, view) ?? []);
  return (event, emit, failed) => {
    if (host !== undefined) keepViews(event);
    for (const request of mapped(event.object, failed)) emit(request);
    if (event.type !== 'updated' || event.previous === event.object) return;
    for (const request of mapped(event.previous, failed)) emit(request);
  };
}

/** Returns the requests of a mapper's result. An iterable is read here, because it may be user code that throws. */
function requestsOf<Q extends object>(
  result: ReturnType<RequestMapper<KubernetesObject, Q>>,
): readonly Q[] {
  if (result === undefined) return [];
  requireSync(result);
  if (typeof result !== 'object' || result === null) {
    ignoreRejections(result);
    throw invalidOption('map', mapCure, {
      returned: result === null ? 'null' : typeof result,
    });
  }
  return isIterable<Q>(result) ? itemsOf(result) : [result as Q];
}

/** Reads an iterable. Throws for an iterator that returns promises, of which none would be its end. */
function itemsOf<Q extends object>(iterable: Iterable<Q>): readonly Q[] {
  if (Array.isArray(iterable)) return [...(iterable as readonly Q[])];
  const iterator = iterable[Symbol.iterator]();
  const next = (): IteratorResult<Q> => {
    const step = iterator.next();
    requireSync(step);
    return step;
  };
  const items: Q[] = [];
  try {
    for (const item of { [Symbol.iterator]: () => ({ next }) }) items.push(item);
    return items;
  } catch (error) {
    // The items before the error are dropped.
    ignoreRejections(items);
    throw error;
  }
}

function requireSync(value: unknown): void {
  if (!isPromised(value)) return;
  ignoreRejections(value);
  throw invalidOption('map', mapCure, { returned: 'promise' });
}

function isIterable<Q extends object>(result: object): result is Iterable<Q> {
  return Symbol.iterator in result;
}
