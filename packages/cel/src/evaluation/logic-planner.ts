import type { Call } from '../syntax/expression.ts';
import { EvaluationError, fail } from '../values/evaluation-error.ts';
import { Optional } from '../values/optional.ts';
import type { Value } from '../values/value.ts';
import type { Planner } from './planner.ts';
import { attempt, charge, type Step } from './run.ts';

/** Plans functions that do not always evaluate all arguments; returns `undefined` for other functions. */
export function planLogic(planner: Planner, call: Call): Step | undefined {
  const { name, target } = call;
  const args = (): readonly Step[] =>
    [...(target ? [target] : []), ...call.args].map((each) => planner.plan(each));
  switch (name) {
    case '_&&_':
      return connective(args(), false);
    case '_||_':
      return connective(args(), true);
    case '_?_:_':
      return conditional(args());
    case '@not_strictly_false':
      return notStrictlyFalse(args());
    case 'or':
      return target && alternative(args(), (value) => value);
    case 'orValue':
      return target && alternative(args(), ({ value }) => value);
    default:
      return undefined;
  }
}

/** Plans `&&` or `||`. `decisive`: the operand value that determines the result, even if the other operand fails. */
function connective([left = never, right = never]: readonly Step[], decisive: boolean): Step {
  return (run) => {
    const one = attempt(left, run);
    if (one === decisive) return decisive;
    const other = attempt(right, run);
    if (other === decisive) return decisive;
    settled(one);
    settled(other);
    return !decisive;
  };
}

/** Checks an operand that has not determined the result: it must be a bool without an error. */
function settled(operand: Value | EvaluationError): void {
  if (operand instanceof EvaluationError) throw operand;
  if (typeof operand !== 'boolean') fail('no such overload');
}

function conditional([condition = never, yes = never, no = never]: readonly Step[]): Step {
  return (run) => {
    const holds = condition(run);
    if (typeof holds !== 'boolean') return fail('no such overload');
    return holds ? yes(run) : no(run);
  };
}

/** Plans the condition of a comprehension: an error counts as true, because a later step may replace it. */
function notStrictlyFalse([operand = never]: readonly Step[]): Step {
  return (run) => {
    charge(run, 1);
    return attempt(operand, run) !== false;
  };
}

function alternative(
  [first = never, second = never]: readonly Step[],
  take: (optional: Optional) => Value,
): Step {
  return (run) => {
    const optional = first(run);
    // The type is dynamic: as in cel-go, a value that is not an optional is the result.
    if (!(optional instanceof Optional)) return optional;
    return optional.hasValue ? take(optional) : second(run);
  };
}

function never(): never {
  throw new Error('an operator lacks an operand that its checker demands');
}
