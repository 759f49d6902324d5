import type {
  Call,
  Comprehension,
  Element,
  Expression,
  Identifier,
  ListLiteral,
  MapLiteral,
  Select,
} from '../syntax/expression.ts';
import { accumulator } from '../syntax/macros.ts';
import { type CelType, isOptional, parameterOf } from '../types/cel-type.ts';
import type { CheckedExpression } from '../types/type-checker.ts';
import { lengthOf } from '../values/text.ts';
import { estimateCall } from './call-estimate.ts';
import type { CallEstimate, CallNode } from './call-node.ts';
import {
  type CostRange,
  either,
  endless,
  exactly,
  nothing,
  product,
  sum,
  unknown,
} from './cost-range.ts';
import type { SizedType } from './sized-type.ts';

/** What the items of a list or the entries of a map measure. */
interface EntrySize {
  readonly kind: 'list' | 'map';
  readonly key: CostRange;
  readonly value: CostRange;
}

/** A variable of a comprehension. */
interface Local {
  readonly name: string;
  readonly path: Path;
  readonly size: CostRange | undefined;
  readonly entrySize: EntrySize | undefined;
}

/** Where in the values of the resource something lies; empty if nowhere. */
type Path = readonly string[];

const listCost = 10;
const mapCost = 30;

/** What an expression costs at least and at most, by the rules of kube-apiserver. `self`: the type of its variables. */
export function estimateCost(checked: CheckedExpression, self: SizedType): CostRange {
  return new CostEstimator(checked, self).estimate(checked.expression);
}

class CostEstimator {
  readonly #checked: CheckedExpression;
  readonly #self: SizedType;
  readonly #paths = new Map<Expression, Path>();
  readonly #sizes = new Map<Expression, CostRange>();
  readonly #entrySizes = new Map<Expression, EntrySize>();
  #locals: readonly Local[] = [];

  constructor(checked: CheckedExpression, self: SizedType) {
    this.#checked = checked;
    this.#self = self;
  }

  estimate(expression: Expression): CostRange {
    switch (expression.kind) {
      case 'literal':
      case 'message':
        return nothing;
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
    this.#paths.set(expression, this.#local(expression)?.path ?? [expression.name]);
    return exactly(1);
  }

  #select(expression: Select): CostRange {
    const { operand, field, testOnly } = expression;
    if (this.#checked.isQualified(expression)) {
      this.#paths.set(expression, [field]);
      return exactly(1);
    }
    const cost = this.estimate(operand);
    if (testOnly) return cost;
    this.#paths.set(expression, [...this.#path(operand), field]);
    const { kind } = this.#checked.typeOf(operand);
    return kind === 'map' || kind === 'object' ? sum(cost, exactly(1)) : cost;
  }

