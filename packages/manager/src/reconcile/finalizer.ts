import {
  addFinalizer,
  hasFinalizer,
  invalidOption,
  isConflict,
  isDeleting,
  isNotFound,
  removeFinalizer,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { ManagerError } from '../errors.ts';
import type { Outcome } from './reconcile.ts';

/** What to do with an object that must be cleaned up after. */
export interface FinalizerOptions<T extends KubernetesObject> {
  readonly client: Pick<Client, 'get' | 'patch'>;
  readonly resource: ApiResource<T>;
  /** The object as the reconcile read it. */
  readonly object: DeepReadonly<T>;
  /** A qualified name: `example.com/web-app`. */
  readonly finalizer: string;
  readonly signal?: AbortSignal;
  /** The object lives and carries the finalizer. */
  apply(object: DeepReadonly<T>): Promise<Outcome | void> | Outcome | void;
  /** The object is being deleted; when this returns, the finalizer goes. Runs again if it throws. */
  cleanup(object: DeepReadonly<T>): Promise<Outcome | void> | Outcome | void;
}

/** Conflicts in a row before `FINALIZER_CONFLICT`: by then another client keeps overwriting the object. */
const MOST_TRIES = 10;

/**
 * Runs `apply` only on an object that carries the finalizer, and `cleanup` once it is being
 * deleted, so that everything `apply` creates is cleaned up. An object without the finalizer gets
 * it first, and is reconciled again. Both changes are guarded by the object's resourceVersion: changes
 * of other clients to the list are kept. Code `FINALIZER_CONFLICT` when that never succeeds.
 */
export async function withFinalizer<T extends KubernetesObject>(
  options: FinalizerOptions<T>,
): Promise<Outcome | void> {
  const { object, finalizer } = options;
  if (typeof finalizer !== 'string' || !finalizer.includes('/')) {
    throw invalidOption('withFinalizer.finalizer', 'must be a qualified name: example.com/name');
  }
  if (isDeleting(object)) {
    return hasFinalizer(object, finalizer) ? cleanUp(options) : undefined;
  }
  if (hasFinalizer(object, finalizer)) return options.apply(object);
  await changeFinalizers(options, (fresh) =>
    isDeleting(fresh) ? undefined : addFinalizer(fresh, finalizer),
  );
  // A new finalizer changes no generation: the event of it may be filtered out.
  return { requeueAfter: 1 };
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

/** `change` says the new list; `undefined` leaves it alone. */
async function changeFinalizers<T extends KubernetesObject>(
  options: FinalizerOptions<T>,
  change: (object: DeepReadonly<KubernetesObject>) => string[] | undefined,
): Promise<void> {
  let object: DeepReadonly<KubernetesObject> = options.object;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const finalizers = change(object);
    if (finalizers === undefined) return;
    if (await tryToWrite(options, object, finalizers)) return;
    const fresh = await read(options);
    // A successor of the same name has its own finalizers.
    if (fresh?.metadata?.uid !== object.metadata?.uid || fresh === undefined) return;
    object = fresh;
  }
  const { name, namespace } = options.object.metadata ?? {};
  throw new ManagerError('FINALIZER_CONFLICT', { kind: options.resource.kind, namespace, name });
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
    // A merge patch of metadata fits every kind, which the type of one kind cannot say.
    const patch = { type: 'merge', body } as unknown as Parameters<Client['patch']>[2];
    await client.patch(resource, nameOf(options), patch, bounds(options));
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
      nameOf(options),
      bounds(options),
    );
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function nameOf<T extends KubernetesObject>(
  options: FinalizerOptions<T>,
): { namespace: string | undefined; name: string } {
  const { name = '', namespace } = options.object.metadata ?? {};
  return { namespace, name };
}

function bounds<T extends KubernetesObject>({
  signal,
}: FinalizerOptions<T>): {
  signal: AbortSignal | undefined;
} {
  return { signal };
}
