/** The longest delay of one `setTimeout`, in milliseconds. Node.js fires a timer with a longer delay at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls `fire` after a delay of any length. Returns a function that cancels it. */
export function startTimer(milliseconds: number, fire: () => void): () => void {
  const now = Math.min(milliseconds, MAX_TIMER_MS);
  const left = milliseconds - now;
  let stop = (): void => clearTimeout(timer);
  const timer = setTimeout(() => {
    if (left === 0) fire();
    else stop = startTimer(left, fire);
  }, now);
  return () => stop();
}
