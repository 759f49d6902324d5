import type { Value } from '../values/value.ts';

interface Placed {
  /** The position in the source that error messages show: the operator, the dot or the bracket. */
  readonly offset: number;
}

export interface Literal extends Placed {
  readonly kind: 'literal';
  readonly value: Value;
}

export interface Identifier extends Placed {
  readonly kind: 'identifier';
  readonly name: string;
}

export interface Select extends Placed {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  /** True for `has(a.b)`, which tests whether the field exists. */
  readonly testOnly: boolean;
}

export interface Call extends Placed {
  readonly kind: 'call';
  /** The name of the function. Operators are functions with names such as `_+_`. */
  readonly name: string;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

export interface ListLiteral extends Placed {
  readonly kind: 'list';
  readonly elements: readonly Element[];
}

/** An element of a list. `[?a]` omits the element if the optional has no value. */
export interface Element {
  readonly value: Expression;
  readonly optional: boolean;
}

export interface MapLiteral extends Placed {
  readonly kind: 'map';
  readonly entries: readonly Entry[];
}

export interface Entry extends Element {
  readonly key: Expression;
}

/** A message literal: `Type{field: value}`. */
export interface Message extends Placed {
  readonly kind: 'message';
  readonly type: string;
  readonly fields: readonly MessageField[];
}

/** A field of a message literal. `Type{?a: b}` omits the field if the optional has no value. */
export interface MessageField extends Element, Placed {
  readonly name: string;
}

/** A fold of a range into an accumulator, to which macros such as `all` expand. */
export interface Comprehension extends Placed {
  readonly kind: 'comprehension';
  readonly variable: string;
  /** The second variable, for the value of a map entry or list item; the first is then the key or index. */
  readonly secondVariable: string | undefined;
  readonly range: Expression;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

export type Expression =
  | Literal
  | Identifier
  | Select
  | Call
  | ListLiteral
  | MapLiteral
  | Message
  | Comprehension;

/** Returns the name of a chain of names such as `a.b.c`; `undefined` for other expressions. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'select' || expression.testOnly) return undefined;
  const prefix = qualifiedName(expression.operand);
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
}

/** Returns a name without its leading dot, with which it is searched from the root, where every name is. */
export function withoutDot(name: string): string {
  return name.replace(/^\./, '');
}

/** Returns the direct subexpressions of an expression. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target ? [expression.target, ...expression.args] : expression.args;
    case 'list':
      return expression.elements.map(({ value }) => value);
    case 'message':
      return expression.fields.map(({ value }) => value);
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'comprehension': {
      const { range, initial, condition, step, result } = expression;
      return [range, initial, condition, step, result];
    }
    default:
      return [];
  }
}

export function isEmptyList(expression: Expression): boolean {
  return expression.kind === 'list' && expression.elements.length === 0;
}

/** True for `[]` and `{}`. */
export function isEmptyAggregate(expression: Expression): boolean {
  if (expression.kind === 'map') return expression.entries.length === 0;
  return isEmptyList(expression);
}

/** True for a comprehension over an empty range, which only gives a name to its initial value. */
export function isBinding({ range, condition }: Comprehension): boolean {
  return isEmptyList(range) && condition.kind === 'literal' && condition.value === false;
}

/** True if an expression has more than `most` parts; a part that occurs twice counts twice. */
export function hasMoreParts(expression: Expression, most: number): boolean {
  const open = [expression];
  let count = 0;
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    count += 1;
    if (count > most) return true;
    open.push(...childrenOf(part));
  }
  return false;
}
