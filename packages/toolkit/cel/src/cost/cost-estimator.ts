import {
  type Call,
  childrenOf,
  type Comprehension,
  type Element,
  type Expression,
  type Identifier,
  isBinding,
  type ListLiteral,
  type MapLiteral,
  type Select,
  withoutDot,
} from '../syntax/expression.ts';
import type { CelType } from '../types/cel-type.ts';
import type { CheckedExpression } from '../checks/checked-expression.ts';
import { estimateCall } from './call-estimate.ts';
import type { CallEstimate, CallNode } from './call-node.ts';
import { listCost, mapCost, messageCost } from './cost-factors.ts';
import { type CostRange, union, exactCost, zeroCost, product, sum } from './cost-range.ts';
import { ExpressionSizes, type Local } from './expression-sizes.ts';
import type { SizedType } from './sized-type.ts';

/**
 * Returns the least and the largest cost of an expression by the rules of kube-apiserver. `self`: the type of its
 * variables.
 */
export function estimateCost(checked: CheckedExpression, self: SizedType): CostRange {
  return new CostEstimator(checked, self).estimate(checked.expression);
}

class CostEstimator {
  readonly #checked: CheckedExpression;
  readonly #sizes: ExpressionSizes;

  constructor(checked: CheckedExpression, self: SizedType) {
    this.#checked = checked;
    this.#sizes = new ExpressionSizes(checked, self);
  }

  estimate(expression: Expression): CostRange {
    switch (expression.kind) {
      case 'literal':
        return zeroCost;
      case 'message':
        return sum(
          exactCost(messageCost),
          ...childrenOf(expression).map((each) => this.estimate(each)),
        );
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
        return isBinding(expression) ? this.#binding(expression) : this.#fold(expression);
    }
  }

