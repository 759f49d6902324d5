/** True for a promise or another value that `await` would wait for. Never throws. */
export function isPromised(value: unknown): boolean {
  if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return false;
  try {
    return 'then' in value;
  } catch {
    // The value is a revoked proxy, for which `await` would reject.
    return true;
  }
}

/**
 * Returns a promise of a value. It rejects with the error of a `then` that throws; the function itself never throws.
 */
export function promiseOf(value: unknown): Promise<unknown> {
  // Not `Promise.resolve`, which reads the member `constructor` of a promise at once.
  return new Promise((resolve) => resolve(value));
}

/** Keeps the rejection of a value that nothing waits for from ending the process. */
export function ignoreRejection(value: unknown): void {
  promiseOf(value).catch(() => undefined);
}
