import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName } from '@keelson/cel/internal';
import { type FieldPath, indexPath, invalid, type JsonObject } from '@keelson/structural-schema';
import { objectAt, textsAt } from '../../json/json-members.ts';

/**
 * Validates a Namespace except its metadata. Only a write of `/finalize` changes the finalizers of a stored one, and names
 * the index of an invalid one.
 */
export function validateNamespace(
  namespace: JsonObject,
  old: JsonObject | undefined,
): StatusCause[] {
  const path = 'spec.finalizers';
  const finalizers = textsAt(objectAt(namespace, 'spec'), 'finalizers');
  return [
    ...validatePhase(namespace),
    ...finalizers.flatMap((name, index) =>
      validateFinalizer(name, old === undefined ? path : indexPath(path, index)),
    ),
  ];
}

function validatePhase(namespace: JsonObject): StatusCause[] {
  const { phase } = objectAt(namespace, 'status');
  const isDeleting = objectAt(namespace, 'metadata').deletionTimestamp !== undefined;
  if (phase === undefined || phase === 'Active' || isDeleting) return [];
  const detail = "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalid('status.Phase', phase, detail)];
}

function validateFinalizer(name: string, path: FieldPath): StatusCause[] {
  const isKnown = name === 'kubernetes' || name.includes('/');
  const unknown = 'name is neither a standard finalizer name nor is it fully qualified';
  return [...checkQualifiedName(name), ...(isKnown ? [] : [unknown])].map((detail) =>
    invalid(path, name, detail),
  );
}
