import { CreateError } from './errors.ts';

/** Describes an operation of the file system that failed. */
export function writeFailed(folder: string, cause: unknown): CreateError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CreateError('WRITE_FAILED', { folder, reason }, { cause });
}
