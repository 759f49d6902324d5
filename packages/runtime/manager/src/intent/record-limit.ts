import type { KubernetesObject } from '@keelson/apimachinery';
import { ManagerError } from '../errors.ts';
import { TerminalError } from '../reconcile/terminal-error.ts';
import type { IntentAccess } from './intent-place.ts';

/**
 * Throws `INTENT_TOO_LARGE` if the size in bytes exceeds the limit of the place. The error has a `TerminalError` as its
 * cause, because only another spec has another size.
 */
export function checkRecordSize<T extends KubernetesObject>(
  { resource, object }: IntentAccess<T>,
  { size, limit, place }: { readonly size: number; readonly limit: number; readonly place: string },
): void {
  if (size <= limit) return;
  const { namespace, name } = object.metadata;
  const facts = { kind: resource.kind, namespace, name, place };
  const cause = new TerminalError(
    'the spec must become smaller, or its record needs another place',
  );
  throw new ManagerError('INTENT_TOO_LARGE', { ...facts, size, limit }, { cause });
}
