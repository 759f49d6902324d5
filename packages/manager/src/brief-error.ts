import { isError } from './is-error.ts';
import type { LogFacts } from './logger.ts';

/**
 * What an error says, without its stack: of an answer of the API server, or of a connection that
 * broke, the stack shows nothing but our own code.
 */
export function briefly(error: unknown): LogFacts | undefined {
  if (!isError(error)) return undefined;
  const { name, message, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  return { name, message, ...code, ...(isError(cause) ? { cause: cause.message } : {}) };
}
