import { ClientError } from '../../errors.ts';

/**
 * The JSON text of a request body. Code `UNSUPPORTED_BODY` for an object that JSON cannot hold: a cycle, a bigint, a
 * getter that throws, or a `toJSON` that returns nothing.
 */
export function jsonOf(
  body: object,
  facts: { readonly method: string; readonly path: string },
): string {
  const text = textOf(body, facts);
  if (text === undefined) throw unsupported(facts, 'the object has no JSON form');
  return text;
}

function textOf(
  body: object,
  facts: { readonly method: string; readonly path: string },
): string | undefined {
  try {
    // A `toJSON` may return what JSON leaves out.
    return JSON.stringify(body);
  } catch (cause) {
    throw unsupported(facts, cause instanceof Error ? cause.message : 'it threw', cause);
  }
}

function unsupported(
  { method, path }: { readonly method: string; readonly path: string },
  reason: string,
  cause?: unknown,
): ClientError {
  return new ClientError('UNSUPPORTED_BODY', { method, path, reason }, { cause });
}
