import { CodedError, type KubernetesObject } from '@keelson/apimachinery';
import { IntentError } from './errors.ts';
import type { IntentAccess } from './intent-place.ts';

/** An error that ends the retries of a reconcile. A manager recognizes a terminal error by its name and code. */
class TerminalCause extends CodedError<'TERMINAL'> {
  override readonly name: string = 'TerminalError';

  constructor() {
    const reason = 'the spec must become smaller, or its record needs another place';
    super('TERMINAL', 'the error is terminal and the reconcile is not retried', { reason });
  }
}

/**
 * Throws `INTENT_TOO_LARGE` if the size in bytes exceeds the limit of the place. Its cause is a `TERMINAL` error,
 * because a retry with the same spec would fail too.
 */
export function checkRecordSize<T extends KubernetesObject>(
  { resource, object }: IntentAccess<T>,
  { size, limit, place }: { readonly size: number; readonly limit: number; readonly place: string },
): void {
  if (size <= limit) return;
  const { namespace, name } = object.metadata;
  const facts = { kind: resource.kind, namespace, name, place };
  const cause = new TerminalCause();
  throw new IntentError('INTENT_TOO_LARGE', { ...facts, size, limit }, { cause });
}
