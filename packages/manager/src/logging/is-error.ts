import { types } from 'node:util';

/** True for every error, also one that was made in another realm (a worker, a VM context). Never throws. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || types.isNativeError(value);
  } catch {
    // A revoked proxy refuses every question.
    return false;
  }
}
