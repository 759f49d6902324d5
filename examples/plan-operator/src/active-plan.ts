import {
  aggregateConditions,
  setCondition,
  type Condition,
  type DeepReadonly,
  type NewCondition,
  type Persisted,
} from '@keelson/manager';
import type { ActivePlan, Instance, PhaseProgress, StepProgress } from './custom-resource.ts';
import { runnable, type Plan, type PlanName } from './plan.ts';
import { nextStatus, summaryOf, type StepEvent, type StepStatus } from './step-status.ts';

/** A step by the names of its phase and itself. */
export interface StepPath {
  readonly phase: string;
  readonly step: string;
}

/** An event of a step, with the message of its error. */
export interface StepChange extends StepPath {
  readonly event: StepEvent;
  readonly message?: string;
}

export function beginPlan(
  name: PlanName,
  plan: Plan,
  { metadata, spec }: DeepReadonly<Persisted<Instance>>,
): ActivePlan {
  const status: StepStatus = 'Pending';
  const phases = plan.phases.map((phase) => ({
    name: phase.name,
    status,
    steps: phase.steps.map((step) => ({ name: step.name, status })),
  }));
  return { plan: name, generation: metadata.generation ?? 0, spec: { ...spec }, status, phases };
}

/** The steps that can run now. */
export function nextSteps(plan: Plan, active: DeepReadonly<ActivePlan>): StepPath[] {
  const phases = runnable(plan.strategy, active.phases.filter(isIncomplete));
  return phases.flatMap(({ name, steps }) => {
    const { strategy } = plan.phases.find((phase) => phase.name === name) ?? plan;
    const next = runnable(strategy, steps.filter(isIncomplete));
    return next.map((step) => ({ phase: name, step: step.name }));
  });
}

function isIncomplete({ status }: { readonly status: StepStatus }): boolean {
  return status !== 'Complete';
}

/** The plan after events of its steps, with the summaries of its phases. */
export function changeSteps(
  active: DeepReadonly<ActivePlan>,
  changes: readonly StepChange[],
): ActivePlan {
  const phases = active.phases.map(({ name, steps }): PhaseProgress => {
    const next = steps.map((step): StepProgress => {
      const change = changes.find((each) => each.phase === name && each.step === step.name);
      if (change === undefined) return step;
      const { event, message } = change;
      const status = nextStatus(step.status, event);
      return { name: step.name, status, ...(message !== undefined && { message }) };
    });
    return { name, status: summaryOf(next.map(({ status }) => status)), steps: next };
  });
  const status = summaryOf(phases.map((phase) => phase.status));
  return { ...active, spec: { ...active.spec }, status, phases };
}

// #region ready
/** The condition Ready: True if every phase is complete. Its reason is the status of the first other phase. */
export function readyOf(active: DeepReadonly<ActivePlan>): NewCondition {
  const parts = active.phases.reduce<Condition[]>((list, { name, status, steps }) => {
    const failed = steps.find(({ message }) => message !== undefined);
    return setCondition(list, {
      type: name,
      status: status === 'Complete' ? 'True' : 'False',
      reason: status,
      message: failed === undefined ? status : `${failed.name}: ${failed.message}`,
    });
  }, []);
  const of = active.phases.map(({ name }) => name);
  const ready = aggregateConditions(parts, { type: 'Ready', of, reason: 'PlanComplete' });
  return { ...ready, observedGeneration: active.generation };
}
// #endregion
