import { types } from 'node:util';

/** What says why a connection failed, and holds nothing that was sent on it. */
const FACTS = ['code', 'errno', 'syscall', 'hostname', 'address', 'port', 'reason', 'library'];
/** Causes are nested one or two levels deep; a cycle ends here too. */
const DEEPEST_CAUSE = 8;

/**
 * An error of the network as the cause of another: its name, message, stack and facts. Other members are left
 * out, because they hold bytes of a response (`data` of undici's HTTPParserError), headers or certificates.
 */
export function plainCause(error: unknown, depth: number = 0): Error | undefined {
  if (!types.isNativeError(error) || depth > DEEPEST_CAUSE) return undefined;
  const cause = plainCause(error.cause, depth + 1);
  const options = cause === undefined ? {} : { cause };
  const copy = copyOf(error, depth, options);
  // Where the original has them: on the error itself, not enumerable.
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
  // A host with several addresses fails with one error per address.
  const errors: unknown = Reflect.get(error, 'errors');
  if (!Array.isArray(errors)) return new Error(error.message, options);
  const copies = errors.map((each) => plainCause(each, depth + 1));
  return new AggregateError(copies, error.message, options);
}
