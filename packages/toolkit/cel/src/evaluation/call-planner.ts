import { type Charge, chargeOf } from '../cost/actual-cost.ts';
import { listCost } from '../cost/cost-factors.ts';
import { patternCallee } from '../functions/pattern-functions.ts';
import type { Call } from '../syntax/expression.ts';
import { EvaluationError, ProgramError } from '../values/evaluation-error.ts';
import { MadeMap } from '../values/map-value.ts';
import { isFailed, type Outcome } from '../values/outcome.ts';
import type { Value } from '../values/value.ts';
import { type Callee, calleeOf } from './call-dispatch.ts';
import { type Constant, constant, isConstant, type Planned, type Planner } from './planner.ts';
import { charge, type Run, type Step } from './run.ts';
import { planMembership } from './membership-planner.ts';

/** The conversions that the planner computes if the argument is a constant. */
const foldable: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
);

/** Plans a call that evaluates all its arguments. */
export function planCall(planner: Planner, call: Call): Planned {
  const pushed = planPush(planner, call);
  if (pushed !== undefined) return { step: pushed };
  const target = planner.checked.isQualified(call) ? undefined : call.target;
  const args = [...(target ? [target] : []), ...call.args].map((each) => planner.plan(each));
  const matching = planner.checked.overloadsOf(call);
  const name = matching[0]?.name ?? call.name;
  const callee =
    patternOf(planner, name, args) ?? calleeOf(planner.library.functions, name, matching);
  const only = matching.length === 1 ? matching[0] : undefined;
  if (only?.signature === '@in(A, list<A>): bool') {
    const membership = planMembership(args);
    if (membership !== undefined) return membership;
  }
  const [first] = args;
  if (foldable.has(name) && args.length === 1 && first !== undefined && isConstant(first)) {
    return folded(callee, first);
  }
  return {
    step: callStep(
      callee,
      args.map(({ step }) => step),
      chargeOf(name, only),
    ),
  };
}

/** Computes a conversion of a constant. Throws `ProgramError` if it fails. */
function folded({ invoke }: Callee, argument: Constant): Planned {
  const { constant: value } = argument;
  const result = isFailed(value) ? value : invoke([value]);
  if (isFailed(result)) throw new ProgramError(result.message);
  return constant(result);
}

/** Compiles the constant pattern of `matches`, `find` or `findAll`. Throws `ProgramError` for an invalid one. */
function patternOf(planner: Planner, name: string, args: readonly Planned[]): Callee | undefined {
  const pattern = args[1]?.constant;
  if (typeof pattern !== 'string') return undefined;
  const invoke = patternCallee(planner.library.patterns, name, pattern);
  return invoke && { invoke, stopsAtErrors: true };
}

function callStep(callee: Callee, args: readonly Step[], costOf: Charge): Step {
  const [one, other] = args;
  if (callee.stopsAtErrors) return stoppingCall(callee, args, costOf);
  if (one !== undefined && other !== undefined) return binaryCall(callee, one, other, costOf);
  if (one !== undefined) return unaryCall(callee, one, costOf);
  return (run) => charged(run, callee.invoke([]), costOf, []);
}

function charged(run: Run, result: Outcome, costOf: Charge, args: readonly Outcome[]): Outcome {
  charge(run, costOf(args, result));
  return result;
}

function unaryCall({ invoke }: Callee, one: Step, costOf: Charge): Step {
  return (run) => {
    const value = one(run);
    const result = isFailed(value) ? value : invoke([value]);
    return charged(run, result, costOf, [value]);
  };
}

/** Both operands are evaluated and charged even if the first one fails. */
function binaryCall({ invoke }: Callee, one: Step, other: Step, costOf: Charge): Step {
  return (run) => {
    const left = one(run);
    const right = other(run);
    if (isFailed(left)) return charged(run, left, costOf, [left, right]);
    const result = isFailed(right) ? right : invoke([left, right]);
    return charged(run, result, costOf, [left, right]);
  };
}

/** A call that ends at its first error is charged only if that is the error of the last argument. */
function stoppingCall({ invoke }: Callee, args: readonly Step[], costOf: Charge): Step {
  return (run) => {
    const values: Value[] = [];
    for (const [index, arg] of args.entries()) {
      const value = arg(run);
      if (isFailed(value)) {
        if (index === args.length - 1) charge(run, costOf([...values, value], value));
        return value;
      }
      values.push(value);
    }
    return charged(run, invoke(values), costOf, values);
  };
}

/** Plans `@result + [item]` and `cel.@mapInsert(@result, …)`, which extend the result of a comprehension in place. */
function planPush(planner: Planner, call: Call): Step | undefined {
  const [grown] = call.args;
  const slot = grown && planner.growingSlot(grown);
  if (slot === undefined || grown === undefined) return undefined;
  if (call.name === 'cel.@mapInsert') return planInsert(planner, call);
  const [, more] = call.args;
  if (call.name !== '_+_' || more?.kind !== 'list' || more.elements.length !== 1) return undefined;
  const [item] = more.elements;
  if (item === undefined || item.optional) return undefined;
  const before = planner.plan(grown).step;
  const added = planner.plan(item.value);
  const cost = isConstant(added) ? 1 : listCost + 1;
  return (run) => {
    const items = before(run);
    const value = added.step(run);
    charge(run, cost);
    if (isFailed(items)) return items;
    if (isFailed(value)) return value;
    (items as Value[]).push(value);
    return items;
  };
}

function planInsert(planner: Planner, { args }: Call): Step {
  const steps = args.map((each) => planner.plan(each).step);
  const stopsAtErrors = args.length > 2;
  return callStep({ invoke: insertEntries, stopsAtErrors }, steps, () => 1);
}

function insertEntries([map, ...entry]: readonly Value[]): Outcome {
  if (!(map instanceof MadeMap)) return new EvaluationError('no such overload');
  return map.insertAll(entry);
}
