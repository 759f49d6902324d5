/**
 * Returns a function that removes from a set its first value with a text, and returns it. All calls together take steps in
 * proportion to the number of values. The texts of the values must not change meanwhile.
 */
export function takingFirst<Value>(
  left: Set<Value>,
  textOf: (value: Value) => string,
): (text: string) => Value | undefined {
  // Reversed, because the last value of a list is removed in constant time.
  const lists = Map.groupBy([...left].toReversed(), textOf);
  return (text) => {
    const list = lists.get(text) ?? [];
    for (let value = list.pop(); value !== undefined; value = list.pop()) {
      // Another function of the same set may have taken it.
      if (left.delete(value)) return value;
    }
    return undefined;
  };
}
