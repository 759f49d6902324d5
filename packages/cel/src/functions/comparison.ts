import { Duration } from '../values/duration.ts';
import { fail } from '../values/evaluation-error.ts';
import { Timestamp } from '../values/timestamp.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import type { Value } from '../values/value.ts';

/** Returns -1, 0 or 1. Numbers of different types are compared by value. */
export function compareValues(one: Value, other: Value): -1 | 0 | 1 {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other);
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other);
  const left = ordered(one);
  const right = ordered(other);
  if (Number.isNaN(left) || Number.isNaN(right)) return fail('NaN values cannot be ordered');
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

type Ordered = bigint | number | boolean;

function ordered(value: Value): Ordered {
  if (value instanceof Timestamp || value instanceof Duration) return value.nanos;
  if (value instanceof UnsignedInt) return value.value;
  switch (typeof value) {
    case 'bigint':
    case 'number':
    case 'boolean':
      return value;
    default:
      return fail('no such overload');
  }
}

/** Compares by code points, which is the order of UTF-8 bytes in Go. JavaScript compares UTF-16 units. */
function compareTexts(one: string, other: string): -1 | 0 | 1 {
  if (one === other) return 0;
  const surrogates = /[\uD800-\uDFFF]/;
  if (surrogates.test(one) || surrogates.test(other)) {
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  return one < other ? -1 : 1;
}
