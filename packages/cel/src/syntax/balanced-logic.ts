import type { Call, Expression } from './expression.ts';

/** A chain of one logical operator as a tree that is as flat as can be; its terms stay in their order. */
export function balancedLogic(
  name: string,
  terms: readonly Expression[],
  offsets: readonly number[],
  made: (call: Call) => Expression,
): Expression {
  const within = (first: number, end: number): Expression => {
    const middle = (first + end) >> 1;
    const only = terms[first];
    const offset = offsets[middle - 1];
    if (end - first === 1 || offset === undefined) return only as Expression;
    const args = [within(first, middle), within(middle, end)];
    return made({ kind: 'call', name, target: undefined, args, offset });
  };
  return within(0, terms.length);
}
