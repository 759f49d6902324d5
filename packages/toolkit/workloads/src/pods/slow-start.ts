/**
 * Calls a function a number of times: once, then twice at the same time, then four times, as long as no call fails.
 * Returns the first error.
 */
export async function slowStart(
  count: number,
  call: (index: number) => Promise<unknown>,
): Promise<unknown> {
  let done = 0;
  for (let size = 1; done < count; size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - done) }, (_, at) => call(done + at));
    const ends = await Promise.allSettled(batch);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) return failed.reason;
    done += batch.length;
  }
  return undefined;
}
