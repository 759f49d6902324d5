import {
  checkFunction,
  invalidOption,
  resourceId,
  type ApiResource,
  type Hint,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { checkIndex, isSameIndexer, type Index, type Retention } from '@keelson/informer';
import type { watchMistakes, HintsOf } from '../../common-mistakes.ts';
import type { ClusterRequest } from '../../reconcile/request.ts';
import { selectionOf } from '../cluster-selection.ts';
import type { RequestMapper } from '../request-mapper.ts';
import {
  checkSourceOptions,
  clusterOf,
  sourceOptionsOf,
  type ClusterChoice,
  type FormOf,
  type RetentionOf,
  type SourceForm,
  type SourceOptions,
  type WatchEnd,
} from '../source-options.ts';

/** An index of any kind, as `defineIndex` makes it. */
export interface DeclaredIndex {
  readonly name: string;
  readonly resource: ApiResource;
}

/** A kind whose events lead to the requests that an index finds under the key of the object, without a `map`. */
export interface IndexWatchOptions<
  T extends KubernetesObject = KubernetesObject,
  I = DeclaredIndex,
  P extends SourceForm = FormOf<T>,
  R extends Retention = RetentionOf<P>,
>
  extends SourceOptions<T, P, R>, ClusterChoice, WatchEnd, HintsOf<typeof watchMistakes> {
  /**
   * An index of the kind of `for` or, without `for`, of another kind that the controller watches in the main cluster.
   * Its values are the keys of the objects of this watch: `namespace/name`, or `name` for a cluster-scoped kind. An
   * event leads to requests for the objects that the index finds. The controller keeps the index without `indexers`.
   */
  readonly index: I;
  readonly map?: Hint<'map: give either `map` or `index`'>;
}

/** The index, if a controller of this kind and request can have it; else the cure. */
export type IndexOf<I, For extends KubernetesObject, Q extends object> = ClusterRequest extends Q
  ? IsKind<I, For> extends true
    ? I
    : Hint<'index: must be an index of the kind of `for`'>
  : Hint<'index: use `map`, for the request is not an object name'>;

/**
 * True for the kind of `for`, and for every kind without a `for`. Two kinds may be assignable to each other although
 * their members differ, so the names of the members are compared too.
 */
type IsKind<I, For extends KubernetesObject> = [keyof For] extends [keyof KubernetesObject]
  ? true
  : I extends { readonly resource: ApiResource<infer Kind> }
    ? [keyof For, keyof Kind, For, Kind] extends [keyof Kind, keyof For, Kind, For]
      ? true
      : false
    : false;

/** The index of a watch; `undefined` for a watch with `map`. */
export function indexOf(watch: SourceOptions): Index | undefined {
  return (watch as { readonly index?: Index }).index;
}

/** Maps an object to the names of the objects that the index finds under its key. */
export function mapByIndex<Q extends object>(index: Index): RequestMapper<KubernetesObject, Q> {
  // The types of the options allow an index only if a name is a request.
  // An index is one of the same cluster.
  return ({ key }, { cache, cluster }) =>
    (cluster?.cache ?? cache).namesBy(index, key) as unknown as Q[];
}

/** Throws `INVALID_OPTION` for an invalid watch, and for one without a `map` or an `index`, or with both. */
export function checkWatch(watch: SourceOptions, where: string): void {
  checkSourceOptions(watch, 'watch', where);
  const { map } = watch as { readonly map?: unknown };
  const index = indexOf(watch);
  if (index === undefined) return checkFunction(map, `${where}.map`);
  checkIndex(index, `${where}.index`);
  if (map !== undefined) throw invalidOption(`${where}.index`, 'give either `map` or `index`');
}

/** The options of a controller that name kinds. */
interface KindOptions {
  readonly for?: unknown;
  readonly owns?: readonly unknown[];
  readonly watches?: readonly unknown[];
  readonly reads?: readonly unknown[];
}

/**
 * Throws `INVALID_OPTION` for an index of another kind than `for`, or without `for`, of a kind that the controller does
 * not watch.
 */
export function checkIndexWatches(options: KindOptions, where: string): void {
  const { for: primary, owns = [], watches = [], reads = [] } = options;
  const given = primary === undefined ? [...owns, ...watches, ...reads] : [primary];
  const sources = given.map((source) => sourceOptionsOf(source as SourceOptions));
  for (const [at, watch] of watches.entries()) {
    const index = indexOf(watch as SourceOptions);
    const beside = sources.filter((source) => isBeside(source, watch as SourceOptions));
    if (index !== undefined) checkKind(index, beside, `${where}.watches[${at}].index`);
  }
}

/**
 * Throws `INVALID_OPTION` for a watch of the run time whose index the controller does not keep: its kind is wrong, or
 * no source of the kind declares it. `for` is the source of the controller's `for`.
 */
export function checkKeptIndex(
  watch: SourceOptions,
  present: () => readonly SourceOptions[],
  primary: SourceOptions | undefined,
): void {
  const index = indexOf(watch);
  if (index === undefined) return;
  const sources = present();
  const option = 'watch.index';
  checkKind(index, primary === undefined ? sources : [primary], option);
  if (sources.some((source) => isOfKind(source, index) && hasIndex(source, index))) return;
  const resource = resourceId(index.resource);
  throw invalidOption(option, 'must be in the `indexers` of a source of its kind', { resource });
}

/** Throws `INVALID_OPTION` unless one of the sources can have the index. */
function checkKind(index: Index, sources: readonly SourceOptions[], where: string): void {
  const ofKind = sources.filter((source) => isOfKind(source, index));
  const [first] = ofKind;
  if (first === undefined) {
    const resource = resourceId(index.resource);
    throw invalidOption(where, indexCure, { resource });
  }
  if (ofKind.some((source) => fits(source, index))) return;
  throw invalidOption(where, 'must compute its values by head, for the projection is metadata');
}

const indexCure =
  'must be an index of the kind of `for`, or without `for` of a kind that the controller watches in the main cluster';

/** Adds the indexes of watches to a source of their kind, in the same cluster or the same clusters. */
export function withIndexes<O extends SourceOptions>(
  options: O,
  watches: readonly SourceOptions[],
): O {
  return watches
    .filter((watch) => isBeside(options, watch))
    .flatMap((watch) => indexOf(watch) ?? [])
    .filter((index) => isOfKind(options, index) && fits(options, index))
    .reduce(withIndex, options);
}

/** True if a watch finds the objects of a source by an index: both have `clusters`, or the source is in the main cluster. */
function isBeside(source: SourceOptions & ClusterChoice, watch: SourceOptions): boolean {
  const spans = selectionOf(watch) !== undefined;
  return clusterOf(source) === undefined && (selectionOf(source) !== undefined) === spans;
}

function withIndex<O extends Pick<SourceOptions, 'indexers'>>(options: O, index: Index): O {
  const { indexers = [] } = options;
  return hasIndex(options, index) ? options : { ...options, indexers: [...indexers, index] };
}

function hasIndex({ indexers = [] }: Pick<SourceOptions, 'indexers'>, index: Index): boolean {
  return indexers.some((known) => known.name === index.name && isSameIndexer(known, index));
}

function isOfKind(source: SourceOptions & ClusterChoice, { resource }: Index): boolean {
  return clusterOf(source) === undefined && resourceId(source.resource) === resourceId(resource);
}

/** False for an index of the body on a watch of the metadata. */
function fits({ projection, retain }: SourceOptions, index: Index): boolean {
  return !('body' in index) || (projection !== 'metadata' && retain !== 'metadata');
}
