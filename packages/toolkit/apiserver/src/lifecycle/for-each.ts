/** Calls `act` with every item, even if it throws for some, then throws the errors by `throwAll`. */
export function forEach<T>(items: Iterable<T>, act: (item: T) => void): void {
  throwAll(errorsOf(items, act));
}

/** Calls `act` with every item and returns the errors that it threw. */
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

/** Throws a single error unchanged and several errors as one `AggregateError`. */
export function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} objects failed`);
}
