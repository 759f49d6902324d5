interface OwnWrite {
  readonly sequence: number;
  /** The local time at which the write began. */
  readonly began: number;
}

/** Numbers the writes of the own Lease, and knows which of them the observed states contain. */
export class OwnWrites {
  /** The number of the next write. */
  next = 1;
  /** The number of the latest write that the last observed state contains; 0 for none. */
  latestSeen = 0;
  #begun: OwnWrite[] = [];
  #highest = 0;
  #completeAt = -Infinity;

  /** Returns the number of a write that begins now. */
  begin(began: number): number {
    const sequence = this.next;
    this.next += 1;
    this.#begun.push({ sequence, began });
    return sequence;
  }

  /**
   * Records the number of the own write that an observed state contains. Returns the time at which this write began:
   * the state contains everything that the server had stored by then.
   */
  seen(sequence: number): number {
    this.latestSeen = sequence;
    // A watch that begins again may return an earlier state, and the times of earlier writes are not kept.
    if (sequence < this.#highest) return -Infinity;
    this.#highest = sequence;
    const write = this.#begun.findLast((one) => one.sequence <= sequence);
    this.#begun = this.#begun.filter((one) => one.sequence > sequence);
    if (write !== undefined) this.#completeAt = write.began;
    return this.#completeAt;
  }
}
