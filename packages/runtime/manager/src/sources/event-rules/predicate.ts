import {
  checkFunction,
  ignoreRejection,
  isPromised,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { CacheReader, InformerEvent, ObjectView } from '@keelson/informer';
import { ManagerError } from '../../errors.ts';

/** The cached reads that predicates and mappers of a controller may use. They have the scope of that controller. */
export interface EventContext {
  /**
   * Reads the watches of the controller, as the `cache` of a reconcile does. Throws `NOT_WATCHED` for other kinds, and
   * `NOT_SYNCED` until a kind has synced: a mapper is then called again after the sync, and an event passes a
   * predicate.
   */
  readonly cache: CacheReader;
  /** The caches of the further clusters: `clusters.get('workload').cache`. Throws `UNKNOWN_CLUSTER`. */
  readonly clusters: { get(name: string): { readonly cache: CacheReader } };
  /** The cluster of the event, for a source with `clusters`; `undefined` for one that watches a single cluster. */
  readonly cluster?: { readonly name: string; readonly cache: CacheReader } | undefined;
}

/**
 * Decides whether an event leads to a request. It must be synchronous and pure, and it may run any number of times.
 * If it throws, the error is counted and the event passes: an extra run is better than a missing one. Reading
 * metadata is cheap; `event.object.value()` parses the object.
 */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (
  event: InformerEvent<T>,
  context: EventContext,
) => boolean;

/**
 * A predicate that `and`, `or`, `not` and others create. A test may call it without a context if its parts need none.
 */
export type CombinedPredicate<T extends KubernetesObject = KubernetesObject> = (
  event: InformerEvent<T>,
  context?: EventContext,
) => boolean;

/**
 * Passes updates that changed `metadata.generation`, and every event that is not an update. The API server raises the
 * generation when the spec changes or a deletion begins, so a controller's own status write does not pass. Updates
 * of kinds without a generation (ConfigMap, Secret, …) never pass.
 */
export function generationChanged(event: InformerEvent): boolean {
  return changed(event, (view) => view.metadata.generation);
}

/** Passes updates that changed a label, and every event that is not an update. */
export function labelsChanged(event: InformerEvent): boolean {
  return mapChanged(event, (view) => view.metadata.labels);
}

/** Passes updates that changed an annotation, and every event that is not an update. */
export function annotationsChanged(event: InformerEvent): boolean {
  return mapChanged(event, (view) => view.metadata.annotations);
}

/** Passes updates with a new resourceVersion, and every event that is not an update. Resyncs do not pass. */
export function resourceVersionChanged(event: InformerEvent): boolean {
  return changed(event, (view) => view.resourceVersion);
}

/** Passes an event if every predicate passes it. */
export function and<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): CombinedPredicate<T> {
  checkPredicates('and', predicates);
  return combined(predicates, (event, context) =>
    predicates.every((predicate) => passes(predicate, event, context)),
  );
}

/** Passes an event if at least one predicate passes it. */
export function or<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): CombinedPredicate<T> {
  checkPredicates('or', predicates);
  return combined(predicates, (event, context) =>
    predicates.some((predicate) => passes(predicate, event, context)),
  );
}

/** Passes an event if the predicate does not pass it. */
export function not<T extends KubernetesObject>(predicate: Predicate<T>): CombinedPredicate<T> {
  checkPredicates('not', [predicate]);
  return combined([predicate], (event, context) => !passes(predicate, event, context));
}

const builtIn: ReadonlySet<unknown> = new Set([
  generationChanged,
  labelsChanged,
  annotationsChanged,
  resourceVersionChanged,
]);

/** Marks a predicate that `labelsMatch` or a combination of predicates of Keelson created. */
const keepsNoView: unique symbol = Symbol('keepsNoView');

/** True for a predicate of Keelson, which keeps no view of its event. */
export function isBuiltIn<T extends KubernetesObject>(predicate: Predicate<T>): boolean {
  return builtIn.has(predicate) || keepsNoView in predicate;
}

/** Returns a predicate that consists of others. If they are predicates of Keelson, it counts as one too. */
export function combined<T extends KubernetesObject>(
  parts: readonly Predicate<T>[],
  predicate: CombinedPredicate<T>,
): CombinedPredicate<T> {
  return parts.every(isBuiltIn) ? Object.assign(predicate, { [keepsNoView]: true }) : predicate;
}

/** Calls a predicate. Throws as `isPassed` does. */
export function passes<T extends KubernetesObject>(
  predicate: Predicate<T>,
  event: InformerEvent<T>,
  context?: EventContext,
): boolean {
  // Only a call outside of a controller has no context.
  return isPassed(predicate, predicate(event, context as EventContext));
}

/**
 * True if a predicate with this result passes its event. Throws `PREDICATE_RESULT` for a promise: it would pass every
 * event, and `not` would pass none.
 */
export function isPassed(predicate: Predicate<never>, result: unknown): boolean {
  if (typeof result === 'boolean') return result;
  if (!isPromised(result)) return Boolean(result);
  ignoreRejection(result);
  throw new ManagerError('PREDICATE_RESULT', { predicate: predicateName(predicate) });
}

/** The name of a function of the user for people; `undefined` without one. Never throws, unlike the member itself. */
export function predicateName(predicate: unknown): string | undefined {
  try {
    const { name } = predicate as { readonly name?: unknown };
    return typeof name === 'string' && name !== '' ? name : undefined;
  } catch {
    return undefined; // A getter threw, or the predicate is missing.
  }
}

function checkPredicates(where: string, predicates: readonly unknown[]): void {
  for (const [at, predicate] of predicates.entries()) checkFunction(predicate, `${where}[${at}]`);
}

function changed(event: InformerEvent, part: (view: ObjectView) => unknown): boolean {
  return event.type !== 'updated' || part(event.previous) !== part(event.object);
}

type TextMap = DeepReadonly<Record<string, string>> | undefined;

function mapChanged(event: InformerEvent, part: (view: ObjectView) => TextMap): boolean {
  return event.type !== 'updated' || !sameMap(part(event.previous), part(event.object));
}

function sameMap(a: TextMap = {}, b: TextMap = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
