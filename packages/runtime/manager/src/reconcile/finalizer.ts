import {
  checkFunction,
  checkMethods,
  checkOptions,
  checkSignal,
  hasFinalizer,
  ignoreRejections,
  invalidOption,
  isDeleting,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { changeFinalizers } from './finalizer-write.ts';
import type { Outcome } from './outcome.ts';

type Result = Promise<Outcome | void> | Outcome | void;

/**
 * Deletes the external resources of an object that is being deleted. `{ requeueAfter }` and `{ retry: true }` mean that
 * the cleanup has not ended: the finalizer stays, and the cleanup is called again.
 */
export type Cleanup<T extends KubernetesObject> = (object: DeepReadonly<Persisted<T>>) => Result;

/** The object and the function that creates its external resources. */
interface FinalizedObject<T extends KubernetesObject> {
  /** The kind of the object. */
  readonly resource: ApiResource<T>;
  /** The object as the reconcile read it. */
  readonly object: DeepReadonly<Persisted<T>>;
  /** Called for an object that has every finalizer and is not being deleted. */
  apply(object: DeepReadonly<Persisted<T>>): Result;
}

/** One finalizer and its cleanup. */
interface OneFinalizer<T extends KubernetesObject> {
  /** A qualified name, such as `example.com/web-app`. */
  readonly finalizer: string;
  /**
   * Called for an object that is being deleted. The finalizer is removed when it has returned, unless with
   * `requeueAfter` or `retry`: then, and after an error, the finalizer stays and the cleanup is called again.
   */
  cleanup(object: DeepReadonly<Persisted<T>>): Result;
  readonly finalizers?: never;
}

/** Several finalizers, such as one for each external system. */
interface SeveralFinalizers<T extends KubernetesObject> {
  /**
   * The cleanup of each finalizer by its qualified name. All run in this order, also after one has failed, and the
   * finalizers of those that have ended are removed. If several return `requeueAfter` or `retry`, the first counts.
   */
  readonly finalizers: Readonly<Record<string, Cleanup<T>>>;
  readonly finalizer?: never;
  readonly cleanup?: never;
}

/** The object, its finalizers, and the functions that create and delete its external resources. */
export type FinalizerWork<T extends KubernetesObject> = FinalizedObject<T> &
  (OneFinalizer<T> | SeveralFinalizers<T>);

/** The work, and the client and the signal for its requests. */
export type FinalizerOptions<T extends KubernetesObject> = FinalizerWork<T> & {
  /** The client of the reconcile. */
  readonly client: Pick<Client, 'get' | 'patch'>;
  /** Aborts the requests. Default: none. */
  readonly signal?: AbortSignal;
};

const optionNames = [
  'client',
  'resource',
  'object',
  'signal',
  'apply',
  'finalizer',
  'cleanup',
  'finalizers',
];

/**
 * Runs `apply` on an object that has the finalizer, and `cleanup` on one that is being deleted, so that everything
 * `apply` creates is cleaned up. An object without the finalizer gets it first and is reconciled again, unless the
 * server does not have the object. Each write tests the uid and the list of finalizers, so that finalizers of other
 * clients are kept and other changes do not matter. Throws `FINALIZER_CONFLICT` if the list changed 10 times in a row,
 * `FINALIZER_NOT_STORED` if the server drops the change, and an `AggregateError` if several of the `finalizers` fail.
 *
 * @example
 * ```ts
 * import { builtin, createManager } from '@keelson/manager';
 * import { withFinalizer } from '@keelson/manager/objects';
 *
 * createManager().addController({
 *   name: 'buckets',
 *   for: builtin.ConfigMap,
 *   reconcile: async (request, { cache, client, signal }) => {
 *     const object = cache.get(builtin.ConfigMap, request);
 *     if (object === undefined) return undefined;
 *     return withFinalizer({
 *       client,
 *       resource: builtin.ConfigMap,
 *       object,
 *       finalizer: 'example.com/bucket',
 *       signal,
 *       apply: async () => console.log('create the bucket'),
 *       cleanup: async () => console.log('delete the bucket'),
 *     });
 *   },
 * });
 * ```
 */
export async function withFinalizer<T extends KubernetesObject>(
  options: FinalizerOptions<T>,
): Promise<Outcome | void> {
  const cleanups = check(options);
  const { object } = options;
  if (isDeleting(object)) return cleanUp(options, cleanups);
  const names = [...cleanups.keys()];
  if (names.every((name) => hasFinalizer(object, name))) return options.apply(object);
  const isThere = await changeFinalizers(options, (fresh) => {
    const missing = names.filter((name) => !hasFinalizer(fresh, name));
    if (missing.length === 0 || isDeleting(fresh)) return undefined;
    return [...(fresh.metadata?.finalizers ?? []), ...missing];
  });
  // A new finalizer does not change the generation, so a predicate may filter its event out.
  return isThere ? { requeueAfter: 1 } : undefined;
}

/** Checks the cleanups before the first write: an object with a finalizer that has no cleanup could not be deleted. */
function check<T extends KubernetesObject>(
  options: FinalizerOptions<T>,
): ReadonlyMap<string, Cleanup<T>> {
  checkOptions(options, optionNames, 'withFinalizer');
  const { client, resource, object, signal } = options;
  checkMethods(client, ['get', 'patch'], 'withFinalizer.client');
  const isToken = typeof (resource as Partial<ApiResource> | null)?.plural === 'string';
  if (!isToken) throw invalidOption('withFinalizer.resource', 'must be a resource token');
  const { name } = (object as Partial<Persisted<T>> | null)?.metadata ?? {};
  if (!name) throw invalidOption('withFinalizer.object', 'must be an object with a name');
  checkSignal(signal, 'withFinalizer.signal');
  checkFunction(Reflect.get(options, 'apply'), 'withFinalizer.apply');
  return cleanupsOf(options);
}

/** The cleanups by the names of their finalizers. */
function cleanupsOf<T extends KubernetesObject>(
  options: FinalizerOptions<T>,
): ReadonlyMap<string, Cleanup<T>> {
  if (options.finalizers === undefined) {
    checkFinalizer(options.finalizer, 'withFinalizer.finalizer');
    checkFunction(Reflect.get(options, 'cleanup'), 'withFinalizer.cleanup');
    return new Map([[options.finalizer, (object) => options.cleanup(object)]]);
  }
  const where = 'withFinalizer.finalizers';
  for (const other of ['finalizer', 'cleanup']) {
    if (Reflect.get(options, other) === undefined) continue;
    throw invalidOption(`withFinalizer.${other}`, 'has no meaning together with `finalizers`');
  }
  const cleanups = new Map(Object.entries(options.finalizers ?? {}));
  if (cleanups.size === 0) throw invalidOption(where, 'must name at least one finalizer');
  for (const [name, cleanup] of cleanups) {
    checkFinalizer(name, where);
    checkFunction(cleanup, `${where}["${name}"]`);
  }
  return cleanups;
}

function checkFinalizer(name: unknown, where: string): void {
  if (typeof name === 'string' && name.includes('/')) return;
  throw invalidOption(where, 'must be a qualified name: example.com/name');
}

/** Runs the cleanups of the finalizers that the object has, and removes those that have ended, in one write. */
async function cleanUp<T extends KubernetesObject>(
  options: FinalizerOptions<T>,
  cleanups: ReadonlyMap<string, Cleanup<T>>,
): Promise<Outcome | void> {
  const done: string[] = [];
  const errors: unknown[] = [];
  let unfinished: Outcome | undefined;
  let outcome: Outcome | void = undefined;
  for (const [name, cleanup] of cleanups) {
    if (!hasFinalizer(options.object, name)) continue;
    try {
      const result = await cleanup(options.object);
      // Only one of the results is checked, and after a request.
      ignoreRejections(result);
      if (isUnfinished(result)) unfinished ??= result;
      else {
        outcome ??= result;
        done.push(name);
      }
    } catch (error) {
      errors.push(error);
    }
  }
  await changeFinalizers(options, (fresh) => {
    const finalizers = fresh.metadata?.finalizers ?? [];
    const remaining = finalizers.filter((name) => !done.includes(name));
    return remaining.length === finalizers.length ? undefined : remaining;
  });
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} cleanups failed`);
  if (errors.length === 1) throw errors[0];
  return unfinished ?? outcome;
}

/** True for an outcome that runs the cleanup again; also for an invalid time, because the resources may still exist. */
function isUnfinished(result: Outcome | void): result is Outcome {
  return result?.retry === true || result?.requeueAfter !== undefined;
}
