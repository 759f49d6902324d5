import type { CallEstimate, CallNode } from './call-node.ts';
import {
  authorizationCheck,
  perCharacter,
  perPatternCharacter,
  selectorCost,
} from './cost-factors.ts';
import {
  type CostRange,
  union,
  MAX_COST,
  exactCost,
  zeroCost,
  product,
  scaled,
  sum,
} from './cost-range.ts';
import { estimateListCall } from './list-call-estimate.ts';

/** Estimates a call; includes the costs of its arguments. */
export function estimateCall(call: CallNode, argCosts: readonly CostRange[]): CallEstimate {
  const estimate = estimateListCall(call) ?? estimators[call.overload.name]?.(call);
  if (estimate !== undefined) {
    return { cost: sum(estimate.cost, ...argCosts), size: estimate.size };
  }
  return estimateOperator(call, argCosts) ?? { cost: sum(exactCost(1), ...argCosts) };
}

/** Estimates operators that do not always evaluate all operands. */
function estimateOperator(
  { overload: { name }, args, sizeOf }: CallNode,
  [first = zeroCost, second = zeroCost, third = zeroCost]: readonly CostRange[],
): CallEstimate | undefined {
  if (name === '_&&_' || name === '_||_') {
    return { cost: { least: first.least, most: sum(first, second).most } };
  }
  const [, yes, no] = args;
  if (name !== '_?_:_' || yes === undefined || no === undefined) return undefined;
  return { cost: sum(first, union(second, third)), size: union(sizeOf(yes), sizeOf(no)) };
}

type Estimator = (call: CallNode) => CallEstimate | undefined;

const once: Estimator = () => ({ cost: exactCost(1) });

/** Estimates a function that reads a string once. */
function reading(factor: number, of: 'target' | 'first', sized = false): Estimator {
  return ({ target, args, sizeOf }) => {
    const text = of === 'target' ? target : args[0];
    if (text === undefined) return undefined;
    const size = sizeOf(text);
    return { cost: scaled(size, factor * perCharacter), size: sized ? size : undefined };
  };
}

const estimators: Readonly<Record<string, Estimator>> = {
  check: () => ({ cost: exactCost(authorizationCheck) }),
  fieldSelector: selector,
  labelSelector: selector,
  isSorted: goThrough,
  sum: goThrough,
  max: goThrough,
  min: goThrough,
  indexOf: goThrough,
  lastIndexOf: goThrough,
  url: reading(1, 'first', true),
  lowerAscii: reading(1, 'target', true),
  upperAscii: reading(1, 'target', true),
  substring: reading(1, 'target', true),
  trim: reading(1, 'target', true),
  replace,
  split,
  join,
  find: searching,
  findAll: searching,
  cidr: reading(1, 'first'),
  isIP: reading(1, 'first'),
  isCIDR: reading(1, 'first'),
  ip: (call) => (call.target === undefined ? reading(1, 'first')(call) : once(call)),
  'ip.isCanonical': reading(2, 'first'),
  containsIP: (call) => within(call, 2),
  containsCIDR: (call) => within(call, 3),
  quantity: reading(1, 'first'),
  isQuantity: reading(1, 'first'),
  semver: reading(1, 'first'),
  isSemver: reading(1, 'first'),
  validate: ({ args: [text], sizeOf }) =>
    text && { cost: scaled(scaled(sizeOf(text), perCharacter), 128 * perPatternCharacter) },
  'sets.contains': sets(1),
  'sets.intersects': sets(1),
  'sets.equivalent': sets(2),
  format: reading(1, 'target'),
  startsWith: reading(1, 'first'),
  endsWith: reading(1, 'first'),
  '@in': ({ args: [, list], overload, sizeOf }) =>
    overload.parameters[1]?.kind === 'list' && list ? { cost: sizeOf(list) } : undefined,
  matches,
  contains: ({ target, args: [part], sizeOf }) =>
    target &&
    part && {
      cost: product(scaled(sizeOf(target), perCharacter), scaled(sizeOf(part), perCharacter)),
    },
  '_+_': concatenate,
  '_<_': ordering,
  '_<=_': ordering,
  '_>_': ordering,
  '_>=_': ordering,
  '_==_': equality,
  '_!=_': compare,
  bytes: ({ args: [text], overload, sizeOf }) => {
    if (overload.parameters[0]?.name !== 'string' || text === undefined) return undefined;
    const size = sizeOf(text);
    const most = wrapped(size.most, (exact) => exact * 4n);
    return { cost: scaled(size, perCharacter), size: { least: size.least, most } };
  },
  string: ({ args: [bytes], overload, sizeOf }) => {
    if (overload.parameters[0]?.name !== 'bytes' || bytes === undefined) return undefined;
    const { least, most } = sizeOf(bytes);
    const size = { least: Math.floor(least / 4), most };
    return { cost: scaled({ least, most }, perCharacter), size };
  },
  'strings.quote': ({ args: [text], sizeOf }) => {
    if (text === undefined) return undefined;
    const { least, most } = sizeOf(text);
    const size = { least: least + 2, most: wrapped(most, (exact) => exact * 2n + 2n) };
    return { cost: scaled({ least, most }, perCharacter), size };
  },
};

/** Computes a size in 64 bits without a check for an overflow, as kube-apiserver does in some places. */
function wrapped(size: number, compute: (exact: bigint) => bigint): number {
  const exact = size >= MAX_COST ? 2n ** 64n - 1n : BigInt(size);
  return Number(BigInt.asUintN(64, compute(exact)));
}

function selector({ args: [text], sizeOf }: CallNode): CallEstimate | undefined {
  if (text === undefined) return undefined;
  const { least, most } = sizeOf(text);
  return { cost: { least: selectorCost(least), most: Math.min(selectorCost(most), MAX_COST) } };
}

