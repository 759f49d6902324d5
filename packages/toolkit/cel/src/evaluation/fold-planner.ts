import { type Comprehension, isBinding, isEmptyAggregate } from '../syntax/expression.ts';
import { EvaluationError } from '../values/evaluation-error.ts';
import { goTypeOf } from '../values/go/go-type.ts';
import { isList, outcomesOf } from '../values/list-value.ts';
import { MadeMap, MapValue } from '../values/map-value.ts';
import { isFailed, type Outcome } from '../values/outcome.ts';
import type { Value } from '../values/value.ts';
import type { Planner, VariableOptions } from './planner.ts';
import type { Run, Step } from './run.ts';

interface Fold {
  readonly range: Step;
  readonly accumulator: number;
  readonly variable: number;
  readonly secondVariable: number | undefined;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
}

/** Plans a comprehension. */
export function planFold(planner: Planner, expression: Comprehension): Step {
  const options = initialOf(planner, expression);
  const range = planner.plan(expression.range).step;
  return planner.withVariable(
    expression.accumulator,
    (accumulator) => {
      if (isBinding(expression)) {
        // The step is never evaluated, but a step that cannot be planned is an error.
        planner.plan(expression.step);
        return planBinding(accumulator, planner.plan(expression.result).step);
      }
      return planLoop(planner, expression, { range, accumulator });
    },
    options,
  );
}

/** Returns how the accumulator starts. An empty list or map is created for each evaluation, because it grows. */
function initialOf(planner: Planner, { initial }: Comprehension): VariableOptions {
  if (!isEmptyAggregate(initial)) return { initial: planner.plan(initial).step };
  return { growing: true, initial: initial.kind === 'list' ? () => [] : () => new MadeMap() };
}

/** Plans the name of a value, which is computed at its first use. */
function planBinding(slot: number, result: Step): Step {
  return (run) => {
    run.slots[slot] = undefined;
    return result(run);
  };
}

function planLoop(
  planner: Planner,
  { variable, secondVariable, condition, step, result }: Comprehension,
  known: Pick<Fold, 'range' | 'accumulator'>,
): Step {
  const parts = planner.withVariable(variable, (first) => {
    const loop = (second?: number) => ({
      condition: planner.plan(condition).step,
      step: planner.plan(step).step,
      variable: first,
      secondVariable: second,
    });
    return secondVariable === undefined ? loop() : planner.withVariable(secondVariable, loop);
  });
  const fold: Fold = { ...known, ...parts, result: planner.plan(result).step };
  return (run) => runFold(fold, run);
}

function runFold(fold: Fold, run: Run): Outcome {
  const { slots } = run;
  const range = fold.range(run);
  if (isFailed(range)) return range;
  const two = fold.secondVariable !== undefined;
  const pairs = pairsOf(range, two);
  if (pairs instanceof EvaluationError) return pairs;
  slots[fold.accumulator] = undefined;
  for (const [key, value] of pairs) {
    slots[fold.variable] = key;
    if (fold.secondVariable !== undefined) slots[fold.secondVariable] = value;
    if (fold.condition(run) === false) break;
    // The next step may replace an error; otherwise reading the value returns it.
    slots[fold.accumulator] = fold.step(run);
  }
  return fold.result(run);
}

type Pair = readonly [Outcome, Outcome];

/**
 * Returns the values of the variables for each round. One variable: the items of a list or the keys of a map. Two
 * variables: index or key, and value.
 */
function pairsOf(range: Value, two: boolean): readonly Pair[] | EvaluationError {
  if (isList(range)) {
    return outcomesOf(range).map((item, index): Pair =>
      two ? [BigInt(index), item] : [item, null],
    );
  }
  if (range instanceof MapValue) {
    return range.keys().map((key): Pair => [key, two ? (range.find(key) ?? null) : null]);
  }
  const type = goTypeOf(range);
  return new EvaluationError(
    two ? `unsupported comprehension range type: ${type}` : `got '${type}', expected iterable type`,
  );
}
