import { specDifference, type IntentResult, type IntentRun } from '@keelson/intent';
import {
  isConflict,
  mutableCopy,
  patchStatus,
  setCondition,
  TerminalError,
  type Client,
  type DeepReadonly,
  type NewCondition,
  type Persisted,
} from '@keelson/manager';
import { beginPlan, changeSteps, nextSteps, readyOf, type StepChange } from './active-plan.ts';
import { Instance, type ActivePlan } from './custom-resource.ts';
import { decisions, stateOf, type PlanPolicy } from './decision.ts';
import type { StepEvent } from './step-status.ts';
import { stepOf, type PlanName, type Plans } from './plan.ts';

type Result = Promise<IntentResult<Instance>>;
type Stored = DeepReadonly<Persisted<Instance>>;

/** The plans of an operator, and what it needs to run them. */
export interface PlanTools {
  readonly client: Client;
  readonly plans: Plans;
  readonly policy: PlanPolicy;
}

// #region advance
/** Runs the next steps of the active plan, or starts, finishes or replaces a plan. */
export async function advancePlan(run: IntentRun<Instance>, tools: PlanTools): Result {
  const { object, lastApplied, difference } = run;
  const active = object.status?.activePlan;
  const observedGeneration = object.metadata.generation ?? 0;
  const isChanged = active
    ? !specDifference(active.spec, object.spec).isEmpty
    : !difference.isEmpty;
  const state = stateOf(active, lastApplied?.generation);
  const decision = decisions[tools.policy][state][isChanged ? 'changed' : 'unchanged'];
  try {
    if (decision === 'start') return await runSteps(run, tools, begin(run, tools));
    if (!active) return { status: { observedGeneration, conditions: [complete] } };
    if (decision === 'continue') return await runSteps(run, tools, active);
    if (decision === 'rest') return { applied: false }; // failed until the spec changes
    await updateStatus(object, null, { client: tools.client, generation: active.generation });
    return { applied: false, requeueAfter: 1 }; // the spec may have changed meanwhile
  } catch (error) {
    if (isConflict(error)) return { retry: true }; // the object was older than that of the server
    throw error;
  }
}

/** The record and the active plan decide: an unfinished plan may have applied a part of its spec. */
function begin(
  { object, lastApplied, difference }: IntentRun<Instance>,
  { plans }: PlanTools,
): ActivePlan {
  const active = object.status?.activePlan;
  const partial = active ? specDifference(active.spec, object.spec) : difference;
  const isUpgrade = difference.touches('version') || partial.touches('version');
  const changed: PlanName = isUpgrade ? 'upgrade' : 'scale';
  const name = lastApplied === undefined ? 'deploy' : changed;
  return beginPlan(name, plans[name], object);
}

async function runSteps(
  run: IntentRun<Instance>,
  tools: PlanTools,
  from: DeepReadonly<ActivePlan>,
): Result {
  const { object, signal } = run;
  const { client, plans } = tools;
  const plan = plans[from.plan as PlanName];
  const steps = nextSteps(plan, from);
  const active = changeSteps(
    from,
    steps.map((path) => ({ ...path, event: 'start' as const })),
  );
  // No step runs for an object that is older than that of the server: this write would conflict.
  const instance = await updateStatus(object, active, { client, generation: active.generation });
  const context = { instance, spec: active.spec, client, signal };
  const errors: unknown[] = [];
  const changes = await Promise.all(
    steps.map(async (path): Promise<StepChange> => {
      try {
        await stepOf(plan, path.phase, path.step).run(context);
        return { ...path, event: 'succeed' };
      } catch (error) {
        errors.push(error);
        return { ...path, ...failureOf(error) };
      }
    }),
  );
  // If the signal has aborted, the patch below is not sent: an aborted step has not failed.
  const next = changeSteps(active, changes);
  const { generation, spec } = next;
  // The record first. The next run then sees a recorded plan and ends it in the status.
  if (next.status === 'Complete') return { applied: { generation, spec }, requeueAfter: 1 };
  const status = { activePlan: next, conditions: [readyOf(next)] };
  await patchStatus({ client, resource: Instance, object: instance, status, signal });
  const isChanged = !specDifference(spec, object.spec).isEmpty;
  // A spec that was changed before this run leads to no further event.
  if (next.status === 'FatalError' && isChanged) return { applied: false, requeueAfter: 1 };
  if (next.status === 'FatalError')
    throw new TerminalError(`plan ${next.plan} failed`, { cause: errors[0] });
  if (errors.length > 0) throw new AggregateError(errors, `plan ${next.plan} has steps to retry`);
  return { applied: false, requeueAfter: 1 };
}
// #endregion

function failureOf(error: unknown): { readonly event: StepEvent; readonly message: string } {
  if (error instanceof TerminalError) {
    return { event: 'failFatally', message: String(error.facts['reason']) };
  }
  return { event: 'fail', message: error instanceof Error ? error.message : String(error) };
}

const complete: NewCondition = {
  type: 'Ready',
  status: 'True',
  reason: 'PlanComplete',
  message: '',
};

/** Replaces the status of exactly this version of the object: an update conflicts with every other change. */
async function updateStatus(
  object: Stored,
  activePlan: ActivePlan | null,
  { client, generation }: { readonly client: Client; readonly generation: number },
): Promise<Persisted<Instance>> {
  const instance = mutableCopy(object) as Persisted<Instance>;
  const ready = activePlan ? readyOf(activePlan) : { ...complete, observedGeneration: generation };
  const conditions = setCondition(instance.status?.conditions, ready);
  const status = { observedGeneration: generation, activePlan, conditions };
  return client.status(Instance).update({ ...instance, status });
}
