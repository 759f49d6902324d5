import {
  checkCount,
  checkFunction,
  checkMethods,
  checkOptions,
  checkSignal,
  invalidOption,
  type ApiResource,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import type { Outcome } from '@keelson/manager';
import type { ExecutedObject } from './executed-object.ts';
import {
  checkPolicy,
  ExecutionGuard,
  type ExecutionContext,
  type ExecutionPolicy,
} from './execution-guard.ts';
import { executeIntent, type IntentAction } from './intent-execution.ts';
import { IntentHistory, type IntentHistoryOptions } from './intent-history.ts';
import type { IntentTarget } from './intent-place.ts';
import { IntentStore } from './intent-store.ts';
import type { LastApplied, SpecOf } from './last-applied.ts';
import { checkRecordNamespace, placeOf, type IntentPlaceOptions } from './place-options.ts';

/** The kind of the objects, and where and how their records are kept. */
export interface DurableIntentOptions<T extends KubernetesObject> {
  /** The kind of the objects. Its API server must set `metadata.generation`, as it does for every custom resource. */
  readonly resource: ApiResource<T>;
  /** Where the record of an object is stored. */
  readonly place: IntentPlaceOptions<NoInfer<T>>;
  /**
   * The version of the shape of `spec`. Raise it with an incompatible change of the CustomResourceDefinition: records
   * of other versions then count as absent, and each object is applied in full once. Default 1.
   */
  readonly schemaVersion?: number;
  /** The treatment of a trigger while an execution of its object runs. Default `'queue'`. */
  readonly policy?: ExecutionPolicy;
  /** Keeps earlier records too, as ConfigMaps that the object owns. Default: the last record only. */
  readonly history?: IntentHistoryOptions;
}

/** Remembers the spec that was applied last to each object of a kind. */
export interface DurableIntent<T extends KubernetesObject> {
  /**
   * Resolves with the record of the object, or with `undefined` if the record is missing, malformed, of another schema
   * version or of another object.
   */
  read(target: IntentTarget<T>): Promise<LastApplied<SpecOf<T>> | undefined>;
  /**
   * Executes the action for the object, at most one at a time. After a return it writes the record if it changed, and
   * then the status. After an error it writes nothing and rejects with it. Resolves with the outcome for the reconcile;
   * a superseded or rejected execution runs again later. Throws `INTENT_TOO_LARGE` before the action runs.
   */
  run(target: IntentTarget<T>, action: IntentAction<T>): Promise<Outcome | void>;
  /**
   * Aborts the running execution of an earlier generation of the object if the policy is `supersede`. Returns true if
   * it did. Call it from a second controller of the kind: the queue of the first starts no reconcile of an object whose
   * execution still runs.
   */
  supersede(object: ExecutedObject): boolean;
}

const optionNames = ['resource', 'place', 'schemaVersion', 'policy', 'history'];
const clientMethods = ['get', 'list', 'patch', 'apply', 'delete', 'status'];

/** The outcome after a superseded execution: a run after 1 ms, because a later spec exists. */
const SUPERSEDED: Outcome = { requeueAfter: 1 };
/** The outcome after a rejected execution. It is not a retry, because `maxAttempts` would drop the later spec. */
const REJECTED: Outcome = { requeueAfter: '1s' };

/**
 * Records which spec of an object was applied last, so that a controller that was down, crashed or failed finds the
 * differences on its next run. The record is `{ schemaVersion, generation, appliedAt, spec }`. Writing it starts no
 * reconcile in a controller with `generationChanged` or `ignoreOwn`. Throws `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { durableIntent } from '@keelson/intent';
 * import { builtin } from '@keelson/manager';
 *
 * // The plan and its results survive a crash between any two steps.
 * export const intent = durableIntent({
 *   resource: builtin.ConfigMap,
 *   place: { annotation: 'example.com/plan' },
 * });
 * ```
 */
export function durableIntent<T extends KubernetesObject>(
  options: DurableIntentOptions<T>,
): DurableIntent<T> {
  const { resource, store, policy } = check(options);
  const guard = new ExecutionGuard({ policy });
  return {
    async read(target) {
      checkTarget(target, 'durableIntent.read');
      return store.read({ ...target, resource });
    },
    async run(target, action) {
      checkTarget(target, 'durableIntent.run');
      checkFunction(action, 'durableIntent.run.action');
      const { signal } = target;
      const execute = (context: ExecutionContext): Promise<Outcome | void> =>
        executeIntent(store, { access: { ...target, resource }, action, ...context });
      const end = await guard.run(target.object, execute, { signal });
      if (end.state === 'ended') return end.value;
      return end.state === 'superseded' ? SUPERSEDED : REJECTED;
    },
    supersede: (object) => guard.supersede(object),
  };
}

interface Checked<T extends KubernetesObject> {
  readonly resource: ApiResource<T>;
  readonly store: IntentStore<T>;
  readonly policy: ExecutionPolicy;
}

function check<T extends KubernetesObject>(options: DurableIntentOptions<T>): Checked<T> {
  checkOptions(options, optionNames, 'durableIntent');
  const { resource, place, schemaVersion = 1, policy = 'queue', history } = options;
  const isToken = typeof (resource as Partial<ApiResource> | null)?.plural === 'string';
  if (!isToken) throw invalidOption('durableIntent.resource', 'must be a resource token');
  checkCount(schemaVersion, 'durableIntent.schemaVersion');
  checkPolicy(policy, 'durableIntent.policy');
  if (history !== undefined) {
    const where = 'durableIntent.history';
    checkOptions(history, ['keep', 'namespace'], where);
    checkCount(history.keep, `${where}.keep`);
    checkRecordNamespace(history.namespace, resource, `${where}.namespace`);
  }
  const store = new IntentStore(placeOf<T>(place, resource, 'durableIntent.place'), {
    history: history && new IntentHistory<T>(history),
    schemaVersion,
  });
  return { resource, store, policy };
}

function checkTarget<T extends KubernetesObject>(target: IntentTarget<T>, where: string): void {
  checkOptions(target, ['client', 'object', 'signal'], where);
  checkMethods(target.client, clientMethods, `${where}.client`);
  const { metadata } = (target.object ?? {}) as Partial<Persisted<T>>;
  const { name, uid, resourceVersion, generation } = metadata ?? {};
  if (!name || !uid || !resourceVersion || !Number.isSafeInteger(generation)) {
    const reason = 'must be an object with a generation, from the cache or the client';
    throw invalidOption(`${where}.object`, reason);
  }
  checkSignal(target.signal, `${where}.signal`);
}
