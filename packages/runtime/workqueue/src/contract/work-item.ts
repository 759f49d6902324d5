/** An item that a queue handed out; its key is locked until `done(item)`. */
export interface WorkItem<Item, Cause = unknown> {
  readonly item: Item;
  /** The highest priority of the adds since the item was last handed out. */
  readonly priority: number;
  /**
   * The causes of the adds: up to eight distinct ones, in the order of their adds. Empty if no add
   * named a cause.
   */
  readonly causes: readonly Cause[];
  /** The time of the first add of each cause, in whole milliseconds of the queue's clock. */
  readonly causedAt: readonly number[];
  /**
   * Failed attempts since the last `forget` of the item. A failure before the end of a backoff is not a new attempt.
   */
  readonly failures: number;
  /** How long the item was ready before it was handed out, in ms. */
  readonly queuedMs: number;
  /** The time when the item was handed out, in ms of the queue's clock. */
  readonly startedAt: number;
}
