import {
  ignoreRejection,
  ignoreRejections,
  invalidOption,
  isPromised,
  objectNameProblem,
  parseObjectKey,
  type ApiResource,
  type Hint,
  type ObjectName,
} from '@keelson/apimachinery';

/**
 * The input of a reconcile: by default the namespace and name of an object. A controller without `for` may use its
 * own request type, with a kind for example, and then declares its identity with `keyOf`.
 */
export type Request = ObjectName;

/** The request of a controller whose `for` spans clusters: the name of an object and that of its cluster. */
export interface ClusterRequest extends Request {
  /** The name of the cluster, as `addCluster` received it. */
  readonly cluster: string;
}

/** The default type of the requests of a controller whose `for` has the selection `C`. */
export type RequestIn<C> = [C] extends [undefined] ? Request : ClusterRequest;

/**
 * Returns the request of an object from the cache or the client, or of a view: its namespace and name. Throws
 * `INVALID_OPTION` for an object without a name.
 *
 * @example
 * ```ts
 * import { builtin, createManager, requestFor, watching } from '@keelson/manager';
 *
 * createManager().addController({
 *   name: 'endpoints',
 *   for: builtin.Service,
 *   // An EndpointSlice queues the Service of its namespace and label.
 *   watches: [
 *     watching({
 *       resource: builtin.EndpointSlice,
 *       map: ({ metadata }) => {
 *         const name = metadata.labels?.['kubernetes.io/service-name'];
 *         return name === undefined ? undefined : requestFor({ metadata: { ...metadata, name } });
 *       },
 *     }),
 *   ],
 *   reconcile: () => {},
 * });
 * ```
 */
export function requestFor<T extends object>(object: Named<T>): Request {
  const { metadata } = (object ?? {}) as { readonly metadata: Request };
  return identifyName(metadata, true).request;
}

/** The tuple makes the compiler accept a type parameter that extends `Persisted`. */
type Named<T> = [T] extends [{ readonly metadata: Request }]
  ? T
  : Hint<'object without a name: read it from the cache or the client'>;

/** Ends the name of the cluster in the key of a request. The name of a cluster has no empty part. */
const CLUSTER_END = '//';

/** The request of this key: a plain name, or one with the cluster that the key begins with. */
export function requestOfKey(key: string): Request & Partial<ClusterRequest> {
  const end = key.indexOf(CLUSTER_END);
  if (end === -1) return parseObjectKey(key);
  return { cluster: key.slice(0, end), ...parseObjectKey(key.slice(end + CLUSTER_END.length)) };
}

/** The key of the request for an object, by the key of the object and its cluster; `undefined` for a plain name. */
export function keyInCluster(cluster: string | undefined, key: string): string {
  return cluster === undefined ? key : `${cluster}${CLUSTER_END}${key}`;
}

/**
 * Ignores the rejections of the promises in a request that is refused. It is a result of user code, and nothing waits for
 * them.
 */
export function guardedIdentity<Q extends object>(
  identify: RequestIdentity<Q>,
): RequestIdentity<Q> {
  return (request) => {
    try {
      return identify(request);
    } catch (error) {
      ignoreRejections(request);
      throw error;
    }
  };
}

const none: readonly never[] = Object.freeze([]);

/** A request and its key in the queue. Requests with the same key are one entry and never run at the same time. */
export interface IdentifiedRequest<Q extends object> {
  readonly key: string;
  readonly request: Q;
}

/** Decides which requests are the same. Throws `INVALID_OPTION` for a value that is not a request. */
export type RequestIdentity<Q extends object> = (request: Q) => IdentifiedRequest<Q>;

/** The identity of requests for objects of `for`. Further members, such as a uid, are dropped. */
export function objectIdentity<Q extends object>(resource: ApiResource): RequestIdentity<Q> {
  return (request) => identifyOnly(request, resource.namespaced);
}

/** The identity of plain names. Throws for a request with further members, which needs `keyOf`. */
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

/**
 * The identity of requests that carry a cluster. `namespaced` is false for the objects of a cluster-scoped kind. Throws
 * for a request without a cluster, and without `for` for one with further members, which needs `keyOf`.
 */
export function clusterIdentity<Q extends object>(resource?: ApiResource): RequestIdentity<Q> {
  return (request) => {
    const { cluster, ...rest } = membersOf(request);
    if (typeof cluster !== 'string' || cluster === '' || cluster.includes(CLUSTER_END)) {
      throw invalidOption('request.cluster', 'must be the name of a cluster');
    }
    const name =
      resource === undefined ? nameIdentity(rest) : identifyOnly(rest, resource.namespaced);
    const exact = Object.freeze({ cluster, ...name.request });
    return { key: keyInCluster(cluster, name.key), request: exact as object as Q };
  };
}

/** Returns the members of a request. Throws for a value that is not one. */
function membersOf<Q extends object>(request: Q): Q & Partial<ClusterRequest> {
  if (typeof request === 'object' && request !== null && !isPromised(request)) return request;
  throw notRequest();
}

/** The identity that a controller declares with `keyOf`. */
export function keyIdentity<Q extends object>(keyOf: (request: Q) => string): RequestIdentity<Q> {
  let isRunning = false;
  const called = (request: Q): unknown => {
    // A `keyOf` that queues a request would call itself endlessly.
    if (isRunning) throw invalidOption('keyOf', 'must not queue requests itself');
    isRunning = true;
    try {
      return keyOf(request);
    } finally {
      isRunning = false;
    }
  };
  return (request) => {
    const key = called(membersOf(request));
    if (typeof key !== 'string' || key === '') {
      ignoreRejections(key);
      throw invalidOption('keyOf', 'must return a string that is not empty', { type: typeof key });
    }
    return { key, request };
  };
}

/** A frozen copy of the request with only its name and, for a namespaced kind, its namespace. */
function identifyName<Q extends object>(request: Q, namespaced: boolean): IdentifiedRequest<Q> {
  if (typeof request !== 'object' || request === null) throw notRequest();
  const { namespace, name } = request as Partial<Request>;
  if (typeof name !== 'string' || name === '') throw notRequest();
  if (namespace !== undefined && typeof namespace !== 'string') throw notRequest();
  const isNamespaced = namespaced && namespace !== undefined && namespace !== '';
  // A name with a slash would have the key of another request.
  checkPart('name', name);
  if (isNamespaced) checkPart('namespace', namespace);
  const key = isNamespaced ? `${namespace}/${name}` : name;
  // A copy, because the caller may reuse its object. Frozen, because a run could change it.
  const exact: Request = isNamespaced ? { namespace, name } : { name };
  return { key, request: Object.freeze(exact) as Q };
}

/** Does the same for a request whose further members are dropped. Nothing waits for a promise among them. */
function identifyOnly<Q extends object>(request: Q, namespaced: boolean): IdentifiedRequest<Q> {
  const identified = identifyName(request, namespaced);
  for (const member in request) {
    if (member === 'namespace' || member === 'name') continue;
    const dropped: unknown = request[member];
    if (isPromised(dropped)) ignoreRejection(dropped);
  }
  return identified;
}

function checkPart(part: 'namespace' | 'name', text: string): void {
  const problem = objectNameProblem(text);
  if (problem === undefined) return;
  const cure = 'declare `keyOf` for requests that are not names of objects';
  throw invalidOption(`request.${part}`, problem, { cure });
}

/** The members beside namespace and name. Runs on every add, so it allocates only when it finds a member. */
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
