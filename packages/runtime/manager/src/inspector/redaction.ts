import type { DeepReadonly, KubernetesObject } from '@keelson/apimachinery';

/** The members of a Secret whose values are secret. */
const secretMembers = ['data', 'stringData'] as const;
/** An annotation with a copy of the whole object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const REDACTED = 'redacted';

/**
 * Returns an object for people: without managed fields and the copy of it in an annotation of kubectl, and a Secret
 * without its values. A Secret is recognized by its own kind, and by that of the watch that read it.
 */
export function redacted(
  object: DeepReadonly<KubernetesObject>,
  kind: string,
): Record<string, unknown> {
  const { metadata = {}, ...members } = object as Record<string, unknown> & {
    metadata?: Record<string, unknown>;
  };
  const { managedFields: _, ...shown } = metadata;
  const result: Record<string, unknown> = { ...members, metadata: withoutCopy(shown) };
  if (kind !== 'Secret' && object.kind !== 'Secret') return result;
  for (const member of secretMembers) {
    const values = result[member];
    if (values !== undefined) result[member] = redactedValues(values);
  }
  return result;
}

function withoutCopy(metadata: Record<string, unknown>): Record<string, unknown> {
  const annotations = metadata['annotations'];
  if (typeof annotations !== 'object' || annotations === null) return metadata;
  const kept = Object.entries(annotations).filter(([name]) => name !== LAST_APPLIED);
  return { ...metadata, annotations: Object.fromEntries(kept) };
}

function redactedValues(values: unknown): unknown {
  if (typeof values !== 'object' || values === null) return REDACTED;
  return Object.fromEntries(Object.keys(values).map((key) => [key, REDACTED]));
}
