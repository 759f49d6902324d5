/** Compares two texts by their code units, as Go does. */
export function compareTexts(one = '', other = ''): number {
  return one < other ? -1 : Number(one > other);
}

/** The sum of a number of each item. */
export function sumOf<Item>(items: readonly Item[], numberOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + numberOf(item), 0);
}

/** A number, or the part of a total that a text such as `25%` names. Rounds up with `isRoundedUp`. */
export function scaledValue(
  value: string | number | undefined,
  total: number,
  isRoundedUp: boolean,
): number {
  if (typeof value === 'number') return value;
  const part = (Number.parseInt(value ?? '0', 10) * total) / 100;
  return isRoundedUp ? Math.ceil(part) : Math.floor(part);
}
