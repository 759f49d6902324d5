import {
  addFinalizer,
  checkFunction,
  checkMethods,
  checkOptions,
  checkSignal,
  hasFinalizer,
  invalidOption,
  isConflict,
  isDeleting,
  isNotFound,
  removeFinalizer,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { ManagerError } from '../errors.ts';
import type { Outcome } from './reconcile.ts';
import { requestFor } from './request.ts';

/** The object, its finalizer, and the functions that create and delete its external resources. */
export interface FinalizerOptions<T extends KubernetesObject> {
  /** The client of the reconcile. */
  readonly client: Pick<Client, 'get' | 'patch'>;
  /** The kind of the object. */
  readonly resource: ApiResource<T>;
  /** The object as the reconcile read it. */
  readonly object: DeepReadonly<Persisted<T>>;
  /** A qualified name, such as `example.com/web-app`. */
  readonly finalizer: string;
  /** Aborts the requests. Default: none. */
  readonly signal?: AbortSignal;
  /** Called for an object that has the finalizer and is not being deleted. */
  apply(object: DeepReadonly<Persisted<T>>): Promise<Outcome | void> | Outcome | void;
  /** Called for an object that is being deleted. A return removes the finalizer; an error leads to a retry. */
  cleanup(object: DeepReadonly<Persisted<T>>): Promise<Outcome | void> | Outcome | void;
}

const optionNames = ['client', 'resource', 'object', 'finalizer', 'signal', 'apply', 'cleanup'];

/** Attempts to write before `FINALIZER_CONFLICT`: then another client keeps changing the object. */
const MAX_ATTEMPTS = 10;

/**
 * Runs `apply` on an object that has the finalizer, and `cleanup` on one that is being deleted, so that everything
 * `apply` creates is cleaned up. An object without the finalizer gets it first and is reconciled again. Each write
 * carries the resourceVersion, so that changes of other clients are kept. Throws `FINALIZER_CONFLICT` after 10
 * conflicts in a row.
 */
export async function withFinalizer<T extends KubernetesObject>(
  options: FinalizerOptions<T>,
): Promise<Outcome | void> {
  check(options);
  const { object, finalizer } = options;
  if (isDeleting(object)) {
    return hasFinalizer(object, finalizer) ? cleanUp(options) : undefined;
  }
  if (hasFinalizer(object, finalizer)) return options.apply(object);
  await changeFinalizers(options, (fresh) =>
    isDeleting(fresh) ? undefined : addFinalizer(fresh, finalizer),
  );
  // A new finalizer does not change the generation, so a predicate may filter its event out.
  return { requeueAfter: 1 };
}

/** Checks before the first write: an object with the finalizer can only be deleted if `cleanup` is there. */
function check<T extends KubernetesObject>(options: FinalizerOptions<T>): void {
  checkOptions(options, optionNames, 'withFinalizer');
  const { client, resource, object, finalizer, signal } = options;
  checkMethods(client, ['get', 'patch'], 'withFinalizer.client');
  const isToken = typeof (resource as Partial<ApiResource> | null)?.plural === 'string';
  if (!isToken) throw invalidOption('withFinalizer.resource', 'must be a resource token');
  const { name } = (object as Partial<Persisted<T>> | null)?.metadata ?? {};
  if (!name) throw invalidOption('withFinalizer.object', 'must be an object with a name');
  if (typeof finalizer !== 'string' || !finalizer.includes('/')) {
    throw invalidOption('withFinalizer.finalizer', 'must be a qualified name: example.com/name');
  }
  checkSignal(signal, 'withFinalizer.signal');
  for (const method of ['apply', 'cleanup'] as const) {
    checkFunction(Reflect.get(options, method), `withFinalizer.${method}`);
  }
}

async function cleanUp<T extends KubernetesObject>(
  options: FinalizerOptions<T>,
): Promise<Outcome | void> {
  const { object, finalizer } = options;
  const outcome = await options.cleanup(object);
  await changeFinalizers(options, (fresh) =>
    hasFinalizer(fresh, finalizer) ? removeFinalizer(fresh, finalizer) : undefined,
  );
  return outcome;
}

/** Writes the finalizers that `change` returns; `undefined` means no write. */
async function changeFinalizers<T extends KubernetesObject>(
  options: FinalizerOptions<T>,
  change: (object: DeepReadonly<KubernetesObject>) => string[] | undefined,
): Promise<void> {
  let object: DeepReadonly<KubernetesObject> = options.object;
  for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
    const finalizers = change(object);
    if (finalizers === undefined) return;
    if (await tryToWrite(options, object, finalizers)) return;
    const fresh = await read(options);
    // A new object of the same name has its own finalizers.
    if (fresh?.metadata?.uid !== object.metadata?.uid || fresh === undefined) return;
    object = fresh;
  }
  const { kind } = options.resource;
  throw new ManagerError('FINALIZER_CONFLICT', { kind, ...requestFor(options.object) });
}

async function tryToWrite<T extends KubernetesObject>(
  options: FinalizerOptions<T>,
  object: DeepReadonly<KubernetesObject>,
  finalizers: string[],
): Promise<boolean> {
  const { client } = options;
  const resource: ApiResource = options.resource;
  const { resourceVersion, uid } = object.metadata ?? {};
  const body = { metadata: { resourceVersion, uid, finalizers } };
  try {
    // A merge patch of metadata is valid for every kind, which the type of one kind cannot express.
    const patch = { type: 'merge', body } as unknown as Parameters<Client['patch']>[2];
    await client.patch(resource, requestFor(options.object), patch, bounds(options));
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    if (isNotFound(error)) return true;
    throw error;
  }
}

async function read<T extends KubernetesObject>(
  options: FinalizerOptions<T>,
): Promise<DeepReadonly<KubernetesObject> | undefined> {
  try {
    return await options.client.get<KubernetesObject>(
      options.resource,
      requestFor(options.object),
      bounds(options),
    );
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function bounds<T extends KubernetesObject>({
  signal,
}: FinalizerOptions<T>): {
  signal: AbortSignal | undefined;
} {
  return { signal };
}
