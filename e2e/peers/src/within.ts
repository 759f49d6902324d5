/**
 * Milliseconds: longer than any successful wait, shorter than the timeout of Jest, so that the error names the
 * wait.
 */
const TIMEOUT_MS = 40_000;

/** Timeout of the requests of a test. The servers are local, so a timeout is a failure. */
export const requestBound: { readonly timeout: number } = { timeout: TIMEOUT_MS };

/** Returns the result of an operation; throws an error that names the wait if it takes too long. */
export async function within<T>(
  what: () => string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`waited ${TIMEOUT_MS / 1000} s for ${what()}`);
    late.reject(error);
    stop.abort(error);
  }, TIMEOUT_MS);
  try {
    return await Promise.race([run(stop.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
