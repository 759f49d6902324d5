import type { Expression } from '../syntax/expression.ts';
import type { CallEstimate, CallNode } from './call-node.ts';
import { allocation, perCharacter } from './cost-factors.ts';
import { type CostRange, MAX_COST, exactCost, product, scaled, sum } from './cost-range.ts';

/** Estimates functions that return lists; returns `undefined` for other functions. */
export function estimateListCall(call: CallNode): CallEstimate | undefined {
  const { overload, target, args, sizeOf } = call;
  if (overload.name === 'lists.range') return makes(1, exactCost(numberOf(args[0], MAX_COST)));
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  switch (overload.name) {
    case 'slice': {
      const count = numberOf(args[1], size.most) - numberOf(args[0], 0);
      return makes(1, exactCost(count < 0 ? MAX_COST : count));
    }
    case 'reverse':
      return makes(1, size);
    case 'flatten':
      return makes(args.length === 0 ? 1 : numberOf(args[0], MAX_COST), size);
    case 'distinct':
      return makes(2, product(size, size));
    case 'sort':
      return sorts(call, size);
    case '@sortByAssociatedKeys':
      return args[0] && sorts(call, sizeOf(args[0]));
    default:
      return undefined;
  }
}

function sorts({ overload }: CallNode, size: CostRange): CallEstimate {
  const keys = overload.parameters.at(-1)?.parameters[0]?.name ?? '';
  const factor = keys === 'string' || keys === 'bytes' ? 2 + perCharacter : 2;
  return makes(factor, product(size, size));
}

function makes(factor: number, size: CostRange): CallEstimate {
  return { cost: sum(scaled(size, factor), exactCost(allocation)), size };
}

/** Returns the value of a number literal, otherwise a default. */
function numberOf(expression: Expression | undefined, otherwise: number): number {
  if (expression?.kind !== 'literal' || typeof expression.value !== 'bigint') return otherwise;
  return Math.max(0, Number(expression.value));
}
