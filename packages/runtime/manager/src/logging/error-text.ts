import { nodeUtil } from '../node-util.ts';
/** True for an error, including one of another realm (a worker, a VM context). Never throws. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || nodeUtil.types.isNativeError(value);
  } catch {
    // A revoked proxy throws on every access.
    return false;
  }
}

/**
 * The name, message and code of an error without its stack, or `undefined` for any other value. Never throws.
 * For a response of the API server or a broken connection, the stack shows only code of Keelson.
 */
export function briefError(error: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isError(error)) return undefined;
  try {
    const { name, message, cause } = error;
    const code = 'code' in error ? { code: error.code } : {};
    const reason = isError(cause) ? { cause: cause.message } : {};
    // Without a prototype, because pino writes the name of an error's constructor as its type.
    return { __proto__: null, name, message, ...code, ...reason };
  } catch {
    return { name: 'Error', message: '(cannot be read)' };
  }
}
