import type { Fragment } from './session-kind.ts';

/** Merges objects from left to right, member by member. A later list or value replaces an earlier one. */
export function mergeFragments(parts: readonly Fragment[]): Fragment {
  return parts.reduce((merged, part) => mergeTwo(merged, part), {});
}

function mergeTwo(left: Fragment, right: Fragment): Fragment {
  const entries = Object.entries(right).map(([name, value]) => {
    const before = left[name];
    return [name, isPlain(before) && isPlain(value) ? mergeTwo(before, value) : value] as const;
  });
  return { ...left, ...Object.fromEntries(entries) };
}

function isPlain(value: unknown): value is Fragment {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
