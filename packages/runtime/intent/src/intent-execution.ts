import {
  checkOptions,
  invalidOption,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import type { Outcome } from '@keelson/manager';
import { checkStatusChange, patchStatus, type StatusChange } from '@keelson/client';
import type { ExecutionContext } from './execution-guard.ts';
import type { IntentAccess } from './intent-place.ts';
import type { AppliedSpec, IntentStore } from './intent-store.ts';
import type { LastApplied, SpecOf } from './last-applied.ts';
import { specDifference, type SpecDifference } from './spec-difference.ts';

/** The input of an action: the object, its record, their difference, and a signal. */
export interface IntentRun<T extends KubernetesObject> {
  /** The object, not older than its record. */
  readonly object: DeepReadonly<Persisted<T>>;
  /**
   * The record of the last success. `undefined` if the record is missing, malformed, of another schema version or of
   * another object.
   */
  readonly lastApplied: LastApplied<SpecOf<T>> | undefined;
  /** The differences of the spec since the last success. */
  readonly difference: SpecDifference<SpecOf<T>>;
  /** Aborts with the signal of the target, and with `EXECUTION_SUPERSEDED` under the policy `supersede`. */
  readonly signal: AbortSignal;
}

/** The result of an action: an outcome of a reconcile, and the spec and status to store. */
export interface IntentResult<T extends KubernetesObject> extends Outcome {
  /**
   * True if the spec of `object` is applied now and becomes the record, false to keep the former record. If the action
   * applied another spec: that spec and its generation. Default: true, and false with `retry: true`.
   */
  readonly applied?: boolean | AppliedSpec<SpecOf<T>>;
  /** The members of the status to change, written after the record by `patchStatus`. Default: no change. */
  readonly status?: StatusChange<T>;
}

/** Brings an object to its desired state. An error leaves the record as it is. */
export type IntentAction<T extends KubernetesObject> = (
  run: IntentRun<T>,
) => Promise<IntentResult<T> | void> | IntentResult<T> | void;

/** The object and its action. */
interface IntentExecution<T extends KubernetesObject> extends ExecutionContext {
  /**
   * The target with the signal of the caller, not with that of the execution: a superseded action that returned was
   * successful, and its record is written.
   */
  readonly access: IntentAccess<T>;
  readonly action: IntentAction<T>;
}

const resultMembers = ['requeueAfter', 'retry', 'priority', 'applied', 'status'];

/**
 * Runs the action, then writes the record, then the status: a crash between two writes leads to a repetition of the
 * action, and never to a status that reports more than was recorded.
 */
export async function executeIntent<T extends KubernetesObject>(
  store: IntentStore<T>,
  { access: given, action, signal, hasWaited }: IntentExecution<T>,
): Promise<Outcome | void> {
  const current = await store.current(given, hasWaited);
  if (current === undefined) return undefined;
  const { object, lastApplied } = current;
  const access = { ...given, object };
  const { spec } = object as { readonly spec?: DeepReadonly<SpecOf<T>> };
  const wanted = { generation: object.metadata.generation ?? 0, spec: spec ?? empty<SpecOf<T>>() };
  const difference = specDifference(lastApplied?.spec, wanted.spec);
  if (!difference.isEmpty) store.check(access, wanted);
  const result = (await action({ object, lastApplied, difference, signal })) ?? {};
  checkResult(result);
  const { applied = result.retry !== true, status, ...outcome } = result;
  const intent = typeof applied === 'object' ? applied : wanted;
  const written = applied === false ? undefined : await store.write(access, intent, lastApplied);
  if (status !== undefined) {
    const { client, resource, signal: callers } = given;
    await patchStatus({
      client,
      resource,
      object: written ?? object,
      status: observing(status, intent.generation),
      ...(callers && { signal: callers }),
    });
  }
  return Object.keys(outcome).length === 0 ? undefined : outcome;
}

function checkResult<T extends KubernetesObject>(result: IntentResult<T>): void {
  const where = 'durableIntent.run.result';
  checkOptions(result, resultMembers, where);
  const { applied, status } = result;
  if (status !== undefined) checkStatusChange(status, `${where}.status`);
  if (applied === undefined || typeof applied === 'boolean') return;
  const { generation, spec } = (applied ?? {}) as Partial<AppliedSpec<unknown>>;
  if (Number.isSafeInteger(generation) && typeof spec === 'object' && spec !== null) return;
  throw invalidOption(`${where}.applied`, 'must be true, false or { generation, spec }');
}

/**
 * Sets `observedGeneration` of conditions to the generation that the action received: after the write of the record the
 * object may have a later one.
 */
function observing<T extends KubernetesObject>(
  status: StatusChange<T>,
  observedGeneration: number,
): StatusChange<T> {
  const { conditions } = status as { readonly conditions?: unknown };
  if (!Array.isArray(conditions)) return status;
  const observed = conditions.map((condition: object) => ({ observedGeneration, ...condition }));
  return { ...status, conditions: observed };
}

/** Returns an empty spec, for an object without a spec. */
function empty<Spec>(): DeepReadonly<Spec> {
  return {} as DeepReadonly<Spec>;
}
