import {
  checkFlag,
  checkFunction,
  invalidOption,
  normalFieldSelector,
  normalLabelSelector,
  checkOptions,
  defineResource,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { checkWatchQuery, type Projection, type WatchQuery } from '@keelson/informer';
import {
  sourceMistakes,
  tokenCure,
  watchMistakes,
  type HintsOf,
  type Mistakes,
} from '../../common-mistakes.ts';
import type { Predicate } from '../../reconcile/predicate.ts';
import type { OwnerMatch, RequestMapper } from './request-mapper.ts';
import type { Request } from '../../reconcile/request.ts';

interface CommonOptions<T extends KubernetesObject>
  extends Omit<WatchQuery<T>, 'projection'>, HintsOf<typeof sourceMistakes> {
  /** The priority of the requests, instead of 0 and `initialPriority`. */
  readonly priority?: number;
  /**
   * Whether the controller waits for this watch and readiness depends on it. Default: true for a source
   * in the controller's options, false for a watch that is added at run time.
   */
  readonly required?: boolean;
}

/** Objects without a body of their own are the same in both projections. */
export type ProjectionOf<W extends Watched> = [keyof W] extends [keyof KubernetesObject]
  ? Projection
  : 'full';

/** What `map` and `predicates` see. */
type SeenOf<T extends KubernetesObject, P extends Projection> = 'metadata' extends P
  ? KubernetesObject
  : T;

/**
 * What every source of a kind takes: which objects, and which of their events matter. Predicates
 * and mappers see the metadata only, if `projection` is `'metadata'`.
 */
export interface SourceOptions<
  T extends KubernetesObject = KubernetesObject,
  P extends Projection = ProjectionOf<T>,
> extends CommonOptions<T> {
  /** Default `full`. With `metadata` there is no body to read. */
  readonly projection?: P;
  /** An event counts if all of them pass it. */
  readonly predicates?: readonly Predicate<SeenOf<T, P>>[];
}

/** A kind whose objects belong to the controller's own. */
export interface OwnsOptions<
  T extends KubernetesObject = KubernetesObject,
> extends SourceOptions<T> {
  /** Whether only the controller reference leads to the owner, or any owner reference. Default `'controller'`. */
  readonly owners?: OwnerMatch;
}

/** A kind that reconciles read from the cache; its events lead to no requests. */
export type ReadsOptions<T extends KubernetesObject = KubernetesObject> = WatchQuery<T> &
  Pick<CommonOptions<T>, 'required'>;

/** A kind whose objects lead to requests through a mapper. `P` is the projection: `T` is known if it is `full`. */
export interface WatchOptions<
  T extends KubernetesObject = KubernetesObject,
  Q extends object = Request,
  P extends Projection = ProjectionOf<T>,
>
  extends SourceOptions<T, P>, HintsOf<typeof watchMistakes> {
  /**
   * Maps an object to requests. Called for the old and the new state of an update.
   * Metadata is at hand; `object.value()` parses the object.
   */
  readonly map: RequestMapper<SeenOf<T, P>, NoInfer<Q>>;
}

/** What the compiler infers of one watch in a list: its objects, with `'metadata'` if that is the projection. */
export type Watched = KubernetesObject | 'metadata';

/** The watches of a controller, each typed by its own kind: `map` and `predicates` know their object. */
export type WatchesOf<Kinds extends readonly Watched[], Q extends object> = {
  readonly [I in keyof Kinds]: WatchOptions<
    ObjectsOf<Kinds[I]>,
    Q,
    ProjectionOf<Kinds[I]> | Extract<Kinds[I], 'metadata'>
  >;
};

type ObjectsOf<W extends Watched> = 'metadata' extends W
  ? KubernetesObject
  : Exclude<W, 'metadata'>;

const queryOptions = [
  'resource',
  'namespace',
  'labelSelector',
  'fieldSelector',
  'projection',
  'transform',
  'indexers',
  'retain',
];
const eventOptions = ['predicates', 'priority'];

/** What a source is to its controller. */
export type SourceRole = 'for' | 'owns' | 'watch' | 'reads';

const extraOptions: Readonly<Record<SourceRole, readonly string[]>> = {
  for: eventOptions,
  owns: [...eventOptions, 'owners'],
  watch: [...eventOptions, 'map'],
  reads: [],
};

const mistakes: Readonly<Record<SourceRole, Mistakes>> = {
  for: sourceMistakes,
  owns: sourceMistakes,
  watch: { ...sourceMistakes, ...watchMistakes },
  reads: {},
};

/** Throws `INVALID_OPTION` with the name of an invalid option of a source. */
export function checkSourceOptions(options: SourceOptions, role: SourceRole, where: string): void {
  const known = [...queryOptions, 'required', ...extraOptions[role]];
  checkOptions(options, known, where, mistakes[role]);
  checkResource(options.resource, `${where}.resource`);
  checkWatchQuery(queryOf(options), where);
  if (options.labelSelector !== undefined) normalLabelSelector(options.labelSelector);
  if (options.fieldSelector !== undefined) normalFieldSelector(options.fieldSelector);
  checkPriority(options.priority, `${where}.priority`);
  checkFlag(options.required, `${where}.required`);
  checkPredicates(options.predicates, `${where}.predicates`);
  if (role === 'owns') checkOwners((options as OwnsOptions).owners, `${where}.owners`);
}

/** The part of the options that describes the watch. */
export function queryOf(options: SourceOptions): WatchQuery {
  const { resource } = options;
  const given = Object.entries(options).filter(
    ([option, value]) => queryOptions.includes(option) && value !== undefined,
  );
  return { ...Object.fromEntries(given), resource };
}

/** Throws `INVALID_OPTION` unless the value is a resource token. */
function checkResource(resource: ApiResource, where: string): void {
  if (typeof resource !== 'object' || resource === null) {
    throw invalidOption(where, tokenCure);
  }
  const { group, version, kind, plural, namespaced } = resource;
  try {
    defineResource({ group, version, kind, plural, namespaced });
  } catch (error) {
    throw invalidOption(where, 'is not a resource token', { cause: (error as Error).message });
  }
}

export function checkPriority(priority: unknown, where: string): void {
  if (priority !== undefined && !Number.isFinite(priority)) {
    throw invalidOption(where, 'must be a finite number');
  }
}

function checkOwners(owners: OwnerMatch | undefined, where: string): void {
  if (owners !== undefined && owners !== 'controller' && owners !== 'any') {
    throw invalidOption(where, 'must be controller or any');
  }
}

function checkPredicates(predicates: unknown, where: string): void {
  if (predicates === undefined) return;
  if (!Array.isArray(predicates)) throw invalidOption(where, 'must be a list of predicates');
  for (const predicate of predicates) checkFunction(predicate, where);
}
