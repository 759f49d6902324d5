import type { Call } from '../syntax/expression.ts';
import { EvaluationError } from '../values/evaluation-error.ts';
import { Optional } from '../values/optional.ts';
import { isFailed, noOverload, type Outcome } from '../values/outcome.ts';
import { attributeOf, attributeStep, type Attribute } from './attribute.ts';
import type { Planned, Planner } from './planner.ts';
import { charge, type Step } from './run.ts';

/** Plans functions that do not always evaluate all arguments; returns `undefined` for other functions. */
export function planLogic(planner: Planner, call: Call): Planned | undefined {
  const { name, target } = call;
  const args = (): readonly Planned[] =>
    [...(target ? [target] : []), ...call.args].map((each) => planner.plan(each));
  const steps = (): readonly Step[] => args().map(({ step }) => step);
  switch (name) {
    case '_&&_':
      return { step: connective(steps(), false) };
    case '_||_':
      return { step: connective(steps(), true) };
    case '_?_:_':
      return conditional(args());
    case '@not_strictly_false':
      return { step: notStrictlyFalse(steps()) };
    case 'or':
      return target && { step: alternative(steps(), (optional) => optional) };
    case 'orValue':
      return target && { step: alternative(steps(), ({ outcome }) => outcome) };
    default:
      return undefined;
  }
}

/** Plans `&&` or `||`. `decisive`: the operand value that determines the result, even if the other operand fails. */
function connective([left = never, right = never]: readonly Step[], decisive: boolean): Step {
  return (run) => {
    const one = left(run);
    if (one === decisive) return decisive;
    const other = right(run);
    if (other === decisive) return decisive;
    if (typeof one !== 'boolean') return noOverload(one);
    return typeof other === 'boolean' ? other : noOverload(other);
  };
}

/** Plans `a ? b : c`. A branch that is a variable with its fields costs nothing for the variable itself. */
function conditional([condition, yes, no]: readonly Planned[]): Planned {
  if (condition === undefined || yes === undefined || no === undefined) return never();
  const attribute: Attribute = {
    kind: 'conditional',
    condition: condition.step,
    yes: yes.attribute ?? attributeOf(yes.step),
    no: no.attribute ?? attributeOf(no.step),
  };
  return { step: attributeStep(attribute), attribute };
}

/** Plans the condition of a comprehension: an error counts as true, because a later step may replace it. */
function notStrictlyFalse([operand = never]: readonly Step[]): Step {
  return (run) => {
    const value = operand(run);
    charge(run, 1);
    return value !== false;
  };
}

function alternative(
  [first = never, second = never]: readonly Step[],
  take: (optional: Optional) => Outcome,
): Step {
  return (run) => {
    const optional = first(run);
    // The type is dynamic: as in cel-go, a value that is not an optional is the result.
    if (isFailed(optional) || !(optional instanceof Optional)) return optional;
    return optional.hasValue ? take(optional) : second(run);
  };
}

function never(): never {
  throw new EvaluationError('an operator lacks an operand that its checker demands');
}
