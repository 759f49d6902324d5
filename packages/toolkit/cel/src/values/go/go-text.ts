import { Duration } from '../duration.ts';
import { isList, itemsOf } from '../list-value.ts';
import { showValue } from '../show-value.ts';
import { Timestamp } from '../timestamp.ts';
import type { Value } from '../value.ts';

/** Formats a value as Go's `%v` does, for an error message. */
export function goText(value: Value): string {
  if (value instanceof Duration) return durationText(value.nanos);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Uint8Array) return `[${value.join(' ')}]`;
  return isList(value) ? `[${itemsOf(value).map(goText).join(', ')}]` : showValue(value);
}

/** Formats a duration in hours, minutes and seconds, or in the largest smaller unit: `-5m0s`, `1.5ms`. */
function durationText(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  const small = size < 1_000_000n ? ([1000n, 'µs'] as const) : ([1_000_000n, 'ms'] as const);
  if (size < 1000n) return `${sign}${size}ns`;
  if (size < 1_000_000_000n) return `${sign}${withFraction(size, small[0])}${small[1]}`;
  const minutes = size / 60_000_000_000n;
  const seconds = `${withFraction(size % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return hours === 0n
    ? `${sign}${minutes}m${seconds}`
    : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

function withFraction(size: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const fraction = String(size % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return `${size / unit}${fraction && `.${fraction}`}`;
}

/** Formats a time with its zone: `2024-02-29 12:34:56 +0000 UTC`. */
function timestampText(value: Timestamp): string {
  const [, date = '', time = '', zone = 'Z'] =
    /^(.*)T([\d:.]+)(Z|[+-].*)$/.exec(String(value)) ?? [];
  const offset = zone === 'Z' ? '+0000 UTC' : `${zone.replace(':', '')} ${zone.replace(':', '')}`;
  return `${date} ${time} ${offset}`;
}
