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

/** Unit names that the schema format `duration` also accepts. */
const words: readonly (readonly [RegExp, bigint])[] = [
  [/^(ns|nanos?|nanoseconds?)$/, 1n],
  [/^(us|µs|micros?|microseconds?)$/, 1000n],
  [/^(ms|millis?|milliseconds?)$/, 1_000_000n],
  [/^(s|secs?|seconds?)$/, second],
  [/^(m|mins?|minutes?)$/, 60n * second],
  [/^(h|hrs?|hours?)$/, 3600n * second],
  [/^(d|days?)$/, 86_400n * second],
  [/^(w|wks?|weeks?)$/, 604_800n * second],
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

  /** Parses a value of the schema format `duration`, which also accepts `3 days`. */
  static parseFormat(text: string): Duration | undefined {
    const plain = Duration.parse(text);
    const found = [...text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)];
    if (plain !== undefined || found.length === 0) return plain;
    let nanos = 0n;
    for (const [, amount = '', word = ''] of found) {
      const unit = words.find(([pattern]) => pattern.test(word.toLowerCase()));
      if (unit === undefined) return undefined;
      nanos += BigInt(amount) * unit[1];
    }
    return new Duration(nanos);
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
