/** The times that a queue reads. */
export interface TurnClock {
  /** Reads the time, in ms. */
  readonly now: () => number;
  /**
   * Returns the last time that was read in this turn; reads it if no time was read. Later calls of the turn then return it,
   * except after `'once'`.
   */
  readonly thisTurn: (reading?: 'once') => number;
}

/**
 * Creates a clock whose `thisTurn` reads the time once in a turn: in code that runs without an `await`, such as a loop
 * over the objects of a list. A reading costs as much as a tenth of an add. The time of a turn is early by the duration
 * of the turn at most, so it only says when an item became ready, and when it was taken
 * while nothing is delayed: no delay may begin or end with it.
 */
export function turnClock(): TurnClock {
  let time: number | undefined;
  const forget = (): void => {
    time = undefined;
  };
  const now = (): number => {
    const current = performance.now();
    if (time !== undefined) time = current;
    return current;
  };
  const thisTurn = (reading?: 'once'): number => {
    if (time !== undefined) return time;
    const current = performance.now();
    if (reading === 'once') return current;
    time = current;
    void Promise.resolve().then(forget);
    return current;
  };
  return { now, thisTurn };
}
