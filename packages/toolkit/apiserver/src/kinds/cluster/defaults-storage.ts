import { ensureObject } from '../../json/json-members.ts';
import { constants, type DefaultRules, fill } from '../../schema/default-rule.ts';

/** The defaults of volumes, claims and storage drivers. */
export const storageDefaults: DefaultRules = {
  'core.v1.PersistentVolumeClaimSpec': constants({ volumeMode: 'Filesystem' }),
  'core.v1.PersistentVolumeClaimStatus': constants({ phase: 'Pending' }),
  // A volume in a VolumeAttachment has the same spec and no defaults.
  'core.v1.PersistentVolume': (volume) => {
    fill(ensureObject(volume, 'spec'), {
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
    });
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
