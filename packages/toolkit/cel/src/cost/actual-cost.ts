import { patternSizeOf } from '../functions/kubernetes/format-functions.ts';
import type { Overload } from '../types/function-declaration.ts';
import { Optional } from '../values/optional.ts';
import { goTypeOf } from '../values/go/go-type.ts';
import { isList, outcomesOf } from '../values/list-value.ts';
import { MapValue } from '../values/map-value.ts';
import { isFailed, type Outcome } from '../values/outcome.ts';
import { lengthOf } from '../values/text.ts';
import { LibraryValue } from '../values/value.ts';
import { EvaluationError } from '../values/evaluation-error.ts';
import {
  allocation,
  authorizationCheck,
  perCharacter,
  perPatternCharacter,
  selectorCost,
} from './cost-factors.ts';

/** Computes the cost of one call, also of a call with an argument that failed. */
export type Charge = (args: readonly Outcome[], result: Outcome) => number;

const unit: Charge = () => 1;
const traversal: Charge = ([first = null]) => Math.ceil(plainSize(first) * perCharacter);
const twice: Charge = ([first = null]) => Math.ceil(plainSize(first) * 2 * perCharacter);
const smaller: Charge = ([one = null, other = null]) =>
  Math.ceil(Math.min(sizeOf(one), sizeOf(other)) * perCharacter);
const everything: Charge = ([first = null]) => deepSize(first);
const searching: Charge = ([text = null, source = null]) =>
  patternCost(plainSize(text), plainSize(source));

const within: Charge = ([network = null]) => Math.ceil(plainSize(network) * 2 * perCharacter);
const covering: Charge = (args, result) =>
  within(args, result) + Math.ceil(plainSize(args[0] ?? null) * perCharacter) + 1;

/** The costs that Kubernetes gives functions, whatever the overload. */
const byName: Readonly<Record<string, Charge>> = {
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
  join: (_, result) => Math.ceil(plainSize(result) * 2 * perCharacter),
  find: searching,
  findAll: searching,
  check: () => authorizationCheck,
  fieldSelector: ([, selector = null]) => selectorCost(plainSize(selector)),
  labelSelector: ([, selector = null]) => selectorCost(plainSize(selector)),
  cidr: traversal,
  containsIP: within,
  containsCIDR: covering,
  isIP: traversal,
  isCIDR: traversal,
  ip: traversal,
  'ip.isCanonical': twice,
  quantity: traversal,
  isQuantity: traversal,
  semver: traversal,
  isSemver: traversal,
  validate: ([format = null, text = null]) => {
    const size = isFailed(format) ? 0 : patternSizeOf(format);
    return size === 0 ? 1 : patternCost(plainSize(text), size);
  },
  '_==_': (args, result) => (args[0] instanceof LibraryValue ? 1 : smaller(args, result)),
};

const joined: Charge = ([one = null, other = null]) =>
  Math.ceil((sizeOf(one) + sizeOf(other)) * perCharacter);
const first: Charge = ([text = null]) => Math.ceil(sizeOf(text) * perCharacter);
const withinText: Charge = (args, result) =>
  within(args, result) + Math.ceil(plainSize(args[1] ?? null) * perCharacter);
const made: Charge = (_, result) => allocation + sizeOf(result);

/** The costs of overloads. A call whose overload is known only at run time costs 1. */
const bySignature: Readonly<Record<string, Charge>> = {
  'CIDR.ip(): IP': unit,
  'CIDR.containsIP(string): bool': withinText,
  'CIDR.containsCIDR(string): bool': (args, result) =>
    covering(args, result) + Math.ceil(plainSize(args[1] ?? null) * perCharacter),
  'string.startsWith(string): bool': first,
  'string.endsWith(string): bool': first,
  'bytes(string): bytes': first,
  'string(bytes): string': first,
  'strings.quote(string): string': first,
  'string.format(list<dyn>): string': first,
  '@in(A, list<A>): bool': ([, list = null]) => sizeOf(list),
  '_!=_(A, A): bool': smaller,
  ...Object.fromEntries(
    ['<', '<=', '>', '>='].flatMap((operator) =>
      ['string', 'bytes'].map((type) => [`_${operator}_(${type}, ${type}): bool`, smaller]),
    ),
  ),
  '_+_(string, string): string': joined,
  '_+_(bytes, bytes): bytes': joined,
  '_+_(list<A>, list<A>): list<A>': (_, result) => copying(result),
  'string.matches(string): bool': ([text = null, source = null]) =>
    patternCost(sizeOf(text), sizeOf(source)),
  'string.contains(string): bool': ([text = null, part = null]) =>
    Math.ceil(sizeOf(text) * perCharacter) * Math.ceil(sizeOf(part) * perCharacter),
  'sets.contains(list<T>, list<T>): bool': setCost(1),
  'sets.intersects(list<T>, list<T>): bool': setCost(1),
  'sets.equivalent(list<T>, list<T>): bool': setCost(2),
  'list<T>.slice(int, int): list<T>': made,
  'lists.range(int): list<int>': made,
  'list<T>.reverse(): list<T>': made,
  'list<list<T>>.flatten(): list<T>': ([list = null]) => allocation + sizeOf(list),
  'list<dyn>.flatten(int): list<dyn>': ([list = null, depth = 1n]) => {
    if (typeof depth !== 'bigint') throw conversionPanic('ref.Val is *types.Err, not types.Int');
    return allocation + Math.max(Number(depth) * sizeOf(list), -(2 ** 63));
  },
  'list<T>.distinct(): list<T>': ([list = null]) => comparisons(list),
};

