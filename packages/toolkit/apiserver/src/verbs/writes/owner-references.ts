import { asJson, jsonEquals } from '@keelson/structural-schema';
import type { ApiObject } from '../../storage/api-object.ts';

/**
 * Removes the repeated owner references of an object, with a warning. References are equal if all their fields are. `step` is
 * `body` for the body of a create or update, and `admission` for the result of a patch or of admission.
 */
export function removeRepeatedOwners(
  { metadata }: ApiObject,
  warnings: string[],
  step: 'body' | 'admission',
): void {
  const { ownerReferences = [] } = metadata;
  if (ownerReferences.length < 2) return;
  const kept: typeof ownerReferences = [];
  const repeated: string[] = [];
  for (const reference of ownerReferences) {
    if (kept.some((other) => areEqual(reference, other))) repeated.push(reference.uid ?? '');
    else kept.push(reference);
  }
  if (repeated.length === 0) return;
  metadata.ownerReferences = kept;
  const when = step === 'body' ? '' : ' after mutating admission happens';
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
}

function areEqual(one: object, other: object): boolean {
  return jsonEquals(asJson(one), asJson(other));
}
