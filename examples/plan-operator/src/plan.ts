import { TerminalError, type Client, type DeepReadonly, type Persisted } from '@keelson/manager';
import type { Instance, InstanceSpec } from './custom-resource.ts';

/** The facts that a step receives. */
export interface StepContext {
  readonly instance: DeepReadonly<Persisted<Instance>>;
  /** The spec that the plan applies. */
  readonly spec: DeepReadonly<InstanceSpec>;
  readonly client: Client;
  /** Aborts when the operator stops, and when a later spec supersedes the plan. */
  readonly signal: AbortSignal;
}

/** One action. It may be repeated after a crash. A `TerminalError` ends the plan, another error is retried. */
export interface Step {
  readonly name: string;
  run(context: StepContext): Promise<unknown>;
}

type Strategy = 'serial' | 'parallel';

export interface Phase {
  readonly name: string;
  readonly strategy: Strategy;
  readonly steps: readonly Step[];
}

export interface Plan {
  readonly strategy: Strategy;
  readonly phases: readonly Phase[];
}

export type PlanName = 'deploy' | 'upgrade' | 'scale';
export type Plans = Readonly<Record<PlanName, Plan>>;

/** The members that can run now: in a serial strategy the first one, in a parallel one all of them. */
export function runnable<T>(strategy: Strategy, incomplete: readonly T[]): readonly T[] {
  return strategy === 'serial' ? incomplete.slice(0, 1) : incomplete;
}

/** Throws a `TerminalError` for a step that this version of the operator does not have. */
export function stepOf(plan: Plan, phase: string, name: string): Step {
  const steps = plan.phases.find((each) => each.name === phase)?.steps;
  const step = steps?.find((each) => each.name === name);
  if (step === undefined) throw new TerminalError(`the plan has no step ${phase}/${name}`);
  return step;
}
