/** Calls `act` with every item, also after it threw for one; throws what it threw at the end. */
export function forEach<T>(items: Iterable<T>, act: (item: T) => void): void {
  throwAll(errorsOf(items, act));
}

/** Calls `act` with every item and returns what it threw. */
export function errorsOf<T>(items: Iterable<T>, act: (item: T) => void): unknown[] {
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      act(item);
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

/** Throws one error as it is, several as an `AggregateError`. */
export function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} objects failed`);
}
