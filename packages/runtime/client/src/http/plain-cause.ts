import { nodeUtil } from '../values/node-util.ts';
/** Members that describe a failed connection, and never contain data that was sent over it. */
const FACTS = ['code', 'errno', 'syscall', 'hostname', 'address', 'port', 'reason', 'library'];
/** The most nested causes that are copied. There are usually one or two; the limit also ends cycles. */
const MAX_CAUSE_DEPTH = 8;

/**
 * Copies a network error for use as a cause: its name, message, stack and the members in `FACTS`. Other
 * members are omitted, because they may hold bytes of a response (`data` of undici's HTTPParserError),
 * headers or certificates.
 */
export function plainCause(error: unknown, depth: number = 0): Error | undefined {
  if (!nodeUtil.types.isNativeError(error) || depth > MAX_CAUSE_DEPTH) return undefined;
  const cause = plainCause(error.cause, depth + 1);
  const options = cause === undefined ? {} : { cause };
  const copy = copyOf(error, depth, options);
  // Both are own members that are not enumerable, as in the original.
  for (const name of ['name', 'stack'] as const) {
    Object.defineProperty(copy, name, { value: error[name], configurable: true, writable: true });
  }
  for (const name of FACTS) {
    const value: unknown = Reflect.get(error, name);
    if (typeof value === 'string' || typeof value === 'number') Reflect.set(copy, name, value);
  }
  return copy;
}

function copyOf(error: Error, depth: number, options: ErrorOptions): Error {
  const errors = causesOf(error);
  if (errors === undefined) return new Error(error.message, options);
  const copies = errors.map((each) => plainCause(each, depth + 1));
  return new AggregateError(copies, error.message, options);
}

/**
 * Returns the errors that an `AggregateError` contains, or `undefined` for any other error. A host with several
 * addresses fails with one error per address.
 */
export function causesOf(error: Error): readonly unknown[] | undefined {
  const errors: unknown = Reflect.get(error, 'errors');
  return Array.isArray(errors) ? errors : undefined;
}
