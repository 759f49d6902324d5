import { type JsonObject, keyPath } from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { fractions, nodeLabels } from '../pods/warnings-pod.ts';
import { classAnnotation } from './claim-change.ts';

/** Former annotations, each with the member of the spec that replaces it. */
const annotations: Readonly<Record<string, string>> = {
  [classAnnotation]: 'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options':
    'deprecated since v1.31; use "mountOptions" attribute instead',
};

const sources: Readonly<Record<string, string>> = {
  cephfs: 'spec.cephfs: deprecated in v1.28, non-functional in v1.31+',
  photonPersistentDisk: 'spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
  scaleIO: 'spec.scaleIO: deprecated in v1.16, non-functional in v1.22+',
  storageos: 'spec.storageOS: deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'spec.glusterfs: deprecated in v1.25, non-functional in v1.26+',
  rbd: 'spec.rbd: deprecated in v1.28, non-functional in v1.31+',
};

/** The warnings for a write of a PersistentVolume. */
export function volumeWarnings(volume: JsonObject): string[] {
  const spec = objectAt(volume, 'spec');
  const recycling =
    'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
  return [
    ...annotationWarnings(volume, Object.keys(annotations)),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle' ? [recycling] : []),
    ...labelWarnings(objectAt(objectAt(spec, 'nodeAffinity'), 'required')),
    ...Object.entries(sources).flatMap(([name, text]) => (spec[name] === undefined ? [] : [text])),
  ];
}

function labelWarnings(selector: JsonObject): string[] {
  return objectsAt(selector, 'nodeSelectorTerms').flatMap((term, index) =>
    objectsAt(term, 'matchExpressions').flatMap((requirement, position) => {
      const key = textAt(requirement, 'key');
      const text = nodeLabels.get(key);
      if (text === undefined) return [];
      const place = `spec.nodeAffinity.required.nodeSelectorTerms[${index}].matchExpressions[${position}].key`;
      return [`${place}: ${key} is ${text}`];
    }),
  );
}

/** The warnings for a write of a PersistentVolumeClaim. */
export function claimWarnings(claim: JsonObject): string[] {
  const { requests, limits } = objectAt(objectAt(claim, 'spec'), 'resources');
  return [
    ...annotationWarnings(claim, [classAnnotation]),
    ...fractions((requests ?? {}) as JsonObject, 'spec.resources.requests', ['storage']),
    ...fractions((limits ?? {}) as JsonObject, 'spec.resources.limits', ['storage']),
  ];
}

function annotationWarnings(object: JsonObject, names: readonly string[]): string[] {
  const found = objectAt(objectAt(object, 'metadata'), 'annotations');
  return names
    .filter((name) => found[name] !== undefined)
    .map((name) => `${keyPath('metadata.annotations', name)}: ${annotations[name]}`);
}
