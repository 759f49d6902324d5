import type { StatusCause } from '@keelson/apimachinery';
import { duplicate, type FieldPath, indexPath, tooMany } from '@keelson/structural-schema';

/** Validates one item of a list. */
export type ItemRule<T> = (item: T, path: FieldPath) => StatusCause[];

/** Validates the items of a list that is not too long. */
export function limited<T>(
  items: readonly T[],
  most: number,
  path: FieldPath,
  validate: ItemRule<T>,
): StatusCause[] {
  if (items.length > most) return [tooMany(path, items.length, most)];
  return items.flatMap((item, index) => validate(item, indexPath(path, index)));
}

/** As `limited`, for items that must have different keys. */
export function distinct<T>(
  items: readonly T[],
  most: number,
  path: FieldPath,
  { keyOf, validate }: { readonly keyOf: (item: T) => string; readonly validate: ItemRule<T> },
): StatusCause[] {
  const causes = limited(items, most, path, validate);
  if (items.length > most) return causes;
  const keys = items.map((item) => keyOf(item));
  const repeated = keys.flatMap((key, index) =>
    keys.indexOf(key) < index ? [duplicate(indexPath(path, index), key)] : [],
  );
  return [...causes, ...repeated];
}
