import { ClientError } from '../../errors.ts';

/**
 * Returns the JSON text of a request body. Throws `UNSUPPORTED_BODY` for an object that JSON cannot
 * represent: a cycle, a bigint, a getter that throws, or a `toJSON` that returns `undefined`.
 */
export function jsonOf(
  body: object,
  facts: { readonly method: string; readonly path: string },
): string {
  let text: string | undefined;
  try {
    // The result is `undefined` if a `toJSON` returns a value that JSON omits.
    text = JSON.stringify(body);
  } catch (cause) {
    throw unsupported(facts, cause instanceof Error ? cause.message : 'it threw', cause);
  }
  if (text === undefined) throw unsupported(facts, 'the object has no JSON form');
  return text;
}

function unsupported(
  { method, path }: { readonly method: string; readonly path: string },
  reason: string,
  cause?: unknown,
): ClientError {
  return new ClientError('UNSUPPORTED_BODY', { method, path, reason }, { cause });
}
