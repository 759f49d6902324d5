/** The longest delay of one `setTimeout`: Node fires a longer one at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls `fire` after a delay of any length. Returns a function that cancels it. */
export function startTimer(milliseconds: number, fire: () => void): () => void {
  const now = Math.min(milliseconds, LONGEST_TIMER_MS);
  const left = milliseconds - now;
  let stop = (): void => clearTimeout(timer);
  const timer = setTimeout(() => {
    if (left === 0) fire();
    else stop = startTimer(left, fire);
  }, now);
  return () => stop();
}

/** Resolves to whether the work settled within the time. The timer is cleared when the work settles. */
export async function endsWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const stop = startTimer(milliseconds, () => resolve(false));
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, over]);
  } finally {
    stop();
  }
}
