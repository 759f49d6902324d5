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

/** The facts that an action receives. */
export interface IntentRun<T extends KubernetesObject> {
  /** The object, not older than its record. */
  readonly object: DeepReadonly<Persisted<T>>;
  /** The record of the last success; `undefined` for none, and for an unknown or malformed one. */
  readonly lastApplied: LastApplied<SpecOf<T>> | undefined;
  /** The differences of the spec since the last success. */
  readonly difference: SpecDifference<SpecOf<T>>;
  /** Aborts with the signal of the target, and with `EXECUTION_SUPERSEDED` under the policy `supersede`. */
  readonly signal: AbortSignal;
}

/** The result of an action: an outcome of a reconcile, and the facts to store. */
export interface IntentResult<T extends KubernetesObject> extends Outcome {
  /**
   * Whether the spec of `object` is applied now, so that it becomes the record. Or the spec and generation that were
   * applied, if it was another one. Default: true, and false with `retry: true`.
   */
  readonly applied?: boolean | AppliedSpec<SpecOf<T>>;
  /** The members of the status to change, written after the record by `patchStatus`. Default: the status stays. */
  readonly status?: StatusChange<T>;
}

/** Brings an object to its desired state. An error leaves the record as it is. */
export type IntentAction<T extends KubernetesObject> = (
  run: IntentRun<T>,
) => Promise<IntentResult<T> | void> | IntentResult<T> | void;

/** The object and its action. */
interface IntentExecution<T extends KubernetesObject> extends ExecutionContext {
  /** Its signal is that of the caller: a superseded action that returned was successful, and its record is written. */
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

/** The conditions describe the generation that the action saw; the object may have a later one after the record. */
function observing<T extends KubernetesObject>(
  status: StatusChange<T>,
  observedGeneration: number,
): StatusChange<T> {
  const { conditions } = status as { readonly conditions?: unknown };
  if (!Array.isArray(conditions)) return status;
  const observed = conditions.map((condition: object) => ({ observedGeneration, ...condition }));
  return { ...status, conditions: observed };
}

/** The spec of an object without one. */
function empty<Spec>(): DeepReadonly<Spec> {
  return {} as DeepReadonly<Spec>;
}
