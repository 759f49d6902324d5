import { namespaceNotFound } from '../dynamic/request-selectors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { ResourceStore } from '../../storage/resource-store.ts';
import { keyOfMetadata } from '../../storage/stored-object.ts';
import type { AdmissionAttributes } from '../dynamic/admission-attributes.ts';

/**
 * Returns the value of `namespaceObject`: the namespace of the object, without the fields that expressions cannot read;
 * `null` for a cluster-scoped object. Throws 404 if the namespace does not exist.
 */
export function namespaceObjectOf(
  { namespace, resource }: AdmissionAttributes,
  namespaces: ResourceStore,
): ApiObject | null {
  if (namespace === '' || resource.id === 'v1/namespaces') return null;
  const stored = namespaces.get(keyOfMetadata({ name: namespace }));
  if (stored === undefined) throw namespaceNotFound(namespace);
  const object = stored.parse();
  const { managedFields: _managedFields, ownerReferences: _owners, ...metadata } = object.metadata;
  return { ...object, metadata };
}
