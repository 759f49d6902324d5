import { parseDouble } from './parse-double.ts';
import { type Overload, overload } from '../types/function-declaration.ts';
import { Duration } from '../values/duration.ts';
import { fail } from '../values/evaluation-error.ts';
import { lengthOf } from '../values/text.ts';
import { Timestamp } from '../values/timestamp.ts';
import { typeOfValue } from '../values/type-of-value.ts';
import { TypeValue } from '../values/type-value.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import { outcomesOf, type ListValue } from '../values/list-value.ts';
import type { Value } from '../values/value.ts';
import type { MapValue } from '../values/map-value.ts';
import { showDouble } from '../values/show-double.ts';

const identity = (value: Value): Value => value;

/** The conversions `int`, `string`, `double` and others, `size` and `type`. */
export const conversions: readonly Overload[] = [
  ...sizes(),
  overload('type(A): type<A>', (value: Value) => new TypeValue(typeOfValue(value))),
  overload('dyn(A): dyn', identity),
  overload('bool(bool): bool', identity),
  overload('bool(string): bool', boolOf),
  overload('bytes(bytes): bytes', identity),
  overload('bytes(string): bytes', (text: string) => Buffer.from(text)),
  overload('double(double): double', identity),
  overload('double(int): double', Number),
  overload('double(string): double', doubleOf),
  overload('double(uint): double', ({ value }: UnsignedInt) => Number(value)),
  overload('duration(duration): duration', identity),
  overload('duration(int): duration', () =>
    fail("type conversion error from 'int' to 'google.protobuf.Duration'"),
  ),
  overload(
    'duration(string): duration',
    (text: string) => Duration.parse(text) ?? unconvertible('google.protobuf.Duration'),
  ),
  overload('int(int): int', identity),
  overload('int(double): int', intOfDouble),
  overload('int(duration): int', ({ nanos }: Duration) => nanos),
  overload('int(string): int', intOf),
  overload('int(timestamp): int', ({ seconds }: Timestamp) => seconds),
  overload('int(uint): int', ({ value }: UnsignedInt) =>
    BigInt.asIntN(64, value) === value ? value : fail('integer overflow'),
  ),
  ...texts(),
  overload('timestamp(timestamp): timestamp', identity),
  overload('timestamp(int): timestamp', (seconds: bigint) => Timestamp.ofSeconds(seconds)),
  overload(
    'timestamp(string): timestamp',
    (text: string) => Timestamp.parse(text) ?? unconvertible('google.protobuf.Timestamp'),
  ),
  overload('uint(uint): uint', identity),
  overload('uint(double): uint', uintOfDouble),
  overload('uint(int): uint', (value: bigint) => new UnsignedInt(value)),
  overload('uint(string): uint', uintOf),
];

function sizes(): readonly Overload[] {
  return [
    overload('size(bytes): int', sizeOfBytes),
    overload('bytes.size(): int', sizeOfBytes),
    overload('size(list<A>): int', sizeOfList),
    overload('list<A>.size(): int', sizeOfList),
    overload('size(map<A, B>): int', sizeOfMap),
    overload('map<A, B>.size(): int', sizeOfMap),
    overload('size(string): int', sizeOfText),
    overload('string.size(): int', sizeOfText),
  ];
}

function sizeOfText(text: string): bigint {
  return BigInt(lengthOf(text));
}

function sizeOfBytes({ length }: Uint8Array): bigint {
  return BigInt(length);
}

function sizeOfList(list: ListValue): bigint {
  return BigInt(outcomesOf(list).length);
}

function sizeOfMap({ size }: MapValue): bigint {
  return BigInt(size);
}

function texts(): readonly Overload[] {
  return [
    overload('string(string): string', identity),
    overload('string(bool): string', String),
    overload('string(bytes): string', textOfBytes),
    overload('string(double): string', showDouble),
    overload('string(duration): string', String),
    overload('string(int): string', String),
    overload('string(timestamp): string', String),
    overload('string(uint): string', String),
  ];
}

function unconvertible(to: string): never {
  return fail(`type conversion error from 'string' to '${to}'`);
}

const truths: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falsehoods: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function boolOf(text: string): boolean {
  if (truths.has(text)) return true;
  return falsehoods.has(text) ? false : unconvertible('bool');
}

function doubleOf(text: string): number {
  const number = parseDouble(text);
  return number === undefined ? unconvertible('double') : number;
}

function intOf(text: string): bigint {
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
  return value !== undefined && BigInt.asIntN(64, value) === value ? value : unconvertible('int');
}

function uintOf(text: string): UnsignedInt {
  const value = /^\d+$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || BigInt.asUintN(64, value) !== value) return unconvertible('uint');
  return new UnsignedInt(value);
}

function intOfDouble(value: number): bigint {
  const fits = value > -(2 ** 63) && value < 2 ** 63;
  return fits ? BigInt(Math.trunc(value)) : fail('integer overflow');
}

function uintOfDouble(value: number): UnsignedInt {
  const fits = value >= 0 && value < 2 ** 64;
  return fits ? new UnsignedInt(BigInt(Math.trunc(value))) : fail('unsigned integer overflow');
}

function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail('invalid UTF-8 in bytes, cannot convert to string');
  }
}