/**
 * Lists up to this length are joined without a charge, as in kube-apiserver. Longer lists are charged, because here
 * a join copies them, and a short rule could otherwise exhaust the memory.
 */
const FREE_COPIED_ITEMS = 10_000;

function copying(result: Outcome): number {
  return (
    1 + Math.max(0, (isFailed(result) ? 0 : sizeOf(result)) - FREE_COPIED_ITEMS) * perCharacter
  );
}

/**
 * Returns the function that charges calls of a function. It is looked up once, because nested loops call it often.
 * `overload`: the only overload that the checker found, or `undefined` if the values decide.
 */
export function chargeOf(name: string, overload: Overload | undefined): Charge {
  if (overload === undefined) return byName[name] ?? unit;
  if (overload.name === 'sort') return ([list = null]) => comparisons(list);
  if (overload.name === '@sortByAssociatedKeys') return ([, keys = null]) => comparisons(keys);
  return bySignature[overload.signature] ?? byName[name] ?? unit;
}

/** Charges a comparison of every item with every other one. */
function comparisons(list: Outcome): number {
  if (isFailed(list) || !isList(list)) {
    throw conversionPanic(missingMethod(list));
  }
  const [item] = outcomesOf(list);
  const factor = typeof item === 'string' || item instanceof Uint8Array ? 2 + perCharacter : 2;
  return allocation + Math.floor(outcomesOf(list).length ** 2 * factor);
}

/** Names the first method that the Go type of a value lacks for a list. */
function missingMethod(value: Outcome): string {
  const type = isFailed(value) ? '*types.Err' : goTypeOf(value);
  const method = /^types\.(Int|Uint|Double|String|Bytes|Duration|Timestamp)$/.test(type)
    ? 'Contains'
    : 'Add';
  return `${type} is not traits.Lister: missing method ${method}`;
}

/** The error with which kube-apiserver ends the whole evaluation if the argument of such a function has failed. */
function conversionPanic(words: string): EvaluationError {
  return new EvaluationError(`internal error: interface conversion: ${words}`);
}

function setCost(factor: 1 | 2): Charge {
  return ([one = null, other = null]) => 1 + factor * plainSize(one) * plainSize(other);
}

function patternCost(text: number, source: number): number {
  return Math.ceil((1 + text) * perCharacter) * Math.ceil(source * perPatternCharacter);
}

/** Returns the size of a value; other values than texts and collections count as 1. */
function plainSize(value: Outcome): number {
  if (typeof value === 'string') return lengthOf(value);
  if (isFailed(value) || typeof value !== 'object' || value === null) return 1;
  if (isList(value)) return outcomesOf(value).length;
  if (value instanceof MapValue) return value.size;
  if (value instanceof LibraryValue) return value.size;
  return value instanceof Uint8Array ? value.length : 1;
}

/** Returns the size of a value, or of the value of an optional. */
function sizeOf(value: Outcome): number {
  if (!(value instanceof Optional)) return plainSize(value);
  return value.hasValue ? sizeOf(value.outcome) : 1;
}

/** Returns the size of a value with everything it contains. */
function deepSize(value: Outcome): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * perCharacter);
  if (isFailed(value)) return 1;
  if (value instanceof Uint8Array) return Math.floor(value.length * perCharacter);
  if (isList(value))
    return outcomesOf(value).reduce((sum: number, item) => sum + deepSize(item), 0);
  if (!(value instanceof MapValue)) return 1;
  const keys = value.keys();
  // kube-apiserver also visits the members of an object that its schema does not have.
  const unknown = 2 * (value.size - keys.length);
  return keys.reduce(
    (sum: number, key) => sum + deepSize(key) + deepSize(value.find(key) ?? null),
    unknown,
  );
}
