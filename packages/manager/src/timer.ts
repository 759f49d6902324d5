/** What one `setTimeout` can hold; more would fire at once. */
const longest = 2 ** 31 - 1;

/** Calls `fire` after so many milliseconds, however many. Returns the way to stop it. */
export function startTimer(milliseconds: number, fire: () => void): () => void {
  const now = Math.min(milliseconds, longest);
  const left = milliseconds - now;
  let stop = (): void => clearTimeout(timer);
  const timer = setTimeout(() => {
    if (left === 0) fire();
    else stop = startTimer(left, fire);
  }, now);
  return () => stop();
}

/** Whether the work ended (in whichever way) within the time. The timer does not outlive it. */
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
