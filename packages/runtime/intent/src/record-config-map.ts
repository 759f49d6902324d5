import {
  apiVersionOf,
  builtin,
  ownerReferenceTo,
  type KubernetesObject,
  type ObjectName,
} from '@keelson/apimachinery';
import type { IntentAccess } from './intent-place.ts';

/** The key of the record in the `data` of its ConfigMap. */
export const RECORD_KEY = 'record';

/** Derives the name of a ConfigMap from the uid of its object, so that a new object of the same name has its own. */
export function recordName<T extends KubernetesObject>(
  { object: { metadata } }: IntentAccess<T>,
  namespace: string | undefined,
): { namespace: string; name: string } {
  return {
    namespace: metadata.namespace ?? namespace ?? '',
    name: `last-applied-${metadata.uid}`,
  };
}

/**
 * Stores a record in a ConfigMap that the garbage collector deletes with the object. Uses server-side apply: an equal
 * record changes nothing, and managedFields name the controller.
 */
export async function applyRecord<T extends KubernetesObject>(
  { client, resource, object, signal }: IntentAccess<T>,
  name: ObjectName,
  { text, labels = {} }: { readonly text: string; readonly labels?: Record<string, string> },
): Promise<void> {
  const owner = ownerReferenceTo({
    ...object,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
  });
  const metadata = { ...name, labels, ownerReferences: [owner] };
  await client.apply(builtin.ConfigMap, { metadata, data: { [RECORD_KEY]: text } }, { signal });
}
