import { ApiServerError } from '../status-errors/api-server-error.ts';

/** The error of an invalid line of a snapshot. */
export function invalidSnapshot(line: number, reason: string, cause?: unknown): ApiServerError {
  return new ApiServerError('SNAPSHOT_INVALID', { line, reason }, { cause });
}
