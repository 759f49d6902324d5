/** Returns the reason of a signal as an error, because user code may abort with any value. */
export function abortReason(signal: AbortSignal | null): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('the request was aborted', { cause: reason });
}
