import { types } from 'node:util';

/** True for every error, also one that was made in another realm (a worker, a VM context). */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}
