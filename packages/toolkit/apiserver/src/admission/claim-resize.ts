import { objectAt, textAt } from '../json/json-members.ts';
import { compareQuantities } from '@keelson/cel/internal';
import { asJson, type JsonObject } from '@keelson/structural-schema';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';
import { type AdmissionPlugin, refused, writes } from './admission-plugin.ts';

/** Rejects the expansion of a claim that is not bound, or whose StorageClass does not allow expansion. */
export function persistentVolumeClaimResize(classes: ResourceStore): AdmissionPlugin {
  return {
    validate(request) {
      const { object, old } = request;
      if (old === undefined || !writes(request, '', 'persistentvolumeclaims')) return;
      if (compareQuantities(sizeOf(object), sizeOf(old)) <= 0) return;
      if (textAt(objectAt(asJson(old), 'status'), 'phase') !== 'Bound') {
        throw refused(request, 'Only bound persistent volume claims can be expanded');
      }
      if (classOf(object) === classOf(old) && allowsExpansion(classes, classOf(object))) return;
      throw refused(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    },
  };
}

function specOf(claim: ApiObject): JsonObject {
  return objectAt(asJson(claim), 'spec');
}

function sizeOf(claim: ApiObject): string {
  return textAt(objectAt(objectAt(specOf(claim), 'resources'), 'requests'), 'storage');
}

function classOf(claim: ApiObject): string {
  const former = claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
  return former ?? textAt(specOf(claim), 'storageClassName');
}

function allowsExpansion(classes: ResourceStore, name: string): boolean {
  return classes.get(keyOfMetadata({ name }))?.parse()['allowVolumeExpansion'] === true;
}
