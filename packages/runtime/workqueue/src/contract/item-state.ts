/** Where an item of a queue is. An item that was added while a worker holds it is queued and held. */
export interface ItemState {
  /** True while a worker holds the item. */
  readonly isHeld: boolean;
  /** The entry of the item for its next hand-out; `undefined` for an item that is only held. */
  readonly queued: QueuedState | undefined;
}

/** An entry that no worker has taken. */
export interface QueuedState {
  /** False until the delay of the item has ended. */
  readonly isReady: boolean;
  /** True if a `take` refused the ready item, so that it is not handed out before `resume`. */
  readonly isSuspended: boolean;
  /** The time at which the item became ready, or at which its delay ends, in ms of the queue's clock. */
  readonly at: number;
  readonly priority: number;
}
