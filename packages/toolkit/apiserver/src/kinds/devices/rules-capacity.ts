import type { StatusCause } from '@keelson/apimachinery';
import { addQuantities, compareQuantities } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  type JsonObject,
  required,
} from '@keelson/structural-schema';
import { objectAt, textAt, textsAt } from '../../json/json-members.ts';
import { wholeUnits } from '../shared/whole-units.ts';
import { distinct } from './bounded-lists.ts';

const MAX_VALUES = 10;

/** Validates which parts of a capacity claims can request: a list of values or a range. */
export function validateRequestPolicy(
  policy: JsonObject,
  capacity: string,
  path: FieldPath,
): StatusCause[] {
  const values = textsAt(policy, 'validValues');
  const hasRange = policy.validRange !== undefined;
  const standard = textAt(policy, 'default');
  if (values.length > 0 && hasRange) {
    const both =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [forbidden(path, both)];
  }
  if (values.length === 0 && !hasRange) return [];
  const name = hasRange ? 'validRange' : 'validValues';
  if (standard === '') {
    return [required(childPath(path, 'default'), `required when ${name} is defined`)];
  }
  const field = childPath(path, name);
  return hasRange
    ? validateRange(objectAt(policy, 'validRange'), { standard, capacity }, field)
    : validateValues(values, { standard, capacity }, field);
}

interface Bounds {
  readonly standard: string;
  readonly capacity: string;
}

function validateValues(
  values: readonly string[],
  { standard, capacity }: Bounds,
  path: FieldPath,
): StatusCause[] {
  const unsorted = values.flatMap((value, index) => {
    const before = values[index - 1];
    if (before === undefined || compareQuantities(before, value) <= 0) return [];
    return [invalid(indexPath(path, index), value, 'values must be sorted in ascending order')];
  });
  const larger = `option is larger than capacity value: ${capacity}`;
  const unknown = 'default value is not valid according to the requestPolicy';
  return [
    ...unsorted,
    ...distinct(values, MAX_VALUES, path, {
      keyOf: (value) => String(wholeUnits(value)),
      validate: (value, at) =>
        compareQuantities(value, capacity) > 0 ? [invalid(at, value, larger)] : [],
    }),
    ...(values.some((value) => compareQuantities(value, standard) === 0)
      ? []
      : [invalid(path, standard, unknown)]),
  ];
}

function validateRange(range: JsonObject, bounds: Bounds, path: FieldPath): StatusCause[] {
  const { standard, capacity } = bounds;
  const [min, max, step] = [textAt(range, 'min'), textAt(range, 'max'), textAt(range, 'step')];
  const field = childPath(path, 'min');
  if (min === '') return [required(field, 'required when validRange is defined')];
  return [
    ...unlessAtMost(min, capacity, [field, min, `min is larger than capacity value: ${capacity}`]),
    ...unlessAtMost(min, standard, [field, standard, `default is less than min: ${min}`]),
    ...(max === '' ? [] : validateMax(min, max, bounds, childPath(path, 'max'))),
    ...(step === '' ? [] : validateStep({ min, max, step }, bounds, childPath(path, 'step'))),
  ];
}

function validateMax(
  min: string,
  max: string,
  { standard, capacity }: Bounds,
  path: FieldPath,
): StatusCause[] {
  return [
    ...unlessAtMost(min, max, [path, min, `min is larger than max: ${max}`]),
    ...unlessAtMost(max, capacity, [path, max, `max is larger than capacity value: ${capacity}`]),
    ...unlessAtMost(standard, max, [path, standard, `default is more than max: ${max}`]),
  ];
}

interface Steps {
  readonly min: string;
  readonly max: string;
  readonly step: string;
}

function validateStep(
  steps: Steps,
  { standard, capacity }: Bounds,
  path: FieldPath,
): StatusCause[] {
  const { min, max, step } = steps;
  const sum = addQuantities(min, step);
  const larger = `one step ${sum} is larger than capacity value: ${capacity}`;
  const uneven = `value is not a multiple of a given step (${step}) from (${min})`;
  const checked = max === '' ? [standard] : [standard, max];
  const size = wholeUnits(step);
  return [
    ...unlessAtMost(sum, capacity, [path, step, larger]),
    ...checked
      .filter((value) => size !== 0n && (wholeUnits(value) - wholeUnits(min)) % size !== 0n)
      .map((value) => invalid(path, value, uneven)),
  ];
}

function unlessAtMost(
  less: string,
  more: string,
  cause: Parameters<typeof invalid>,
): StatusCause[] {
  return compareQuantities(less, more) <= 0 ? [] : [invalid(...cause)];
}
