import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  type FieldPath,
  indexPath,
  invalid,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  required,
  tooLong,
  tooMany,
} from '@keelson/structural-schema';
import { objectsAt } from '../../json/json-members.ts';
import { atLeastZero } from '../../schema/validation-rule.ts';

const MAX_RULES = 20;
const MAX_INDEXES_LENGTH = 65_536;

/** Validates the success policy of a Job, which an Indexed Job can have. */
export function validateSuccessPolicy(spec: JsonObject, path: FieldPath): StatusCause[] {
  const { successPolicy, completionMode } = spec;
  if (!isJsonObject(successPolicy)) return [];
  const place = childPath(path, 'successPolicy');
  if (completionMode !== 'Indexed') {
    return [invalid(place, shownSuccessPolicy(successPolicy), 'requires indexed completion mode')];
  }
  const rules = objectsAt(successPolicy, 'rules');
  const field = childPath(place, 'rules');
  const missing = 'at least one rules must be specified when the successPolicy is specified';
  return [
    ...(rules.length === 0 ? [required(field, missing)] : []),
    ...(rules.length > MAX_RULES ? [tooMany(field, rules.length, MAX_RULES)] : []),
    ...rules.flatMap((rule, index) =>
      validateRule(rule, indexPath(field, index), Number(spec.completions ?? 0)),
    ),
  ];
}

/** The policy in the form of the internal struct, which kube-apiserver prints: other names, no absent members. */
export function shownSuccessPolicy(policy: JsonValue | undefined): JsonValue {
  if (!isJsonObject(policy)) return null;
  const rules = objectsAt(policy, 'rules').map((rule) => ({
    SucceededIndexes: rule.succeededIndexes ?? null,
    SucceededCount: rule.succeededCount ?? null,
  }));
  return { Rules: Array.isArray(policy.rules) ? rules : null };
}

function validateRule(rule: JsonObject, path: FieldPath, completions: number): StatusCause[] {
  const { succeededIndexes: indexes, succeededCount: count } = rule;
  const missing = 'at least one of succeededCount or succeededIndexes must be specified';
  if (indexes === undefined && count === undefined) return [required(path, missing)];
  const total = typeof indexes === 'string' ? countIndexes(indexes, completions) : undefined;
  return [
    ...(typeof indexes === 'string'
      ? validateIndexes(indexes, total, childPath(path, 'succeededIndexes'))
      : []),
    ...(count === undefined ? [] : validateCount(rule, path, { completions, total })),
  ];
}

function validateIndexes(
  indexes: string,
  total: number | IndexError | undefined,
  path: FieldPath,
): StatusCause[] {
  const isLong = indexes.length > MAX_INDEXES_LENGTH;
  return [
    ...(isLong ? [tooLong(path, MAX_INDEXES_LENGTH)] : []),
    ...(typeof total === 'object'
      ? [invalid(path, indexes, `error parsing succeededIndexes: ${total.error}`)]
      : []),
  ];
}

/** The numbers of indexes that a Job and a rule have; a list that is invalid has none. */
interface IndexCounts {
  readonly completions: number;
  readonly total: number | IndexError | undefined;
}

function validateCount(
  rule: JsonObject,
  path: FieldPath,
  { completions, total }: IndexCounts,
): StatusCause[] {
  const count = Number(rule.succeededCount);
  const field = childPath(path, 'succeededCount');
  const most = typeof total === 'object' ? 0 : total;
  const limits: readonly (readonly [number | undefined, string])[] = [
    [completions, 'number of specified completions'],
    [most, 'number of indexes in the specified succeededIndexes field'],
  ];
  return [
    ...atLeastZero(rule, path, 'succeededCount'),
    ...limits.flatMap(([limit, what]) =>
      limit !== undefined && count > limit
        ? [invalid(field, count, `must be less than or equal to ${limit} (the ${what})`)]
        : [],
    ),
  ];
}

/** The first error in a list of indexes. */
interface IndexError {
  readonly error: string;
}

/** Counts the indexes of a list such as `0,2-5`, whose intervals have increasing order. */
function countIndexes(list: string, completions: number): number | IndexError {
  if (list === '') return 0;
  let total = 0;
  let previous: number | undefined;
  for (const fragment of list.split(',')) {
    const interval = readInterval(fragment, completions);
    if ('error' in interval) return interval;
    const { first, last } = interval;
    if (previous !== undefined && previous >= first) return notIncreasing(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return total;
}

interface Interval {
  readonly first: number;
  readonly last: number;
}

function readInterval(fragment: string, completions: number): Interval | IndexError {
  const parts = fragment.split('-');
  if (parts.length > 2) {
    const text = JSON.stringify(fragment);
    return {
      error: `the fragment ${text} violates the requirement that an index interval can have at most two parts separated by '-'`,
    };
  }
  const [first, last = first] = parts.map((part) => readIndex(part, completions));
  if (typeof first !== 'number') return first ?? { error: '' };
  if (typeof last !== 'number') return last ?? { error: '' };
  return parts.length === 2 && first >= last ? notIncreasing(first, last) : { first, last };
}

function readIndex(text: string, completions: number): number | IndexError {
  const shown = JSON.stringify(text);
  if (!/^[-+]?\d+$/.test(text)) {
    return { error: `cannot convert string to integer for index: ${shown}` };
  }
  return Number(text) >= completions ? { error: `too large index: ${shown}` } : Number(text);
}

function notIncreasing(previous: number, current: number): IndexError {
  return { error: `non-increasing order, previous: ${previous}, current: ${current}` };
}
