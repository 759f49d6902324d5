import { ensureObject } from '../../json/json-members.ts';
import {
  constants,
  constantsIfMissing,
  type DefaultRules,
  fill,
  fillMissing,
} from '../../schema/default-rule.ts';

/** The defaults of volumes, claims and storage drivers. */
export const storageDefaults: DefaultRules = {
  'core.v1.PersistentVolumeClaimSpec': constantsIfMissing({ volumeMode: 'Filesystem' }),
  'core.v1.PersistentVolumeClaimStatus': constants({ phase: 'Pending' }),
  // A volume in a VolumeAttachment has the same spec and no defaults.
  'core.v1.PersistentVolume': (volume) => {
    const spec = ensureObject(volume, 'spec');
    fill(spec, { persistentVolumeReclaimPolicy: 'Retain' });
    fillMissing(spec, { volumeMode: 'Filesystem' });
  },
  'core.v1.PersistentVolumeStatus': constants({ phase: 'Pending' }),
  'storage.v1.StorageClass': constants({
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  }),
  'storage.v1.CSIDriverSpec': constants({
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  }),
};
