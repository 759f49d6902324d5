import { requireHashable } from '../values/hashable.ts';
import { isList, itemsOf } from '../values/list-value.ts';
import { isFailed } from '../values/outcome.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import type { Value } from '../values/value.ts';
import { constant, type Planned } from './planner.ts';

/**
 * Plans `a in [1, 2]` with a constant list of scalars, which cel-go converts to a set: only `a` costs something. Returns
 * `undefined` for other lists.
 */
export function planMembership([item, list]: readonly Planned[]): Planned | undefined {
  const { constant: value } = list ?? {};
  if (item === undefined || value === undefined || isFailed(value) || !isList(value)) {
    return undefined;
  }
  const items = itemsOf(value);
  if (items.length === 0) return constant(false);
  if (!items.every(isScalar)) return undefined;
  const set = new Set(items.flatMap(identitiesOf));
  return {
    step: (run) => {
      const found = item.step(run);
      if (isFailed(found)) return found;
      requireHashable(found);
      return isScalar(found) && set.has(identityOf(found));
    },
  };
}

function isScalar(value: Value): boolean {
  return (value !== null && typeof value !== 'object') || value instanceof UnsignedInt;
}

function identityOf(value: Value): string {
  if (typeof value === 'number') return `double ${value + 0}`;
  return value instanceof UnsignedInt ? `uint ${value.value}` : `${typeof value} ${String(value)}`;
}

/** A number is also found as the same number of another type. */
function identitiesOf(value: Value): readonly string[] {
  const own = identityOf(value);
  if (Number.isNaN(value)) return [];
  if (typeof value === 'bigint' || value instanceof UnsignedInt) {
    const whole = typeof value === 'bigint' ? value : value.value;
    return [own, `double ${Number(whole)}`, `bigint ${whole}`, `uint ${whole}`];
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) return [own];
  return [own, `bigint ${BigInt(value)}`, `uint ${BigInt(value)}`];
}