  #call(call: Call): CostRange {
    const { name, args } = call;
    const [first, second] = args;
    if (name === 'dyn' && first !== undefined) return this.#unwrapped(call, first);
    const argCosts = args.map((each) => this.estimate(each));
    const overloads = this.#checked.overloadsOf(call);
    const target = this.#checked.isQualified(call) ? undefined : call.target;
    const targetCost = target === undefined ? nothing : this.estimate(target);
    const node = this.#callNode(call, target);
    let cost: CostRange = { least: endless, most: 0 };
    let size: CostRange | undefined;
    for (const overload of overloads) {
      const estimate = estimateCall({ ...node, overload }, argCosts);
      cost = either(cost, estimate.cost);
      size = unionOf(size, estimate.size);
      if (name === '_[_]' && first !== undefined) {
        size = this.#indexed(call, first, parameterKind(overload.parameters)) ?? size;
      }
      size ??= this.#size(call);
    }
    if (overloads.length === 0) return nothing;
    if (size !== undefined) this.#sizes.set(call, size);
    if (name === '_+_' || name === '_?_:_')
      this.#joinEntries(call, name === '_+_' ? first : second);
    return sum(targetCost, cost);
  }

  /** What lies in either operand may lie in the result. */
  #joinEntries(call: Call, one: Expression | undefined): void {
    const other = call.args.at(-1);
    const sizes = [one, other].map((each) => each && this.#entrySize(each));
    const [left, right] = sizes;
    if (left === undefined || right === undefined) return;
    this.#entrySizes.set(call, {
      kind: left.kind,
      key: either(left.key, right.key),
      value: either(left.value, right.value),
    });
  }

  #indexed(call: Call, container: Expression, kind: string): CostRange | undefined {
    this.#paths.set(call, [...this.#path(container), kind === 'map' ? '@values' : '@items']);
    return this.#entrySize(container)?.value;
  }

  #callNode(call: Call, target: Expression | undefined): Omit<CallNode, 'overload'> {
    const sized = (expression: Expression): CostRange => this.#sizeOrUnknown(expression);
    return {
      name: call.name,
      target,
      args: call.args,
      typeOf: (expression) => this.#checked.typeOf(expression),
      sizeOf: sized,
      sizeOfItems: (expression) => {
        const path = this.#path(expression);
        return this.#declared(path.length === 0 ? [] : [...path, '@items']) ?? unknown;
      },
    };
  }

  #unwrapped(call: Call, argument: Expression): CostRange {
    const cost = this.estimate(argument);
    this.#copySizes(call, argument);
    return sum(exactly(1), cost);
  }

  #list(expression: ListLiteral): CostRange {
    const costs = expression.elements.map(({ value }) => this.estimate(value));
    const value = this.#sizeOfAll(expression.elements.map((element) => element.value));
    this.#entrySizes.set(expression, { kind: 'list', key: exactly(1), value });
    return sum(exactly(listCost), ...costs);
  }

  #map(expression: MapLiteral): CostRange {
    const { entries } = expression;
    const costs = entries.flatMap(({ key, value }) => [this.estimate(key), this.estimate(value)]);
    const key = this.#sizeOfAll(entries.map((entry) => entry.key));
    const value = this.#sizeOfAll(entries.map((entry: Element) => entry.value));
    this.#entrySizes.set(expression, { kind: 'map', key, value });
    return sum(exactly(mapCost), ...costs);
  }

  #sizeOfAll(expressions: readonly Expression[]): CostRange {
    const [first = nothing, ...rest] = expressions.map((each) => this.#sizeOrUnknown(each));
    return rest.reduce(either, first);
  }

  #binding(expression: Comprehension): CostRange {
    const { initial, result, range, accumulator: name } = expression;
    const before = sum(this.estimate(range), this.estimate(initial));
    const cost = this.#within([this.#localOf(name, initial)], () => this.estimate(result));
    this.#copySizes(expression, result);
    return sum(before, cost);
  }

  #fold(expression: Comprehension): CostRange {
    const { range, initial, condition, step, result } = expression;
    const before = sum(this.estimate(range), this.estimate(initial));
    const gathered = this.#localOf(expression.accumulator, initial);
    const turn = this.#within([gathered, ...this.#iteration(expression)], () => {
      const loop = this.estimate(condition);
      return sum(this.estimate(step), loop);
    });
    const after = this.#within([gathered], () => this.estimate(result));
    const count = this.#sizeOrUnknown(range);
    this.#sizeOfFold(expression, count);
    return sum(before, after, product(count, turn));
  }

  #sizeOfFold(expression: Comprehension, count: CostRange): void {
    const { initial, step } = expression;
    const literal = initial.kind === 'literal' ? this.#size(initial) : undefined;
    if (literal !== undefined) this.#sizes.set(expression, literal);
    if (initial.kind !== 'list' && initial.kind !== 'map') return;
    this.#sizes.set(expression, count);
    const entrySize = this.#entrySize(step);
    if (entrySize !== undefined) this.#entrySizes.set(expression, entrySize);
  }

  #iteration({ variable, variable2, range }: Comprehension): readonly Local[] {
    const entrySize = this.#entrySize(range);
    const list = (entrySize?.kind ?? this.#checked.typeOf(range).kind) === 'list';
    const local = (name: string, place: string, size: CostRange | undefined): Local => ({
      name,
      path: [...this.#path(range), place],
      size,
      entrySize: undefined,
    });
    const value = (name: string): Local =>
      local(name, list ? '@items' : '@values', entrySize?.value);
    if (variable2 === undefined && list) return [value(variable)];
    const key = local(variable, list ? '@indices' : '@keys', entrySize?.key);
    return variable2 === undefined ? [key] : [key, value(variable2)];
  }

  #within<T>(locals: readonly Local[], estimate: () => T): T {
    const before = this.#locals;
    this.#locals = [...before, ...locals];
    const estimated = estimate();
    this.#locals = before;
    return estimated;
  }

  #localOf(name: string, expression: Expression): Local {
    const path = this.#path(expression);
    const size = this.#size(expression);
    return { name, path, size, entrySize: this.#entrySize(expression) };
  }

  #local(expression: Expression): Local | undefined {
    if (expression.kind !== 'identifier') return undefined;
    return this.#locals.findLast(({ name }) => name === expression.name);
  }

  #path(expression: Expression): Path {
    const path = this.#local(expression)?.path ?? this.#paths.get(expression) ?? [];
    return path[0] === accumulator ? [] : path;
  }

  #copySizes(to: Expression, from: Expression): void {
    const size = this.#size(from);
    const entrySize = this.#entrySize(from);
    if (size !== undefined) this.#sizes.set(to, size);
    if (entrySize !== undefined) this.#entrySizes.set(to, entrySize);
  }

  #entrySize(expression: Expression): EntrySize | undefined {
    return this.#entrySizes.get(expression) ?? this.#local(expression)?.entrySize;
  }

  #sizeOrUnknown(expression: Expression): CostRange {
    return this.#size(expression) ?? unknown;
  }

  #size(expression: Expression): CostRange | undefined {
    return (
      this.#sizes.get(expression) ??
      literalSize(expression) ??
      this.#declared(this.#path(expression)) ??
      scalarSize(this.#checked.typeOf(expression)) ??
      this.#local(expression)?.size
    );
  }

  /** What the schema says of the values at a path. */
  #declared(path: Path): CostRange | undefined {
    if (path.length === 0) return undefined;
    let at: SizedType | undefined = this.#self;
    for (const step of path.slice(1)) {
      if (step === '@keys') at = at?.key;
      else at = step === '@items' || step === '@values' ? at?.element : at?.fields?.get(step);
    }
    return at === undefined ? undefined : { least: 0, most: at.most };
  }
}

function isBinding({ range, condition, accumulator: name }: Comprehension): boolean {
  const empty = range.kind === 'list' && range.elements.length === 0;
  return empty && condition.kind === 'literal' && condition.value === false && name !== accumulator;
}

function parameterKind([first]: readonly CelType[]): string {
  return first === undefined ? '' : first.kind;
}

function unionOf(one: CostRange | undefined, other: CallEstimate['size']): CostRange | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return either(one, other);
}

function literalSize(expression: Expression): CostRange | undefined {
  switch (expression.kind) {
    case 'list':
      return exactly(expression.elements.length);
    case 'map':
      return exactly(expression.entries.length);
    case 'literal': {
      const { value } = expression;
      if (typeof value === 'string') return exactly(lengthOf(value));
      return exactly(value instanceof Uint8Array ? value.length : 1);
    }
    default:
      return undefined;
  }
}

const scalars: ReadonlySet<string> = new Set([
  'bool',
  'double',
  'int',
  'uint',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
]);

function scalarSize(type: CelType): CostRange | undefined {
  if (isOptional(type)) return scalarSize(parameterOf(type));
  return scalars.has(type.name) ? exactly(1) : undefined;
}
