import type { Call, Expression } from './expression.ts';

/** Converts a chain of one logical operator to a balanced tree; the terms keep their order. */
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
