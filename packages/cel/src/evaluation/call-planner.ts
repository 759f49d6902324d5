import { type Charge, chargeOf } from '../cost/actual-cost.ts';
import { listCost } from '../cost/cost-factors.ts';
import type { Call } from '../syntax/expression.ts';
import type { CelType } from '../types/cel-type.ts';
import type { Overload } from '../types/function-declaration.ts';
import { fail } from '../values/evaluation-error.ts';
import { Optional } from '../values/optional.ts';
import { showValue } from '../values/show-value.ts';
import { typeOfValue } from '../values/type-of-value.ts';
import type { Value } from '../values/value.ts';
import type { Planner } from './planner.ts';
import { charge, type Step } from './run.ts';

/** Plans a call that evaluates all its arguments. */
export function planCall(planner: Planner, call: Call): Step {
  const pushed = planPush(planner, call);
  if (pushed !== undefined) return pushed;
  const target = planner.checked.isQualified(call) ? undefined : call.target;
  const expressions = [...(target ? [target] : []), ...call.args];
  const args = expressions.map((each) => planner.plan(each));
  const overloads = planner.checked.overloadsOf(call);
  const dynamic = overloads.length > 1 || expressions.some((each) => planner.isDynamic(each));
  return dynamic
    ? dispatched(overloads, args, overloads[0]?.name ?? call.name)
    : direct(overloads[0], args);
}

type Compute = (...args: readonly Value[]) => Value;

function computeOf({ implementation }: Overload): Compute {
  // The checker, or the search among the overloads, has checked the types of the arguments.
  return implementation as Compute;
}

function direct(only: Overload | undefined, args: readonly Step[]): Step {
  if (only === undefined) return () => fail('no such overload');
  const compute = computeOf(only);
  const costOf = chargeOf(only);
  const [one, other, third] = args;
  if (one !== undefined && other !== undefined && third === undefined) {
    return binary({ compute, costOf }, one, other);
  }
  return (run) => {
    const values = args.map((arg) => arg(run));
    const result = compute(...values);
    charge(run, costOf(values, result));
    return result;
  };
}

/** Plans a call with two arguments without an array of steps, because operators in nested loops are frequent. */
function binary(
  { compute, costOf }: { readonly compute: Compute; readonly costOf: Charge },
  one: Step,
  other: Step,
): Step {
  return (run) => {
    const values = [one(run), other(run)] as const;
    const result = compute(values[0], values[1]);
    charge(run, costOf(values, result));
    return result;
  };
}

/** Plans a call of dynamic type: the values select the overload at run time. */
function dispatched(overloads: readonly Overload[], args: readonly Step[], name: string): Step {
  return (run) => {
    const values = args.map((arg) => arg(run));
    const matching = overloads.find(({ parameters }) =>
      parameters.every((type, index) => accepts(type, values[index] ?? null)),
    );
    if (matching === undefined) return withoutOverload(name, values);
    const result = computeOf(matching)(...values);
    charge(run, chargeOf(matching)(values, result));
    return result;
  };
}

/** Functions whose error message does not name the types of the arguments. */
const functionsWithShortMessage: ReadonlySet<string> = new Set([
  'startsWith',
  'endsWith',
  'contains',
  'matches',
]);

/** Fails because no overload accepts the values; the messages are those of cel-go. */
function withoutOverload(name: string, values: readonly Value[]): Value {
  if (name === '_[?_]') return Optional.none;
  if (name === '_[_]') return fail(`no such key: ${showValue(values[1] ?? null)}`);
  if (!/^[\w.]+$/.test(name) || functionsWithShortMessage.has(name))
    return fail('no such overload');
  if (name === 'size' || name === 'sort') return fail(`no such overload: ${name}`);
  const types = values.map((value) => typeOfValue(value).name).join(', ');
  return fail(`no such overload: ${name}(${types})`);
}

function accepts(type: CelType, value: Value): boolean {
  if (type.kind === 'dyn' || type.kind === 'parameter') return true;
  const own = typeOfValue(value);
  return own.kind === type.kind && own.name === type.name;
}

/** Plans `@result + [item]` of a comprehension, which appends to its own list in place. */
function planPush(planner: Planner, { name, args: [list, more] }: Call): Step | undefined {
  if (name !== '_+_' || list === undefined || more?.kind !== 'list') return undefined;
  const slot = planner.growingSlot(list);
  const [item] = more.elements;
  if (slot === undefined || item === undefined || more.elements.length > 1) return undefined;
  const grown = planner.plan(list);
  const value = planner.plan(item.value);
  return (run) => {
    const items = grown(run) as Value[];
    items.push(value(run));
    // Charges the same cost as creating a list with one item and joining it.
    charge(run, listCost + 1);
    return items;
  };
}
