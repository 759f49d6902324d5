/** The times in ms by which a debounced add delays its item. */
export interface Debounce {
  /** The item is ready when no further debounced add came for this time. */
  readonly wait: number;
  /** The item is ready this long after its first debounced add at the latest. Not less than `wait`. */
  readonly maxWait: number;
}
