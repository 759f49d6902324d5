import {
  type ApiResource,
  type Duration,
  ignoreRejection,
  invalidOption,
  isNotFound,
  isPromised,
  type KubernetesObject,
  type Persisted,
  parseDuration,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { EnvtestError } from '../errors.ts';

/** The name of an object, with a `namespace` for namespaced kinds. */
export interface UntilName {
  readonly namespace?: string;
  readonly name: string;
}

/** Limits how long `until` waits. */
export interface UntilOptions {
  /** How long to wait before `UNTIL_TIMEOUT`. Default 10 s. */
  readonly timeout?: Duration;
  /** Ends the wait; the promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/**
 * Waits until an object matches a predicate, and returns the object. The predicate gets every state of the object
 * once, and `undefined` while the object does not exist: `until(client, Pod, name, (pod) => pod === undefined)`
 * waits until the pod is gone. No state is missed between the first list and the watch. Throws `UNTIL_TIMEOUT` with
 * the last state.
 *
 * @example
 * ```ts
 * import { createTestEnvironment, until } from '@keelson/envtest';
 * import { builtin, createClient } from '@keelson/manager';
 *
 * await using environment = await createTestEnvironment();
 * await using client = createClient({ cluster: environment.admin.cluster });
 * await until(
 *   client,
 *   builtin.Deployment,
 *   { namespace: 'default', name: 'web' },
 *   (found) => found?.status?.availableReplicas === 3,
 * );
 * ```
 */
export async function until<T extends KubernetesObject>(
  client: Client,
  resource: ApiResource<T>,
  name: UntilName,
  predicate: (object: Persisted<T> | undefined) => boolean,
  options: UntilOptions = {},
): Promise<Persisted<T> | undefined> {
  const timeout = parseDuration(options.timeout ?? '10s', 'until.timeout');
  const expired = AbortSignal.timeout(timeout);
  const signal = AbortSignal.any([expired, ...(options.signal ? [options.signal] : [])]);
  let last: Persisted<T> | undefined;
  let hasFailed = false;
  const isMet = (object: Persisted<T> | undefined): boolean => {
    last = object;
    hasFailed = true;
    const isMatch = checkedMatch(predicate(object));
    hasFailed = false;
    return isMatch;
  };
  try {
    for (;;) {
      const met = await observe(client, resource, {
        name,
        isMet,
        signal,
        hasFailed: () => hasFailed,
      });
      if (met !== undefined) return met.object;
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!expired.aborted) throw error;
    const seen = last === undefined ? 'no object' : JSON.stringify(last);
    throw new EnvtestError('UNTIL_TIMEOUT', { kind: resource.kind, ...name, timeout, seen });
  }
}

interface Observation<T extends KubernetesObject> {
  readonly name: UntilName;
  readonly signal: AbortSignal;
  readonly isMet: (object: Persisted<T> | undefined) => boolean;
  /** True after the predicate has thrown. */
  readonly hasFailed: () => boolean;
}

/** Refuses a promise, which would match every state. */
function checkedMatch(result: unknown): boolean {
  if (!isPromised(result)) return Boolean(result);
  ignoreRejection(result);
  throw invalidOption('until.predicate', 'must return a boolean, and no promise');
}

/** Lists, then watches from the version of the list; returns `undefined` if the watch ends before a state matches. */
async function observe<T extends KubernetesObject>(
  client: Client,
  resource: ApiResource<T>,
  { name, isMet, signal, hasFailed }: Observation<T>,
): Promise<{ object: Persisted<T> | undefined } | undefined> {
  const { namespace } = name;
  const fieldSelector = `metadata.name=${name.name}`;
  const selection = { fieldSelector, signal, ...(namespace !== undefined && { namespace }) };
  const { items, metadata } = await client.list(resource, selection);
  const [first] = items;
  if (isMet(first)) return { object: first };
  const { resourceVersion } = metadata;
  try {
    for await (const event of client.watch(resource, { ...selection, resourceVersion })) {
      if (event.type === 'BOOKMARK') continue;
      const object = event.type === 'DELETED' ? undefined : event.object;
      if (isMet(object)) return { object };
    }
  } catch (error) {
    // A watch that cannot resume starts again with a list.
    if (signal.aborted || hasFailed() || isNotFound(error)) throw error;
  }
  return undefined;
}
