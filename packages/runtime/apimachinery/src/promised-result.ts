/** True for a promise or another value that `await` would wait for. Never throws. */
export function isPromised(value: unknown): boolean {
  if (!isObject(value)) return false;
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

/** The number of objects of an invalid result that are searched for promises. */
const MAX_SEARCHED = 10_000;

/**
 * Keeps the promises in an invalid result of user code from ending the process: the result itself, its members and their
 * members. Nothing waits for any of them. Calls no getter, and never throws.
 */
export function ignoreRejections(result: unknown): void {
  const found = new Set<unknown>([result]);
  let searched = 0;
  for (const value of found) {
    if (!isObject(value)) continue;
    if (isPromised(value)) ignoreRejection(value);
    searched += 1;
    if (searched <= MAX_SEARCHED) for (const member of membersOf(value)) found.add(member);
  }
}

/** The values of an object that are read without a call of user code. */
function membersOf(value: object): readonly unknown[] {
  // Bytes have an own property for each of them.
  if (ArrayBuffer.isView(value)) return [];
  try {
    const items = value instanceof Map || value instanceof Set ? [...value.values()] : [];
    const own = Object.keys(value).map((key) => Object.getOwnPropertyDescriptor(value, key)?.value);
    return [...items, ...own];
  } catch {
    // A proxy of the user threw.
    return [];
  }
}

/**
 * Returns what `examine` returns for a result of user code. If it refuses the result by an error, the rejections of the
 * promises in the result are ignored.
 */
export function examineResult<Given, Result>(
  result: Given,
  examine: (result: Given) => Result,
): Result {
  try {
    return examine(result);
  } catch (error) {
    ignoreRejections(result);
    throw error;
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
