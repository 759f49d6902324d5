/** An item handed out by a queue; its key is locked until `done(item)`. */
export interface WorkItem<Item, Cause = unknown> {
  readonly item: Item;
  /** The highest priority asked for since the last hand-out. */
  readonly priority: number;
  /** Why the item was queued: up to eight distinct causes, none if the adds named none. */
  readonly causes: readonly Cause[];
  /** When each of the causes was first added, in whole milliseconds of the queue's clock. */
  readonly causedAt: readonly number[];
  /** Failed runs of the item since it was last forgotten. */
  readonly failures: number;
  /** How long the item was ready before it was handed out, in ms. */
  readonly queuedMs: number;
  /** When it was handed out, by the queue's clock. */
  readonly startedAt: number;
}
