declare const hint: unique symbol;

/**
 * A type without values, for a union. The compiler's message about a value that does not fit then contains its text.
 */
export interface Hint<Text extends string> {
  readonly [hint]: readonly [Text, never];
}
