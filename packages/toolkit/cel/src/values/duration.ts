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
    const magnitude = this.nanos < 0n ? -this.nanos : this.nanos;
    const fraction = String(magnitude % second)
      .padStart(9, '0')
      .replace(/0+$/, '');
    const sign = this.nanos < 0n ? '-' : '';
    return `${sign}${magnitude / second}${fraction && `.${fraction}`}s`;
  }
}

function scaled(amount: string, unit: bigint): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  const part = fraction === '' ? 0n : (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
  return BigInt(whole || '0') * unit + part;
}
