import type { Expression } from '../syntax/expression.ts';
import type { CallEstimate, CallNode } from './call-node.ts';
import { allocation, perCharacter } from './cost-factors.ts';
import { type CostRange, exactCost, product, scaled, sum } from './cost-range.ts';

/** Estimates functions that return lists; returns `undefined` for other functions. */
export function estimateListCall(call: CallNode): CallEstimate | undefined {
  const { overload, target, args, sizeOf } = call;
  if (overload.name === 'lists.range')
    return makes(1, exactCost(Number(numberOf(args[0], MAX_SIZE))));
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  switch (overload.name) {
    case 'slice': {
      // kube-apiserver subtracts without a check, so an end before the start gives a large number.
      const [start, end] = [numberOf(args[0], 0n), numberOf(args[1], sizeOf64(size.most))];
      return makes(1, exactCost(Number(BigInt.asUintN(64, end - start))));
    }
    case 'reverse':
      return makes(1, size);
    case 'flatten':
      return makes(args.length === 0 ? 1 : Number(numberOf(args[0], MAX_SIZE)), size);
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

const MAX_SIZE = 2n ** 64n - 1n;

function sizeOf64(size: number): bigint {
  return size >= 2 ** 64 ? MAX_SIZE : BigInt(size);
}

/** Returns the value of a number literal, otherwise a default. */
function numberOf(expression: Expression | undefined, otherwise: bigint): bigint {
  if (expression?.kind !== 'literal' || typeof expression.value !== 'bigint') return otherwise;
  return expression.value < 0n ? 0n : expression.value;
}
