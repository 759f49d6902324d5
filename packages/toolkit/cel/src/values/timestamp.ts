import { type CelType, timestampType } from '../types/cel-type.ts';
import { fail } from './evaluation-error.ts';
import { ObjectValue } from './value.ts';

const second = 1_000_000_000n;
const earliest = -62_135_596_800n;
const latest = 253_402_300_799n;

/** A point in time, in nanoseconds since 1970. */
export class Timestamp extends ObjectValue {
  readonly nanos: bigint;
  /** The offset from UTC in seconds, which is used to write the time. */
  readonly offset: bigint;

  constructor(nanos: bigint, offset = 0n) {
    super();
    this.offset = offset;
    const seconds = floorDivide(nanos, second);
    if (seconds < earliest || seconds > latest) fail('timestamp overflow');
    this.nanos = nanos;
  }

  static ofSeconds(seconds: bigint): Timestamp {
    return new Timestamp(seconds * second);
  }

  /** Parses RFC 3339; returns `undefined` for other strings. */
  static parse(text: string): Timestamp | undefined {
    return parse(text);
  }

  /** Parses a value of the schema formats `date` and `date-time`. */
  static parseFormat(text: string): Timestamp | undefined {
    return Timestamp.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  }

  get seconds(): bigint {
    return floorDivide(this.nanos, second);
  }

  get milliseconds(): bigint {
    return floorDivide(this.nanos, 1_000_000n);
  }

  get type(): CelType {
    return timestampType;
  }

  override toString(): string {
    const fraction = String(this.nanos - this.seconds * second)
      .padStart(9, '0')
      .replace(/0+$/, '');
    const text = new Date(Number(this.seconds + this.offset) * 1000).toISOString();
    return text.replace('.000Z', (fraction && `.${fraction}`) + zoneOf(this.offset));
  }
}

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/;

function parse(text: string): Timestamp | undefined {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, seconds = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const date = new Date(Date.UTC(2000, month - 1, day, hour, minute, seconds));
  date.setUTCFullYear(year, month - 1, day);
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!real || hour > 23 || minute > 59 || seconds > 59) return undefined;
  const fraction = BigInt((found[7] ?? '').slice(0, 9).padEnd(9, '0'));
  const zone = found[8] ?? 'Z';
  // Go accepts offsets of 24 hours and of 60 minutes.
  if (zone !== 'Z' && (Number(zone.slice(1, 3)) > 24 || Number(zone.slice(4)) > 60))
    return undefined;
  const offset = offsetSeconds(zone);
  const moment = BigInt(date.getTime() / 1000) - offset;
  return new Timestamp(moment * second + fraction, offset);
}

function zoneOf(offset: bigint): string {
  if (offset === 0n) return 'Z';
  const minutes = (offset < 0n ? -offset : offset) / 60n;
  const parts = [minutes / 60n, minutes % 60n].map((part) => String(part).padStart(2, '0'));
  return `${offset < 0n ? '-' : '+'}${parts.join(':')}`;
}

/** Converts an offset such as `+02:00` to seconds. */
export function offsetSeconds(offset: string): bigint {
  const [, sign, hours = '0', minutes = '0'] = /^([+-]?)(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  const seconds = BigInt(hours) * 3600n + BigInt(minutes) * 60n;
  return sign === '-' ? -seconds : seconds;
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && value % by !== 0n ? quotient - 1n : quotient;
}
