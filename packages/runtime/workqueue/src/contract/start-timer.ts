/** Calls `fire` once after a delay in ms. Returns a function that cancels it. */
export type StartTimer = (milliseconds: number, fire: () => void) => () => void;
