/** True for the reason of the aborted signal, and for an `AbortError` after it: both mean that user code ended as requested. */
export function isRequestedEnd(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error as { name?: unknown } | null)?.name === 'AbortError';
}
