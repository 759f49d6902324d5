/** Longer than anything takes that works, shorter than Jest's patience, so that a wait names itself. */
const patience = 40_000;

/** What a request of a driver may take: the servers are here, and one that does not answer is a finding. */
export const requestBound: { readonly timeout: number } = { timeout: patience };

/** The result of an operation, or an error that names the wait that took too long. */
export async function within<T>(
  what: () => string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`waited ${patience / 1000} s for ${what()}`);
    late.reject(error);
    stop.abort(error);
  }, patience);
  try {
    return await Promise.race([run(stop.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
