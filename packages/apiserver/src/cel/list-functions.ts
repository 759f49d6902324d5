import type { Environment } from '@marcbachmann/cel-js';

type Ordered = bigint | number | string | boolean | Date;

/** The list functions of kube-apiserver: `isSorted sum min max indexOf lastIndexOf`, and `sets`. */
export function registerListFunctions(environment: Environment): void {
  environment
    .registerFunction('list<dyn>.isSorted(): bool', isSorted)
    .registerFunction('list<int>.sum(): int', (list: bigint[]) =>
      list.reduce((sum, item) => sum + item, 0n),
    )
    .registerFunction('list<double>.sum(): double', (list: number[]) =>
      list.reduce((sum, item) => sum + item, 0),
    )
    .registerFunction('list<A>.min(): A', (list: Ordered[]) => extreme(list, 'min', -1))
    .registerFunction('list<A>.max(): A', (list: Ordered[]) => extreme(list, 'max', 1))
    .registerFunction('list<dyn>.indexOf(dyn): int', (list: unknown[], item: unknown) =>
      BigInt(list.indexOf(item)),
    )
    .registerFunction('list<dyn>.lastIndexOf(dyn): int', (list: unknown[], item: unknown) =>
      BigInt(list.lastIndexOf(item)),
    );
}

function isSorted(list: readonly Ordered[]): boolean {
  return list.every((item, index) => index === 0 || (list[index - 1] ?? item) <= item);
}

function extreme(list: readonly Ordered[], name: string, sign: number): Ordered {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return rest.reduce((best, item) => (compare(item, best) === sign ? item : best), first);
}

function compare(one: Ordered, other: Ordered): number {
  if (one < other) return -1;
  return one > other ? 1 : 0;
}
