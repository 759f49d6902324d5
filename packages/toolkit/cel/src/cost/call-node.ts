import type { Expression } from '../syntax/expression.ts';
import type { CelType } from '../types/cel-type.ts';
import type { Overload } from '../types/function-declaration.ts';
import type { CostRange } from './cost-range.ts';

/** A call with the facts that its cost estimate needs. */
export interface CallNode {
  readonly name: string;
  readonly overload: Overload;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
  readonly typeOf: (expression: Expression) => CelType;
  readonly sizeOf: (expression: Expression) => CostRange;
  /** Returns the size of the items of a list. */
  readonly sizeOfItems: (list: Expression) => CostRange;
}

/** The estimated cost of a call, and the size of its result if that is known. */
export interface CallEstimate {
  readonly cost: CostRange;
  readonly size?: CostRange | undefined;
}
