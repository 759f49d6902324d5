import { type CelType, durationType } from '../types/cel-type.ts';
import { fail } from './evaluation-error.ts';
import { ObjectValue } from './value.ts';

const second = 1_000_000_000n;

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
};

/** Unit names that the schema format `duration` also accepts. A long form only begins the name: `seconds`, `secret`. */
const words: readonly (readonly [RegExp, bigint])[] = [
  [/^(ns$|nano)/, 1n],
  [/^((us|µs)$|micro)/, 1000n],
  [/^(ms$|milli)/, 1_000_000n],
  [/^(s$|sec)/, second],
  [/^(m$|min)/, 60n * second],
  [/^((h|hr)$|hour)/, 3600n * second],
  [/^(d$|day)/, 86_400n * second],
  [/^((w|wk)$|week)/, 604_800n * second],
];

/** A duration in nanoseconds, as in Go. */
export class Duration extends ObjectValue {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    if (BigInt.asIntN(64, nanos) !== nanos) fail('integer overflow');
    this.nanos = nanos;
  }

  /** Parses Go's notation: `1h30m`. Returns `undefined` for other strings. */
  static parse(text: string): Duration | undefined {
    const [, sign, rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
    if (rest === '0') return new Duration(0n);
    const whole = /^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
    if (!whole.test(rest)) return undefined;
    let nanos = 0n;
    for (const [, amount = '', unit = ''] of rest.matchAll(/([\d.]+)([a-zµμ]+)/g)) {
      nanos += scaled(amount, units[unit] ?? 0n);
    }
    return new Duration(sign === '-' ? -nanos : nanos);
  }

  /**
   * Parses a value of the schema format `duration`, which also accepts `3 days`, and any text in which one amount has a
   * known unit.
   */
  static parseFormat(text: string): Duration | undefined {
    const plain = Duration.parse(text);
    if (plain !== undefined) return plain;
    let nanos: bigint | undefined;
    for (const [, amount = '', word = ''] of text.matchAll(/(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
      const factor = BigInt(amount);
      if (factor >= 2n ** 63n) return undefined;
      const unit = words.find(([pattern]) => pattern.test(word.toLowerCase()))?.[1];
      if (unit !== undefined) nanos = (nanos ?? 0n) + factor * unit;
    }
    return nanos === undefined ? undefined : new Duration(BigInt.asIntN(64, nanos));
  }

  /** In seconds, as CEL writes durations. */
  get type(): CelType {
    return durationType;
  }

  override toString(): string {
    // As in Go, the seconds are a double, which does not hold all digits of a long duration.
    const seconds = Number(this.nanos / second) + Number(this.nanos % second) / Number(second);
    return `${plainNumber(seconds)}s`;
  }
}

/** As Go, which computes with the digits of a fraction that fit 63 bits, as a double. */
function scaled(amount: string, unit: bigint): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  let digits = 0n;
  let scale = 1;
  for (const digit of fraction) {
    const next = digits * 10n + BigInt(digit);
    if (digits > (2n ** 63n - 1n) / 10n || next > 2n ** 63n) break;
    digits = next;
    scale *= 10;
  }
  const part = BigInt(Math.trunc(Number(digits) * (Number(unit) / scale)));
  return BigInt(whole || '0') * unit + part;
}

/** Writes a number without an exponent. */
function plainNumber(number: number): string {
  const [digits = '', exponent] = String(Math.abs(number)).split('e-');
  const sign = number < 0 ? '-' : '';
  if (exponent === undefined) return sign + digits;
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${digits.replace('.', '')}`;
}