function goThrough({ target, typeOf, sizeOf, sizeOfItems }: CallNode): CallEstimate | undefined {
  if (target === undefined) return undefined;
  const [item] = typeOf(target).parameters;
  if (item === undefined) return { cost: scaled(sizeOf(target), perCharacter) };
  // As in kube-apiserver, which counts only lists of strings this way.
  if (item.name !== 'string' && item.name !== 'bytes') {
    return { cost: product(sizeOf(target), exactCost(1)) };
  }
  const each = sum(exactCost(1), scaled(sizeOfItems(target), perCharacter));
  return { cost: product(sizeOf(target), each) };
}

function replace({ target, args: [old, next], sizeOf }: CallNode): CallEstimate | undefined {
  if (target === undefined || old === undefined || next === undefined) return undefined;
  const text = sizeOf(target);
  const size = replacedSize(text, sizeOf(old), sizeOf(next));
  return { cost: scaled(text, 2 * perCharacter), size };
}

function replacedSize(text: CostRange, old: CostRange, next: CostRange): CostRange {
  const most = replacedMost(text.most, old.least, next.most);
  const least = replacedLeast(text.least, old.most, next.least);
  return { least: Math.min(least, MAX_COST), most: Math.min(most, MAX_COST) };
}

function replacedMost(text: number, old: number, next: number): number {
  if (old === 0) return (text + 1) * next + text;
  return next <= old ? text : Math.ceil(text / old) * next;
}

function replacedLeast(text: number, old: number, next: number): number {
  if (old === 0) return (text + 1) * next + text;
  return old <= next ? text : Math.ceil(text / old) * next;
}

function split({ target, args: [, limit], sizeOf }: CallNode): CallEstimate | undefined {
  if (target === undefined) return undefined;
  const text = sizeOf(target);
  const count = limit?.kind === 'literal' ? Number(limit.value) : undefined;
  const most =
    count === undefined || count < 0 ? (count === undefined ? text.most : MAX_COST) : count;
  return { cost: scaled(text, 2 * perCharacter), size: { least: 0, most } };
}

function join({
  target,
  args: [separator],
  typeOf,
  sizeOf,
  sizeOfItems,
}: CallNode): CallEstimate | undefined {
  if (target === undefined) return undefined;
  const list = sizeOf(target);
  const known = typeOf(target).parameters.length > 0;
  const items = known ? product(list, sizeOfItems(target)) : zeroCost;
  const gaps = { least: Math.max(0, list.least - 1), most: Math.max(0, list.most - 1) };
  const size = separator === undefined ? items : sum(items, product(sizeOf(separator), gaps));
  return { cost: scaled(size, perCharacter), size };
}

function searching({ target, args: [source], sizeOf }: CallNode): CallEstimate | undefined {
  if (target === undefined || source === undefined) return undefined;
  const text = sizeOf(target);
  const cost = product(
    scaled(sum(text, exactCost(1)), perCharacter),
    scaled(sizeOf(source), perPatternCharacter),
  );
  return { cost, size: { least: 0, most: text.most } };
}

function matches(call: CallNode): CallEstimate | undefined {
  const estimate = searching(call);
  return estimate && { cost: estimate.cost };
}

/** Estimates a network function. `factor`: how often it reads the address of the network. */
function within({ args: [other], overload, sizeOf }: CallNode, factor: 2 | 3): CallEstimate {
  const address = { least: 4, most: 16 };
  let cost = scaled(sum(address, address), perCharacter);
  if (factor === 3) cost = sum(cost, scaled(address, perCharacter), exactCost(1));
  const text = overload.parameters[1]?.name === 'string' && other !== undefined;
  return { cost: text ? sum(cost, scaled(sizeOf(other), perCharacter)) : cost };
}

function sets(factor: number): Estimator {
  return ({ args: [one, other], sizeOf }) =>
    one &&
    other && { cost: sum(scaled(product(sizeOf(one), sizeOf(other)), factor), exactCost(1)) };
}

function concatenate({ args: [one, other], overload, sizeOf }: CallNode): CallEstimate | undefined {
  const kind = overload.parameters[0]?.name ?? '';
  if (!['string', 'bytes', 'list'].includes(kind) || !one || !other) return undefined;
  const size = sum(sizeOf(one), sizeOf(other));
  return { cost: kind === 'list' ? exactCost(1) : scaled(size, perCharacter), size };
}

function ordering(call: CallNode): CallEstimate | undefined {
  const kind = call.overload.parameters[0]?.name;
  return kind === 'string' || kind === 'bytes' ? compare(call) : undefined;
}

const unitEquality: ReadonlySet<string> = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
]);

function equality(call: CallNode): CallEstimate | undefined {
  const { sizeOf } = call;
  const [one, other] = call.args;
  if (one === undefined || other === undefined) return undefined;
  const { name } = call.typeOf(one);
  if (name !== call.typeOf(other).name) return compare(call);
  if (unitEquality.has(name)) return once(call);
  if (name === 'kubernetes.URL') {
    return { cost: scaled({ least: 1, most: sizeOf(other).most }, perCharacter) };
  }
  if (name === 'kubernetes.NamedFormat') return { cost: { least: 1, most: 7 } };
  return compare(call);
}

function compare({ args: [one, other], sizeOf }: CallNode): CallEstimate | undefined {
  if (one === undefined || other === undefined) return undefined;
  const most = Math.min(sizeOf(one).most, sizeOf(other).most);
  return { cost: scaled({ least: most > 0 ? 1 : 0, most }, perCharacter) };
}
