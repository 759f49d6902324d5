import { patternSizeOf } from '../functions/format-functions.ts';
import type { Overload } from '../types/function-declaration.ts';
import { MapValue } from '../values/map-value.ts';
import { Optional } from '../values/optional.ts';
import { lengthOf } from '../values/text.ts';
import { isList, itemsOf } from '../values/list-value.ts';
import type { Value } from '../values/value.ts';
import { allocation, perCharacter, perPatternCharacter } from './cost-factors.ts';

/** Computes the cost of one call. */
export type Charge = (args: readonly Value[], result: Value) => number;

const unit: Charge = () => 1;
const traversal: Charge = ([first = null]) => Math.ceil(sizeOf(first) * perCharacter);
const twice: Charge = ([first = null]) => Math.ceil(sizeOf(first) * 2 * perCharacter);
const smaller: Charge = ([one = null, other = null]) =>
  Math.ceil(Math.min(sizeOf(one), sizeOf(other)) * perCharacter);
const everything: Charge = ([first = null]) => deepSize(first);

/**
 * Lists up to this length are joined without a charge, as in kube-apiserver. Longer lists are charged, because here
 * a join copies them, and a short rule could otherwise exhaust the memory.
 */
const FREE_COPIED_ITEMS = 10_000;

function copying(result: Value): number {
  const size = isList(result) ? itemsOf(result).length : 0;
  return 1 + Math.max(0, size - FREE_COPIED_ITEMS) * perCharacter;
}

const charges: Readonly<Record<string, Charge>> = {
  isSorted: everything,
  sum: everything,
  max: everything,
  min: everything,
  indexOf: everything,
  lastIndexOf: everything,
  url: traversal,
  lowerAscii: traversal,
  upperAscii: traversal,
  substring: traversal,
  trim: traversal,
  replace: twice,
  split: twice,
  join: (_, result) => Math.ceil(sizeOf(result) * 2 * perCharacter),
  find: pattern,
  findAll: pattern,
  matches: pattern,
  cidr: traversal,
  isIP: traversal,
  isCIDR: traversal,
  ip: ([first = null]) => (typeof first === 'string' ? traversal([first], null) : 1),
  'ip.isCanonical': twice,
  quantity: traversal,
  isQuantity: traversal,
  semver: traversal,
  isSemver: traversal,
  validate: ([format, text = null]) =>
    Math.ceil((1 + sizeOf(text)) * perCharacter) *
    Math.ceil(patternSizeOf(format) * perPatternCharacter),
  startsWith: traversal,
  endsWith: traversal,
  format: traversal,
  '@in': ([, list = null]) => (isList(list) ? sizeOf(list) : 1),
  '_==_': smaller,
  '_!=_': smaller,
  '_+_': ([one = null, other = null], result) =>
    typeof one === 'string' || one instanceof Uint8Array
      ? Math.ceil((sizeOf(one) + sizeOf(other)) * perCharacter)
      : copying(result),
  contains: ([text = null, part = null]) =>
    Math.ceil(sizeOf(text) * perCharacter) * Math.ceil(sizeOf(part) * perCharacter),
  'sets.contains': ([one = null, other = null]) => 1 + sizeOf(one) * sizeOf(other),
  'sets.intersects': ([one = null, other = null]) => 1 + sizeOf(one) * sizeOf(other),
  'sets.equivalent': ([one = null, other = null]) => 1 + 2 * sizeOf(one) * sizeOf(other),
  slice: (_, result) => allocation + sizeOf(result),
  'lists.range': (_, result) => allocation + sizeOf(result),
  reverse: (_, result) => allocation + sizeOf(result),
  flatten: ([list = null, depth = 1n]) => allocation + Number(depth) * sizeOf(list),
  distinct: ([list = null]) => allocation + 2 * sizeOf(list) ** 2,
  sort: ([list = null]) => allocation + 2 * sizeOf(list) ** 2,
  '@sortByAssociatedKeys': ([, keys = null]) => allocation + 2 * sizeOf(keys) ** 2,
};

const ordering: ReadonlySet<string> = new Set(['_<_', '_<=_', '_>_', '_>=_']);

const ordered: Charge = (args, result) =>
  (typeof args[0] === 'string' ? smaller : unit)(args, result);

/**
 * Returns the function that charges calls of an overload. It is looked up once, because nested loops call it often.
 */
export function chargeOf({ name }: Overload): Charge {
  return charges[name] ?? (ordering.has(name) ? ordered : unit);
}

function pattern([text = null, source = null]: readonly Value[]): number {
  const read = Math.ceil((1 + sizeOf(text)) * perCharacter);
  return read * Math.ceil(sizeOf(source) * perPatternCharacter);
}

function sizeOf(value: Value): number {
  if (typeof value === 'string') return lengthOf(value);
  if (isList(value)) return itemsOf(value).length;
  if (value instanceof MapValue) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof Optional && value.hasValue ? sizeOf(value.value) : 1;
}

/** Returns the size of a value with everything it contains. */
function deepSize(value: Value): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * perCharacter);
  if (isList(value)) return itemsOf(value).reduce((sum: number, item) => sum + deepSize(item), 0);
  if (!(value instanceof MapValue)) return 1;
  return value
    .keys()
    .reduce((sum: number, key) => sum + deepSize(key) + deepSize(value.get(key) ?? null), 0);
}