  #identifier(expression: Identifier): CostRange {
    this.#sizes.place(
      expression,
      this.#sizes.local(expression)?.path ?? [withoutDot(expression.name)],
    );
    return exactCost(1);
  }

  #select(expression: Select): CostRange {
    const { operand, field, testOnly } = expression;
    if (this.#checked.isQualified(expression)) {
      this.#sizes.place(expression, [field]);
      return exactCost(1);
    }
    const cost = this.estimate(operand);
    if (testOnly) return cost;
    this.#sizes.place(expression, [...this.#sizes.pathOf(operand), field]);
    const { kind } = this.#checked.typeOf(operand);
    return kind === 'map' || kind === 'object' ? sum(cost, exactCost(1)) : cost;
  }

  #call(call: Call): CostRange {
    const { args } = call;
    const name = withoutDot(call.name);
    const [first, second] = args;
    // A call of dyn() changes the type only: its result has the size and the entries of its argument.
    if (name === 'dyn' && first !== undefined) return this.#unwrapped(call, first);
    const argCosts = args.map((each) => this.estimate(each));
    const overloads = this.#checked.overloadsOf(call);
    const target = this.#checked.isQualified(call) ? undefined : call.target;
    const targetCost = target === undefined ? zeroCost : this.estimate(target);
    const node = this.#callNode(call, target);
    const estimates = overloads.map((overload) => estimateCall({ ...node, overload }, argCosts));
    const [cost, ...others] = estimates.map((estimate) => estimate.cost);
    if (cost === undefined) return zeroCost;
    const size = this.#sizeOfCall(call, estimates);
    if (size !== undefined) this.#sizes.set(call, size);
    if (name === '_+_') this.#joinEntries(call, first);
    if (name === '_?_:_') this.#joinEntries(call, second);
    return sum(targetCost, others.reduce(union, cost));
  }

  /** Returns the size of a result: that of any overload, or that of the declared type if no overload has one. */
  #sizeOfCall(call: Call, estimates: readonly CallEstimate[]): CostRange | undefined {
    const [first] = call.args;
    let size: CostRange | undefined;
    for (const [index, { parameters }] of this.#checked.overloadsOf(call).entries()) {
      size = unionOf(size, estimates[index]?.size);
      const kind = parameterKind(parameters);
      if (call.name === '_[_]' && first !== undefined && kind !== 'opaque') {
        size = this.#indexed(call, first, kind);
      }
      size ??= this.#sizes.sizeOf(call);
    }
    return size;
  }

  /** The result of an operator may contain the entries of either operand. */
  #joinEntries(call: Call, one: Expression | undefined): void {
    const other = call.args.at(-1);
    const sizes = [one, other].map((each) => each && this.#sizes.entriesOf(each));
    const [left, right] = sizes;
    if (left === undefined || right === undefined) return;
    this.#sizes.setEntries(call, {
      kind: left.kind,
      key: union(left.key, right.key),
      value: union(left.value, right.value),
    });
  }

  #indexed(call: Call, container: Expression, kind: string): CostRange | undefined {
    this.#sizes.place(call, [
      ...this.#sizes.pathOf(container),
      kind === 'map' ? '@values' : '@items',
    ]);
    return this.#sizes.entriesOf(container)?.value;
  }

  #callNode(call: Call, target: Expression | undefined): Omit<CallNode, 'overload'> {
    return {
      name: call.name,
      target,
      args: call.args,
      typeOf: (expression) => this.#checked.typeOf(expression),
      sizeOf: (expression) => this.#sizes.sizeOrUnknown(expression),
      sizeOfItems: (expression) => this.#sizes.sizeOfItems(expression),
    };
  }

  #unwrapped(call: Call, argument: Expression): CostRange {
    const cost = this.estimate(argument);
    this.#sizes.copy(call, argument);
    return sum(exactCost(1), cost);
  }

  #list(expression: ListLiteral): CostRange {
    const costs = expression.elements.map(({ value }) => this.estimate(value));
    const value = this.#sizeOfAll(expression.elements.map((element) => element.value));
    this.#sizes.setEntries(expression, { kind: 'list', key: exactCost(1), value });
    return sum(exactCost(listCost), ...costs);
  }

  #map(expression: MapLiteral): CostRange {
    const { entries } = expression;
    const costs = entries.flatMap(({ key, value }) => [this.estimate(key), this.estimate(value)]);
    const key = this.#sizeOfAll(entries.map((entry) => entry.key));
    const value = this.#sizeOfAll(entries.map((entry: Element) => entry.value));
    this.#sizes.setEntries(expression, { kind: 'map', key, value });
    return sum(exactCost(mapCost), ...costs);
  }

  #sizeOfAll(expressions: readonly Expression[]): CostRange {
    const [first = zeroCost, ...rest] = expressions.map((each) => this.#sizes.sizeOrUnknown(each));
    return rest.reduce(union, first);
  }

  #binding(expression: Comprehension): CostRange {
    const { initial, result, range, accumulator: name } = expression;
    const before = sum(this.estimate(range), this.estimate(initial));
    const cost = this.#sizes.within([this.#sizes.localOf(name, initial)], () =>
      this.estimate(result),
    );
    this.#sizes.copy(expression, result);
    return sum(before, cost);
  }

  #fold(expression: Comprehension): CostRange {
    const { range, initial, condition, step, result } = expression;
    const before = sum(this.estimate(range), this.estimate(initial));
    const gathered = this.#sizes.localOf(expression.accumulator, initial);
    const turn = this.#sizes.within([gathered, ...this.#iteration(expression)], () => {
      const loop = this.estimate(condition);
      return sum(this.estimate(step), loop);
    });
    const after = this.#sizes.within([gathered], () => this.estimate(result));
    const count = this.#sizes.sizeOrUnknown(range);
    this.#sizeOfFold(expression, count);
    return sum(before, after, product(count, turn));
  }

  #sizeOfFold(expression: Comprehension, count: CostRange): void {
    const { initial, step } = expression;
    const literal = initial.kind === 'literal' ? this.#sizes.sizeOf(initial) : undefined;
    if (literal !== undefined) this.#sizes.set(expression, literal);
    if (initial.kind !== 'list' && initial.kind !== 'map') return;
    this.#sizes.set(expression, count);
    const entrySize = this.#sizes.entriesOf(step);
    if (entrySize !== undefined) this.#sizes.setEntries(expression, entrySize);
  }

  #iteration({ variable, secondVariable, range }: Comprehension): readonly Local[] {
    const entrySize = this.#sizes.entriesOf(range);
    const list = (entrySize?.kind ?? this.#checked.typeOf(range).kind) === 'list';
    const local = (name: string, place: string, size: CostRange | undefined): Local => ({
      name,
      path: [...this.#sizes.pathOf(range), place],
      size,
      entrySize: undefined,
    });
    const value = (name: string): Local =>
      local(name, list ? '@items' : '@values', entrySize?.value);
    if (secondVariable === undefined && list) return [value(variable)];
    const key = local(variable, list ? '@indices' : '@keys', entrySize?.key);
    return secondVariable === undefined ? [key] : [key, value(secondVariable)];
  }
}

function parameterKind([first]: readonly CelType[]): string {
  return first === undefined ? '' : first.kind;
}

function unionOf(one: CostRange | undefined, other: CallEstimate['size']): CostRange | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return union(one, other);
}
