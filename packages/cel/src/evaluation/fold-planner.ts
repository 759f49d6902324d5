import { type Comprehension, isBinding, isEmptyList } from '../syntax/expression.ts';
import { fail } from '../values/evaluation-error.ts';
import { MapValue } from '../values/map-value.ts';
import { isList, itemsOf } from '../values/list-value.ts';
import { typeOfValue } from '../values/type-of-value.ts';
import type { Value } from '../values/value.ts';
import type { Planner } from './planner.ts';
import { attempt, type Run, type Step } from './run.ts';

interface Fold {
  readonly range: Step;
  readonly initial: Step;
  readonly accumulator: number;
  readonly variable: number;
  readonly secondVariable: number | undefined;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
}

/** Plans a comprehension. */
export function planFold(planner: Planner, expression: Comprehension): Step {
  const range = planner.plan(expression.range);
  const initial = planner.plan(expression.initial);
  return planner.withVariable(
    expression.accumulator,
    (accumulator) => {
      const result = planner.plan(expression.result);
      if (isBinding(expression)) return planBinding(initial, accumulator, result);
      return planLoop(planner, expression, { range, initial, accumulator, result });
    },
    isEmptyList(expression.initial),
  );
}

function planBinding(value: Step, slot: number, result: Step): Step {
  return (run) => {
    run.slots[slot] = value(run);
    return result(run);
  };
}

function planLoop(
  planner: Planner,
  { variable, secondVariable, condition, step }: Comprehension,
  known: Pick<Fold, 'range' | 'initial' | 'accumulator' | 'result'>,
): Step {
  return planner.withVariable(variable, (first) => {
    const loop = (second?: number): Step => {
      const parts = { condition: planner.plan(condition), step: planner.plan(step) };
      const fold: Fold = { ...known, ...parts, variable: first, secondVariable: second };
      return (run) => runFold(fold, run);
    };
    return secondVariable === undefined ? loop() : planner.withVariable(secondVariable, loop);
  });
}

function runFold(fold: Fold, run: Run): Value {
  const { slots } = run;
  const pairs = pairsOf(fold.range(run), fold.secondVariable !== undefined);
  slots[fold.accumulator] = fold.initial(run);
  for (const [key, value] of pairs) {
    slots[fold.variable] = key;
    if (fold.secondVariable !== undefined) slots[fold.secondVariable] = value;
    if (fold.condition(run) !== true) break;
    // An error is stored as the value: the next step may replace it; otherwise reading the value throws it.
    slots[fold.accumulator] = attempt(fold.step, run);
  }
  return fold.result(run);
}

/** Returns the Go name of the type of a value, which error messages of kube-apiserver contain: `types.Int`. */
function goNameOf(value: Value): string {
  const name = typeOfValue(value).name.replace(/^.*\./, '');
  return `types.${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

type Pair = readonly [Value, Value];

/**
 * Returns the values of the variables for each round. One variable: the items of a list or the keys of a map. Two
 * variables: index or key, and value.
 */
function pairsOf(range: Value, two: boolean): readonly Pair[] {
  if (isList(range)) {
    return itemsOf(range).map((item, index): Pair => (two ? [BigInt(index), item] : [item, null]));
  }
  if (!(range instanceof MapValue)) return fail(`got '${goNameOf(range)}', expected iterable type`);
  return range.keys().map((key): Pair => [key, two ? (range.get(key) ?? null) : null]);
}
