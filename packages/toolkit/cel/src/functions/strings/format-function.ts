import { isUtf8 } from 'node:buffer';
import { type Overload, overload } from '../../types/function-declaration.ts';
import { showType } from '../../types/cel-type.ts';
import { Duration } from '../../values/duration.ts';
import { fail } from '../../values/evaluation-error.ts';
import { MapValue } from '../../values/map-value.ts';
import { valueOf } from '../../values/outcome.ts';
import { showValue } from '../../values/show-value.ts';
import { Timestamp } from '../../values/timestamp.ts';
import { typeOfValue } from '../../values/type-of-value.ts';
import { TypeValue } from '../../values/type-value.ts';
import { UnsignedInt } from '../../values/unsigned-int.ts';
import { isList, itemsOf, type ListValue } from '../../values/list-value.ts';
import type { Value } from '../../values/value.ts';
import { fixedPoint } from './fixed-point.ts';
import { showDouble } from '../../values/show-double.ts';

/** The function `format`: `'%s has %d'.format([name, count])`. */
export const formatFunction: Overload = overload(
  'string.format(list<dyn>): string',
  (template: string, list: ListValue) => {
    const args = itemsOf(list);
    return fillTemplate(template, (clause, index) => {
      const value = args[index];
      if (value === undefined) return fail(`index ${index} out of range`);
      return formatClause(clause, value);
    });
  },
);

/** A clause of a template: `%.2f` has the verb `f` and the precision `2`. */
export interface Clause {
  /** Empty if the template ends before it. */
  readonly verb: string;
  /** The digits after the dot; `undefined` without a dot. */
  readonly precision: string | undefined;
}

/** Replaces the clauses of a template; `%%` becomes a percent sign. */
export function fillTemplate(
  template: string,
  fill: (clause: Clause, index: number) => string,
): string {
  let index = 0;
  return template.replaceAll(
    /%(%|(?:\.(\d*))?(.?))/gs,
    (_, whole: string, precision: string | undefined, verb: string) => {
      if (whole === '%') return '%';
      index += 1;
      return fill({ verb, precision }, index - 1);
    },
  );
}

/** The first precision that Go's printer rejects; it then prints an error in place of the value. */
const FIRST_REJECTED_PRECISION = 10_000_010;

function formatClause(clause: Clause, value: Value): string {
  const problem = clauseSyntaxProblem(clause);
  const write = writers[clause.verb];
  if (problem !== undefined || write === undefined) return fail(problem ?? '');
  const precision = Number(clause.precision ?? 6);
  if (precision >= FIRST_REJECTED_PRECISION) return '%!(NOVERB)';
  const text = write(value, precision);
  if (text !== undefined) return text;
  return fail(`error during formatting: ${clauseProblem(clause.verb, typeName(value))}`);
}

/** Returns the error of a clause with a wrong verb or precision; otherwise `undefined`. */
export function clauseSyntaxProblem({ verb, precision }: Clause): string | undefined {
  const words = 'could not parse formatting clause:';
  const wrongPrecision = `${words} error while parsing precision:`;
  if (verb === '') {
    return precision === undefined
      ? 'unexpected end of string'
      : `${wrongPrecision} could not find end of precision specifier`;
  }
  if (precision !== undefined && !(precision !== '' && BigInt(precision) < 2n ** 63n)) {
    const reason = precision === '' ? 'invalid syntax' : 'value out of range';
    const parsed = `strconv.Atoi: parsing "${precision}": ${reason}`;
    return `${wrongPrecision} error while converting precision to integer: ${parsed}`;
  }
  // Go reads one byte.
  const read = String.fromCharCode(Buffer.from(verb)[0] ?? 0);
  return isClause(verb) ? undefined : `${words} unrecognized formatting clause "${read}"`;
}

function typeName(value: Value): string {
  const type = typeOfValue(value);
  return type.parameters.length > 0 ? type.name : showType(type).replace(/^null$/, 'null_type');
}

const clauseWords: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};

/** Returns the error message for a clause that cannot format a type. */
export function clauseProblem(verb: string, type: string): string {
  return `${clauseWords[verb]}, was given ${type}`;
}

function isClause(verb: string): boolean {
  return Object.hasOwn(clauseWords, verb);
}

type Writer = (value: Value, precision: number) => string | undefined;

const writers: Readonly<Record<string, Writer>> = {
  s: writeText,
  d: (value) => integerOf(value)?.toString(),
  // The locale printer of Go keeps eight bits of the precision.
  f: (value, precision) => real(value, (number) => grouped(fixedPoint(number, precision % 256))),
  // As in kube-apiserver, the precision of `e` sets the width.
  e: (value, precision) => real(value, scientific)?.padStart(precision),
  b: (value) =>
    typeof value === 'boolean' ? String(Number(value)) : integerOf(value)?.toString(2),
  x: writeHex,
  X: (value) => writeHex(value)?.toUpperCase(),
  o: (value) => integerOf(value)?.toString(8),
};

function integerOf(value: Value): bigint | undefined {
  if (value instanceof UnsignedInt) return value.value;
  return typeof value === 'bigint' ? value : undefined;
}

function real(value: Value, write: (number: number) => string): string | undefined {
  const special = value === 'NaN' || value === 'Infinity' || value === '-Infinity';
  if (typeof value !== 'number' && !special) return undefined;
  const number = Number(value);
  if (Number.isFinite(number)) return write(number);
  if (Number.isNaN(number)) return 'NaN';
  return number > 0 ? '∞' : '-∞';
}

function grouped(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const groups = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

/** Formats as the locale printer of Go does: `1.052033×10⁰³`, always with six decimals. */
function scientific(number: number): string {
  const [mantissa = '', exponent = '0'] = number.toExponential(6).split('e');
  const power = Number(exponent);
  const digits = String(Math.abs(power)).padStart(2, '0');
  const raised = Array.from(digits, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
  return `${mantissa}×10${power < 0 ? '⁻' : ''}${raised}`;
}

function writeHex(value: Value): string | undefined {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integerOf(value)?.toString(16);
}

function writeText(value: Value): string | undefined {
  if (isList(value)) return writeList(itemsOf(value));
  if (value instanceof MapValue) return writeMap(value);
  if (value instanceof Uint8Array) return writeBytes(value);
  if (typeof value === 'number') return showDouble(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const simple = [Timestamp, Duration, UnsignedInt, TypeValue].some(
    (each) => value instanceof each,
  );
  return simple ? showValue(value) : undefined;
}

function writeBytes(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes).toString('utf8');
  const reason = 'invalid UTF-8 in bytes, cannot convert to string';
  return fail(`error during formatting: could not convert argument "${reason}" to string`);
}

function writeList(items: readonly Value[]): string {
  return `[${items.map(writeInner).join(', ')}]`;
}

function writeMap(map: MapValue): string {
  const entries = map
    .keys()
    .map((key) => [writeInner(key), writeInner(valueOf(map.find(key) ?? null))] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}

/** Formats a value inside a list or map as a literal. */
function writeInner(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Uint8Array) return `b${JSON.stringify(Buffer.from(value).toString('utf8'))}`;
  if (value instanceof Timestamp) return `timestamp(${JSON.stringify(String(value))})`;
  if (value instanceof Duration) return `duration(${JSON.stringify(String(value))})`;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return JSON.stringify(showDouble(value));
    return `${Object.is(value, -0) ? '-' : ''}${fixedPoint(value, 6)}`;
  }
  return writeText(value) ?? fail(`no formatting function for ${typeName(value)}`);
}
