import type { Value } from '../values/value.ts';

interface Placed {
  /** Where the words about it point: at the operator, the dot, the bracket; a position in the source. */
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
  /** `has(a.b)`: whether the field is there. */
  readonly testOnly: boolean;
}

export interface Call extends Placed {
  readonly kind: 'call';
  /** Operators are functions with names such as `_+_`. */
  readonly name: string;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

export interface ListLiteral extends Placed {
  readonly kind: 'list';
  readonly elements: readonly Element[];
}

/** An element of a list: `[?a]` leaves out what is not there. */
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

/** `Type{field: value}`. */
export interface Message extends Placed {
  readonly kind: 'message';
  readonly type: string;
}

/** What macros such as `all` become: a fold of a range into an accumulator. */
export interface Comprehension extends Placed {
  readonly kind: 'comprehension';
  readonly variable: string;
  /** The second of the two variables that stand for key (or index) and value. */
  readonly variable2: string | undefined;
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

/** `a.b.c` of names only; undefined for anything else. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'select' || expression.testOnly) return undefined;
  const prefix = qualifiedName(expression.operand);
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
}

/** The expressions directly inside one. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target ? [expression.target, ...expression.args] : expression.args;
    case 'list':
      return expression.elements.map(({ value }) => value);
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

/** A fold over nothing, which gives a name to its initial value. */
export function isBinding({ range, condition }: Comprehension): boolean {
  return isEmptyList(range) && condition.kind === 'literal' && condition.value === false;
}

/** Whether an expression has more parts than so many; what stands in two places counts twice. */
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
