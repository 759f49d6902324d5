import { StatusError } from '@keelson/apimachinery';

/** Returns the error of a response with a Status. */
export function statusError(code: number, reason: string, details: object = {}): StatusError {
  return new StatusError({ kind: 'Status', code, reason, message: reason, details });
}

/** Returns the error of a connection, such as `ECONNRESET`. */
export function connectionError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Returns the error of a list at a version that the server has not reached. */
export function tooLarge(): StatusError {
  return statusError(504, 'Timeout', { causes: [{ reason: 'ResourceVersionTooLarge' }] });
}
