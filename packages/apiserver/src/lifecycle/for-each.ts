/** Calls `act` with every item, also after it threw for one; throws what it threw at the end. */
export function forEach<T>(items: Iterable<T>, act: (item: T) => void): void {
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      act(item);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} objects failed`);
}
