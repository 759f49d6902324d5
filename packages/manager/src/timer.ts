import { startTimer } from '@keelson/apimachinery';

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
