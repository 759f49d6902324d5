import { invalidOption, type ApiResource, type ObjectName } from '@keelson/apimachinery';

/**
 * What a reconcile is asked to look at: by default the name of an object. A controller without `for`
 * may use a request of its own (one that carries a kind, say) and declares its identity with `keyOf`.
 */
export type Request = ObjectName;

const none: readonly never[] = Object.freeze([]);

/** A request and the key under which it is queued: requests of one key are one entry and never run at once. */
export interface IdentifiedRequest<Q extends object> {
  readonly key: string;
  readonly request: Q;
}

/** Decides which requests are the same. Throws `INVALID_OPTION` for a value that is not a request. */
export type RequestIdentity<Q extends object> = (request: Q) => IdentifiedRequest<Q>;

/** The identity of requests that name an object of `for`: further members, such as a uid, are dropped. */
export function objectIdentity<Q extends object>(resource: ApiResource): RequestIdentity<Q> {
  return (request) => identifyName(request, resource.namespaced);
}

/** The identity of plain names. A request with further members needs `keyOf`, for they may change. */
export function nameIdentity<Q extends object>(request: Q): IdentifiedRequest<Q> {
  const identified = identifyName(request, true);
  const members = membersBesideName(request);
  if (members.length > 0) {
    throw invalidOption('request', 'has members beside namespace and name: declare `keyOf`', {
      members: members.join(' '),
    });
  }
  return identified;
}

/** The identity that a controller declares. */
export function keyIdentity<Q extends object>(keyOf: (request: Q) => string): RequestIdentity<Q> {
  return (request) => {
    if (typeof request !== 'object' || request === null) throw notRequest();
    const key = keyOf(request);
    if (typeof key !== 'string' || key === '') {
      throw invalidOption('keyOf', 'must return a text that is not empty', { type: typeof key });
    }
    return { key, request };
  };
}

/** The request as exactly a namespace, where there is one, and a name: an object of our own, frozen. */
function identifyName<Q extends object>(request: Q, namespaced: boolean): IdentifiedRequest<Q> {
  if (typeof request !== 'object' || request === null) throw notRequest();
  const { namespace, name } = request as Partial<Request>;
  // A promise has no members of its own: what an async mapper returns is refused here.
  if (typeof name !== 'string' || name === '') throw notRequest();
  if (namespace !== undefined && typeof namespace !== 'string') throw notRequest();
  const isNamespaced = namespaced && namespace !== undefined && namespace !== '';
  const key = isNamespaced ? `${namespace}/${name}` : name;
  // Never the object of the caller, who may use it for the next request, and never one that a run can change.
  const exact: Request = isNamespaced ? { namespace, name } : { name };
  return { key, request: Object.freeze(exact) as Q };
}

/** Runs on every add: a loop that finds nothing allocates nothing. */
function membersBesideName(request: object): readonly string[] {
  let members: string[] | undefined;
  for (const member in request) {
    if (member === 'namespace' || member === 'name') continue;
    const isGiven = Object.hasOwn(request, member) && Reflect.get(request, member) !== undefined;
    if (isGiven) (members ??= []).push(member);
  }
  return members ?? none;
}

function notRequest(): Error {
  return invalidOption('request', 'must be an object with a name, such as { namespace, name }');
}
