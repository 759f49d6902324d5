import type { ActivePlan } from './custom-resource.ts';

/** What happens to a change of the spec while a plan runs: it waits, or the plan is replaced. */
export type PlanPolicy = 'queue' | 'supersede';

// #region decision
/** `Recorded`: the plan is complete and its spec is the record, but the status does not show it yet. */
export const planStates = ['Idle', 'Running', 'Failed', 'Recorded'] as const;
export type PlanState = (typeof planStates)[number];

/** Whether the spec differs from that of the active plan or, without a plan, from the record. */
export const specEvents = ['unchanged', 'changed'] as const;
export type SpecEvent = (typeof specEvents)[number];

export type Decision = 'rest' | 'start' | 'continue' | 'finish';

type Decisions = Readonly<Record<PlanState, Readonly<Record<SpecEvent, Decision>>>>;

const queue: Decisions = {
  Idle: { unchanged: 'rest', changed: 'start' },
  Running: { unchanged: 'continue', changed: 'continue' },
  Failed: { unchanged: 'rest', changed: 'start' },
  Recorded: { unchanged: 'finish', changed: 'finish' },
};
const supersede: Decisions = { ...queue, Running: { unchanged: 'continue', changed: 'start' } };

export const decisions: Readonly<Record<PlanPolicy, Decisions>> = { queue, supersede };
// #endregion

export function stateOf(
  active: Pick<ActivePlan, 'generation' | 'status'> | null | undefined,
  recorded: number | undefined,
): PlanState {
  if (active === null || active === undefined) return 'Idle';
  if (active.generation === recorded) return 'Recorded';
  return active.status === 'FatalError' ? 'Failed' : 'Running';
}
