import * as fc from 'fast-check';
import type { Step } from '../actions/action.ts';
import type { Violation } from '../invariants/invariant.ts';
import { actions, MAX_NUMBER, MAX_STEPS, type Plan } from './plan.ts';

/** The runs after which the shortest plan so far is returned. */
const MAX_RUNS = 2_000;

/** A plan that breaks an invariant, and how. */
export interface Failure {
  readonly plan: Plan;
  readonly violation: Violation;
}

/** Runs a plan, and returns the first invariant that it broke. */
export type RunPlan = (plan: Plan) => Promise<Violation | undefined>;

/** Shortens the plan of a failure as long as it breaks the same invariant. */
export async function shrink(found: Failure, runPlan: RunPlan): Promise<Failure> {
  const shrinking = new Shrinking(found, runPlan);
  await shrinking.removeSteps();
  await shrinking.simplify();
  return shrinking.shortest;
}

class Shrinking {
  shortest: Failure;
  readonly #runPlan: RunPlan;
  #runs = 0;

  constructor(found: Failure, runPlan: RunPlan) {
    this.shortest = found;
    this.#runPlan = runPlan;
  }

  /** Removes halves, quarters and so on: fewer runs than fast-check needs for a long list. */
  async removeSteps(): Promise<void> {
    for (let size = this.#steps.length; size >= 1; size = Math.floor(size / 2)) {
      for (let from = this.#steps.length - size; from >= 0; from -= size) {
        await this.#fails({ ...this.shortest.plan, steps: this.#steps.toSpliced(from, size) });
      }
    }
  }

  /** Shortens the list and the numbers. */
  async simplify(): Promise<void> {
    const holds = fc.asyncProperty(plans, async (plan) => !(await this.#fails(plan)));
    await fc.check(holds, { examples: [[this.shortest.plan]], numRuns: 1 });
  }

  get #steps(): readonly Step[] {
    return this.shortest.plan.steps;
  }

  async #fails(plan: Plan): Promise<boolean> {
    if (this.#runs++ > MAX_RUNS) return false;
    const violation = await this.#runPlan(plan);
    if (violation?.invariant !== this.shortest.violation.invariant) return false;
    this.shortest = { plan, violation };
    return true;
  }
}

/** The first action of the list is the simplest: it takes the place of an action that has no part in the failure. */
const step = fc.record({
  does: fc.constantFrom('idle', ...Object.keys(actions)),
  n: fc.nat(MAX_NUMBER - 1),
});

const plans: fc.Arbitrary<Plan> = fc.record({
  isSlow: fc.boolean(),
  hasManager: fc.boolean(),
  hasElection: fc.boolean(),
  settlesLong: fc.boolean(),
  steps: fc.array(step, { maxLength: MAX_STEPS }),
});
