import {
  checkFunction,
  invalidOption,
  resourceId,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import { informerError } from '../errors.ts';
import { checkObject } from './check-arguments.ts';
import type { ObjectView } from './object-view.ts';

type HeadFunction<T extends KubernetesObject> = (view: ObjectView<T>) => readonly string[];

type BodyFunction<T extends KubernetesObject> = (
  object: DeepReadonly<Persisted<T>>,
) => readonly string[];

declare const indexedMembers: unique symbol;

/** Marks the indexers that `labelIndex` and `fieldIndex` make: only these evaluate selectors. */
export const evaluatesSelector: unique symbol = Symbol('evaluatesSelector');

/** Marks the head functions of Keelson, which keep no view. The cache need not keep the views that they received. */
export const keepsNoView: unique symbol = Symbol('keepsNoView');

interface IndexerName<T extends KubernetesObject> {
  /** Identifies the function: a kind has one function of this name. */
  readonly name: string;
  /** The kind whose objects the function accepts. A query of another kind refuses the indexer. Default: any kind. */
  readonly resource?: ApiResource<T>;
  /**
   * Distinguishes the indexes of different kinds for the compiler, even if their objects have the same members. Never
   * present at run time.
   */
  readonly [indexedMembers]?: (member: keyof T) => void;
  readonly [evaluatesSelector]?: true;
  readonly [keepsNoView]?: true;
}

/** Computes the values under which an index finds an object: none, one or several. */
export type Indexer<T extends KubernetesObject = KubernetesObject> = IndexerName<T> &
  (
    | {
        /** Computes the values from the metadata; no body is parsed. */
        head(view: ObjectView<T>): readonly string[];
      }
    | {
        /** Computes the values from the whole object, so the watch parses every object on arrival. */
        body(object: DeepReadonly<Persisted<T>>): readonly string[];
      }
  );

/** An indexer with its kind, which reads of a cache accept. `defineIndex` makes it. */
export type Index<T extends KubernetesObject = KubernetesObject> = Indexer<T> & {
  readonly resource: ApiResource<T>;
};

/**
 * Creates an index, to declare in `indexers` of a query and to read with `by`. The values come from the whole object,
 * or with `{ head }` from its metadata alone, which parses no body. Define an index once: a kind has one function of a
 * name. Throws `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { builtin, defineIndex, watching, type ControllerOptions } from '@keelson/manager';
 *
 * const { ConfigMap, Pod } = builtin;
 *
 * const byConfigMap = defineIndex(Pod, 'by-config-map', ({ spec }) =>
 *   (spec?.volumes ?? []).flatMap(({ configMap }) => configMap?.name ?? []),
 * );
 *
 * // A changed ConfigMap queues the Pods that mount it.
 * export const options = {
 *   name: 'pods',
 *   for: Pod,
 *   watches: [watching({ resource: ConfigMap, index: byConfigMap })],
 *   reconcile: () => {},
 * } satisfies ControllerOptions<object>;
 * ```
 */
export function defineIndex<T extends KubernetesObject>(
  resource: ApiResource<T>,
  name: string,
  values: BodyFunction<T> | { readonly head: HeadFunction<T> },
): Index<T> {
  const compute = typeof values === 'function' ? { body: values } : { head: values?.head };
  const index: Index<T> = { name, resource, ...compute };
  checkIndex(index, 'defineIndex');
  return Object.freeze(index);
}

/** Rejects a value that is not an indexer with a kind. */
export function checkIndex<T extends KubernetesObject>(index: Index<T>, where: string): void {
  checkIndexer(index, where);
  if (typeof index.resource?.plural !== 'string') {
    throw invalidOption(`${where}.resource`, 'must be a resource token: use defineIndex');
  }
}

/** The part of a query to which its indexers must fit. */
interface IndexedQuery<T extends KubernetesObject> {
  readonly resource: ApiResource<T>;
  readonly projection?: 'full' | 'metadata';
}

/** Rejects invalid indexers of a query, and two functions under one name. */
export function checkIndexersOf<T extends KubernetesObject>(
  query: IndexedQuery<T>,
  indexers: readonly Indexer<T>[],
  where: string,
): void {
  const known = new Map<string, Indexer>();
  for (const [at, indexer] of indexers.entries()) {
    const option = `${where}[${at}]`;
    checkIndexerOf(query, indexer, option);
    const shared = indexer as unknown as Indexer;
    const { name } = shared;
    const other = known.get(name);
    if (other !== undefined && !isSameIndexer(other, shared)) {
      throw informerError('INDEXER_CONFLICT', { indexer: name, option });
    }
    known.set(name, shared);
  }
}

/** Rejects an invalid indexer when it is added, because it would otherwise fail for every object. */
export function checkIndexerOf<T extends KubernetesObject>(
  query: IndexedQuery<T>,
  indexer: Indexer<T>,
  where: string,
): void {
  checkIndexer(indexer, where);
  if (query.projection === 'metadata' && 'body' in indexer) {
    throw invalidOption(where, 'must compute its values by head, for the projection is metadata');
  }
  const [index, resource] = [indexer.resource, query.resource].map(
    (token) => token && resourceId(token),
  );
  if (index === undefined || index === resource) return;
  throw invalidOption(where, 'is an index of another kind', { index, resource });
}

function checkIndexer(indexer: object, where: string): void {
  checkObject(indexer, where);
  const { name, head, body } = indexer as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || name === '')
    throw invalidOption(`${where}.name`, 'must be a name');
  if ((head === undefined) === (body === undefined)) {
    throw invalidOption(where, 'must have one of the functions head and body');
  }
  checkFunction(head ?? body, `${where}.${head === undefined ? 'body' : 'head'}`);
}

/** True if both have the same function, even in different objects. */
export function isSameIndexer(a: Indexer, b: Indexer): boolean {
  if (a[evaluatesSelector] === true && b[evaluatesSelector] === true) return a.name === b.name;
  if ('head' in a) return 'head' in b && a.head === b.head;
  return 'body' in b && a.body === b.body;
}
