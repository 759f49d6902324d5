import type { Expression } from '../syntax/expression.ts';
import type { CelType } from '../types/cel-type.ts';
import type { Overload } from '../types/function-declaration.ts';
import type { CostRange } from './cost-range.ts';

/** A call as its estimate sees it. */
export interface CallNode {
  readonly name: string;
  readonly overload: Overload;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
  readonly typeOf: (expression: Expression) => CelType;
  readonly sizeOf: (expression: Expression) => CostRange;
  /** What the items of a list measure. */
  readonly sizeOfItems: (list: Expression) => CostRange;
}

/** What a call costs, and what its result measures where that is known. */
export interface CallEstimate {
  readonly cost: CostRange;
  readonly size?: CostRange | undefined;
}
