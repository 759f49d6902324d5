import { checkFunction, ignoreRejections, invalidOption, isPromised } from '@keelson/apimachinery';
import type { ClusterRequest, Request } from '../reconcile/request.ts';
import { fieldSlotOf } from './shard-selector.ts';
import { slotOf } from './slots.ts';

/**
 * The part of a request that decides its slot. Requests with the same part always have the same owner.
 *
 * - `'namespace'`: the namespace; for cluster-scoped objects the name.
 * - `'cluster'`: the cluster of the request, so that a replica runs and watches whole clusters; for requests without one, as
 *   `'namespace'`.
 * - `'name'`: the namespace and the name, so that the objects of a namespace spread over all replicas.
 * - A function of the request alone: it must return the same string in every replica and at every time.
 */
export type ShardBy = 'namespace' | 'cluster' | 'name' | ((request: Request) => string);

/** How requests are assigned to slots. */
export interface ShardScheme {
  /**
   * Different for replicas that may assign a request to different slots. Replicas of another scheme share no ring:
   * the new ones start when the old ones have left.
   */
  readonly id: string;
  /** Returns the part of a request that decides its slot. `key` is its key in the queue; `failed` may not throw. */
  partOf(request: object, key: string, failed: Failed): string;
  /** Returns the slot of such a part. */
  slotOf(part: string): number;
}

/** Receives the error of a function of the user for the request with this key. */
type Failed = (error: unknown, key: string) => void;

/** The scheme of the mode `server`: by namespace, with the hash by which the API server selects. */
export const serverScheme: ShardScheme = {
  id: 'namespace-field-hash',
  partOf: namespaceOf,
  slotOf: fieldSlotOf,
};

/** Returns the scheme of an option. Throws `INVALID_OPTION`. */
export function schemeOf(by: ShardBy, where: string): ShardScheme {
  if (by === 'name') return { id: 'name', partOf: (_request, key) => key, slotOf };
  if (by === 'namespace') return { id: 'namespace', partOf: namespaceOf, slotOf };
  if (by === 'cluster') return { id: 'cluster', partOf: clusterOf, slotOf };
  if (typeof by === 'string') {
    throw invalidOption(where, 'must be namespace, cluster, name or a function');
  }
  checkFunction(by, where);
  const text = process
    .getBuiltinModule('node:crypto')
    .createHash('sha256')
    .update(Function.prototype.toString.call(by))
    .digest('hex');
  return {
    id: `function-${text.slice(0, 16)}`,
    partOf: (request, key, failed) => own(by, request, key, failed),
    slotOf,
  };
}

function clusterOf(request: object, key: string): string {
  const { cluster } = request as Partial<ClusterRequest>;
  return typeof cluster === 'string' ? cluster : namespaceOf(request, key);
}

/** A request of another shape has no namespace and may have no name, so its key decides. */
function namespaceOf(request: object, key: string): string {
  const { namespace, name } = request as Partial<Request>;
  return namespace ?? name ?? key;
}

/**
 * Calls the function of the user. If it throws or returns no text, the key decides: a function of the request alone fails for
 * it in every replica.
 */
function own(
  by: (request: Request) => string,
  request: object,
  key: string,
  failed: Failed,
): string {
  try {
    const part: unknown = by(request as Request);
    if (typeof part === 'string') return part;
    ignoreRejections(part);
    failed(
      new TypeError(`the function returned ${isPromised(part) ? 'a promise' : typeof part}`),
      key,
    );
  } catch (error) {
    failed(error, key);
  }
  return key;
}
