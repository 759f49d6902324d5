import { listCost, mapCost } from '../cost/cost-factors.ts';
import { member } from '../functions/optional-functions.ts';
import {
  type Call,
  type Expression,
  type Identifier,
  type ListLiteral,
  type MapLiteral,
  qualifiedName,
  type Select,
} from '../syntax/expression.ts';
import { parameterOf } from '../types/cel-type.ts';
import type { CheckedExpression } from '../checks/checked-expression.ts';
import { EvaluationError, fail } from '../values/evaluation-error.ts';
import { MadeMap, MapValue } from '../values/map-value.ts';
import { Optional } from '../values/optional.ts';
import { TypeValue } from '../values/type-value.ts';
import type { Value } from '../values/value.ts';
import { planCall } from './call-planner.ts';
import { planFold } from './fold-planner.ts';
import { planLogic } from './logic-planner.ts';
import type { Planner } from './planner.ts';
import { charge, type Step } from './run.ts';

/** A variable that is in scope. */
interface Visible {
  readonly name: string;
  readonly slot: number;
  /** True for the result list of a comprehension, which is not shared and may be extended in place. */
  readonly growing: boolean;
}

/** Converts an expression to functions that compute it, so that an evaluation looks up no names. */
export class ProgramPlanner implements Planner {
  readonly checked: CheckedExpression;
  slots: number;
  #visible: readonly Visible[];

  constructor(checked: CheckedExpression, variables: readonly string[]) {
    this.checked = checked;
    this.#visible = variables.map((name, slot) => ({ name, slot, growing: false }));
    this.slots = variables.length;
  }

  plan(expression: Expression): Step {
    switch (expression.kind) {
      case 'literal': {
        const { value } = expression;
        return () => value;
      }
      case 'identifier':
        return this.#identifier(expression);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'comprehension':
        return planFold(this, expression);
      case 'message':
        return () => fail('no such overload');
    }
  }

  withVariable<T>(name: string, plan: (slot: number) => T, growing = false): T {
    const before = this.#visible;
    const slot = this.slots;
    this.slots += 1;
    this.#visible = [...before, { name, slot, growing }];
    const planned = plan(slot);
    this.#visible = before;
    return planned;
  }

  growingSlot(expression: Expression): number | undefined {
    if (expression.kind !== 'identifier') return undefined;
    const visible = this.#visible.findLast(({ name }) => name === expression.name);
    return visible?.growing === true ? visible.slot : undefined;
  }

  #identifier({ name }: Identifier): Step {
    const visible = this.#visible.findLast((each) => each.name === name);
    if (visible === undefined) return this.#type(name);
    const { slot } = visible;
    return (run) => {
      charge(run, 1);
      return valueOfSlot(run.slots[slot]);
    };
  }

  #type(name: string): Step {
    const value = new TypeValue({ kind: 'type', name, parameters: [] });
    return () => value;
  }

  #select(expression: Select): Step {
    if (this.checked.isQualified(expression)) return this.#type(qualifiedName(expression) ?? '');
    const operand = this.plan(expression.operand);
    const { field, testOnly } = expression;
    if (testOnly) return (run) => hasMember(operand(run), field);
    return (run) => {
      const container = operand(run);
      charge(run, 1);
      if (container instanceof Optional) return member(container, field);
      return valueAt(container, field);
    };
  }

  #call(call: Call): Step {
    return planLogic(this, call) ?? planCall(this, call);
  }

  #list({ elements }: ListLiteral): Step {
    const steps = elements.map(({ value, optional }) => ({ step: this.plan(value), optional }));
    if (steps.some(({ optional }) => optional)) {
      return (run) => {
        charge(run, listCost);
        return steps.flatMap(({ step, optional }) => (optional ? present(step(run)) : [step(run)]));
      };
    }
    return (run) => {
      charge(run, listCost);
      return steps.map(({ step }) => step(run));
    };
  }

  #map({ entries }: MapLiteral): Step {
    const steps = entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    return (run) => {
      charge(run, mapCost);
      const map = new MadeMap();
      for (const { key, value, optional } of steps) {
        const at = key(run);
        for (const each of optional ? present(value(run)) : [value(run)]) map.set(at, each);
      }
      return map;
    };
  }

  isDynamic(expression: Expression): boolean {
    const type = this.checked.typeOf(expression);
    return (
      type.kind === 'dyn' ||
      type.parameters.some((_, index) => parameterOf(type, index).kind === 'dyn')
    );
  }
}

/**
 * Returns the value of a slot. A comprehension stores the error of a step in a slot, because a later step may
 * replace it.
 */
function valueOfSlot(value: Value | EvaluationError | undefined): Value {
  if (value instanceof EvaluationError) throw value;
  return value === undefined ? null : value;
}

function hasMember(container: Value, field: string): boolean {
  const value = container instanceof Optional && container.hasValue ? container.value : container;
  if (value instanceof Optional) return false;
  return value instanceof MapValue && value.get(field) !== undefined;
}

/** Returns a field of a value; null counts as a value. */
function valueAt(container: Value, field: string): Value {
  const value = container instanceof MapValue ? container.get(field) : undefined;
  return value === undefined ? fail(`no such key: ${field}`) : value;
}

function present(value: Value): readonly Value[] {
  if (!(value instanceof Optional)) return [value];
  return value.hasValue ? [value.value] : [];
}
