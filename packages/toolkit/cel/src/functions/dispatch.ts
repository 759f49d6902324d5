import { type Overload, overload } from '../types/function-declaration.ts';
import { type Dispatch } from './function-table.ts';
import { Duration } from '../values/duration.ts';
import { isList } from '../values/list-value.ts';
import { MapValue } from '../values/map-value.ts';
import { Timestamp } from '../values/timestamp.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import type { Value } from '../values/value.ts';
import { isComparable } from './comparison.ts';

type Test = (value: Value) => boolean;

const isTime: Test = (value) => value instanceof Timestamp || value instanceof Duration;
const isText: Test = (value) => typeof value === 'string';
const isAny: Test = () => true;
const isWhole: Test = (value) => typeof value === 'bigint' || value instanceof UnsignedInt;
const isNumber: Test = (value) => typeof value === 'number' || isWhole(value);
const isSized: Test = (value) =>
  isText(value) || value instanceof Uint8Array || isList(value) || value instanceof MapValue;

/**
 * The functions of cel-go that have one implementation for all overloads, with the values that it accepts as the first
 * argument, and the functions that check their arguments themselves.
 */
export const dispatches: ReadonlyMap<string, Dispatch> = new Map<string, Dispatch>([
  ['_+_', { accepts: (value) => isNumber(value) || isTime(value) || isJoinable(value) }],
  ['_-_', { accepts: (value) => isNumber(value) || isTime(value) }],
  ['_*_', { accepts: isNumber }],
  ['_/_', { accepts: isNumber }],
  ['_%_', { accepts: isWhole }],
  ['-_', { accepts: isNegatable, hidden: negatedDuration() }],
  ['!_', { accepts: isAny }],
  ...['_<_', '_<=_', '_>_', '_>=_'].map((name) => [name, { accepts: isComparable }] as const),
  ['@in', { accepts: isAny }],
  ['size', { accepts: isSized }],
  ['type', { accepts: isAny }],
  ['dyn', { accepts: isAny }],
  ['matches', { accepts: isText }],
  ['sort', { accepts: isList }],
  ['@sortByAssociatedKeys', { accepts: isList }],
  ['contains', { unguarded: true }],
  ['startsWith', { unguarded: true }],
  ['endsWith', { unguarded: true }],
  ['flatten', { unguarded: true }],
]);

function isJoinable(value: Value): boolean {
  return isText(value) || value instanceof Uint8Array || isList(value);
}

function negatedDuration(): Overload {
  return overload('-_(duration): duration', ({ nanos }: Duration) => new Duration(-nanos));
}

function isNegatable(value: Value): boolean {
  const negative = typeof value === 'bigint' || typeof value === 'number';
  return negative || typeof value === 'boolean' || value instanceof Duration;
}
