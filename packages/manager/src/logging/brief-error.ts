import { isError } from './is-error.ts';
import type { LogFacts } from './logger.ts';

/**
 * The name, message and code of an error, without its stack: for a response of the API server or a
 * broken connection, the stack shows only code of Keelson. Never throws.
 */
export function briefly(error: unknown): LogFacts | undefined {
  if (!isError(error)) return undefined;
  try {
    const { name, message, cause } = error;
    const code = 'code' in error ? { code: error.code } : {};
    const reason = isError(cause) ? { cause: cause.message } : {};
    // Without a prototype: pino writes the name of an error's constructor as its type.
    return { __proto__: null, name, message, ...code, ...reason };
  } catch {
    return { name: 'Error', message: '(cannot be read)' };
  }
}
