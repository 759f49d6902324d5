import { describe, expect, test } from '@jest/globals';
import { causesOf, type Json } from '../../server/raw-client.test-support.ts';
import { clientOfRunningServer } from '../../server/running-server.test-support.ts';

const volumes = '/api/v1/persistentvolumes';
const claims = '/api/v1/namespaces/default/persistentvolumeclaims';

type Row = readonly [name: string, object: Json, causes: readonly string[]];

// Recorded from kube-apiserver 1.36.3. The chapter `volumes` of e2e/fidelity has the same requests.
const oddVolumes: readonly Row[] = [
  [
    'access modes',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['rw', 'ReadWriteOncePod', 'ReadOnlyMany'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/d' },
      },
    },
    [
      'spec.accessModes: Unsupported value: "rw": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    ],
  ],
  [
    'no access modes',
    {
      metadata: { name: 'odd' },
      spec: { accessModes: [], capacity: { storage: '1Gi' }, hostPath: { path: '/d' } },
    },
    ['spec.accessModes: Required value'],
  ],
  [
    'a negative capacity',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '-1500m' },
        hostPath: { path: '/d' },
      },
    },
    [
      'spec.capacity[storage]: Invalid value: -2: must be a valid resource quantity',
      'spec.capacity[storage]: Invalid value: "-1500m": must be greater than zero',
    ],
  ],
  [
    'no capacity',
    {
      metadata: { name: 'odd' },
      spec: { accessModes: ['ReadWriteOnce'], capacity: {}, hostPath: { path: '/d' } },
    },
    [
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: {}: supported values: "storage"',
    ],
  ],
  [
    'two capacities',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1', cpu: '0' },
        hostPath: { path: '/d' },
      },
    },
    [
      'spec.capacity: Unsupported value: {"cpu":"0","storage":"1"}: supported values: "storage"',
      'spec.capacity[cpu]: Invalid value: "0": must be greater than zero',
    ],
  ],
  [
    'class names',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/d' },
        storageClassName: 'Bad_Class',
        volumeMode: 'Tape',
        volumeAttributesClassName: 'B_',
        persistentVolumeReclaimPolicy: 'Keep',
      },
    },
    [
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "Keep": supported values: "Delete", "Recycle", "Retain"',
      "spec.storageClassName: Invalid value: \"Bad_Class\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
      "spec.volumeAttributesClassName: Invalid value: \"B_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.csi: Required value: has to be specified when using volumeAttributesClassName',
    ],
  ],
  [
    'empty names',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/d' },
        storageClassName: '',
        volumeMode: '',
        volumeAttributesClassName: '',
      },
    },
    [
      'spec.volumeMode: Unsupported value: "": supported values: "Block", "Filesystem"',
      'spec.volumeAttributesClassName: Required value: an empty string is disallowed',
      'spec.csi: Required value: has to be specified when using volumeAttributesClassName',
    ],
  ],
  [
    'no source',
    {
      metadata: { name: 'odd' },
      spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
    },
    ['spec: Required value: must specify a volume type'],
  ],
  [
    'two sources',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/d' },
        nfs: { path: 'x' },
        cephfs: { monitors: [] },
        flexVolume: {},
      },
    },
    [
      'spec.nfs: Forbidden: may not specify more than 1 volume type',
      'spec.cephFS: Forbidden: may not specify more than 1 volume type',
      'spec.flexVolume.driver: Required value',
    ],
  ],
  [
    'a recycled root',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '//' },
        persistentVolumeReclaimPolicy: 'Recycle',
      },
    },
    [
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ],
  ],
  [
    'a path upwards',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/a/../b', type: 'X' },
      },
    },
    [
      'spec.hostPath.path: Invalid value: "/a/../b": must not contain \'..\'',
      'spec.hostPath.type: Unsupported value: "X": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
  ],
  [
    'an affinity without terms',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/d' },
        nodeAffinity: {},
      },
    },
    ['spec.nodeAffinity.required: Required value: must specify required node constraints'],
  ],
  [
    'an invalid affinity',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/d' },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'Bad!', operator: 'Like', values: ['b!'] }] },
            ],
          },
        },
      },
    },
    [
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
      "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: \"Bad!\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: \"b!\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'local',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        local: { path: '/a/../b' },
      },
    },
    [
      'spec.local.path: Invalid value: "/a/../b": must not contain \'..\'',
      'spec.nodeAffinity: Required value: Local volume requires node affinity',
    ],
  ],
  [
    'local without a path',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        local: { path: '' },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
            ],
          },
        },
      },
    },
    ['spec.local.path: Required value'],
  ],
  [
    'nfs',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        nfs: { path: 'x', server: '' },
      },
    },
    [
      'spec.nfs.server: Required value',
      'spec.nfs.path: Invalid value: "x": must be an absolute path',
    ],
  ],
  [
    'csi',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        csi: {
          driver: 'Bad!',
          volumeHandle: '',
          controllerPublishSecretRef: {},
          controllerExpandSecretRef: { name: 'A_', namespace: 'a.b' },
          nodePublishSecretRef: { name: 'a' },
          nodeExpandSecretRef: { namespace: 'n' },
        },
      },
    },
    [
      "spec.csi.driver: Invalid value: \"Bad!\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.csi.volumeHandle: Required value',
      'spec.csi.controllerPublishSecretRef.name: Required value',
      'spec.csi.controllerPublishSecretRef.namespace: Required value',
      "spec.csi.controllerExpandSecretRef.name: Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.csi.controllerExpandSecretRef.namespace: Invalid value: "a.b": must not contain dots',
      'spec.csi.nodePublishSecretRef.namespace: Required value',
      'spec.csi.nodeExpandSecretRef.name: Required value',
    ],
  ],
  [
    'iscsi',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        iscsi: { targetPortal: '', iqn: 'x', lun: 256, chapAuthSession: true, initiatorName: '' },
      },
    },
    [
      'spec.iscsi.targetPortal: Required value',
      'spec.iscsi.iqn: Invalid value: "x": must be valid format',
      'spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      'spec.iscsi.secretRef: Required value',
      'spec.iscsi.initiatorname: Invalid value: "": must be valid format',
    ],
  ],
  [
    'iscsi with a secret',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        iscsi: {
          targetPortal: '1.2.3.4:3260-and-a-name-that-is-longer-than-sixty-four-characters-in-all',
          iqn: 'eui.x',
          lun: 0,
          secretRef: {},
          initiatorName: 'naa.1',
        },
      },
    },
    [
      'spec.iscsi.targetportal: Invalid value: "1.2.3.4:3260-and-a-name-that-is-longer-than-sixty-four-characters-in-all": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
      'spec.iscsi.iqn: Invalid value: "eui.x": must be valid format',
      'spec.iscsi.secretRef.name: Required value',
      'spec.iscsi.initiatorname: Invalid value: "naa.1": must be valid format',
    ],
  ],
  [
    'fc',
    {
      metadata: { name: 'odd' },
      spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, fc: {} },
    },
    ['spec.fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both'],
  ],
  [
    'fc with both',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        fc: { targetWWNs: ['a'], wwids: ['b'] },
      },
    },
    [
      'spec.fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously',
      'spec.fc.lun: Required value: lun is required if targetWWNs is specified',
    ],
  ],
  [
    'azureFile',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        azureFile: { secretName: '', shareName: '', secretNamespace: '' },
      },
    },
    [
      'spec.azureFile.secretName: Required value',
      'spec.azureFile.shareName: Required value',
      'spec.azureFile.secretNamespace: Required value',
    ],
  ],
  [
    'azureFile without a namespace',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        azureFile: { secretName: 's', shareName: 'x' },
      },
    },
    [],
  ],
  [
    'azureDisk',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        azureDisk: { diskName: '', diskURI: 'x', kind: '', cachingMode: 'Some' },
      },
    },
    [
      'spec.azureDisk.diskName: Required value',
      'spec.azureDisk.cachingMode: Unsupported value: "Some": supported values: "None", "ReadOnly", "ReadWrite"',
      'spec.azureDisk.kind: Unsupported value: "": supported values: "Dedicated", "Managed", "Shared"',
      'spec.azureDisk.diskURI: Unsupported value: "x": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
    ],
  ],
  [
    'a managed azureDisk',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        azureDisk: { diskName: 'd', diskURI: 'x', kind: 'Managed' },
      },
    },
    [
      'spec.azureDisk.diskURI: Unsupported value: "x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
    ],
  ],
  [
    'azureDisk with defaults',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        azureDisk: { diskName: 'd', diskURI: 'https://x' },
      },
    },
    [],
  ],
  [
    'rbd',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        rbd: { monitors: [], image: '' },
      },
    },
    ['spec.rbd.monitors: Required value', 'spec.rbd.image: Required value'],
  ],
  [
    'cephfs',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        cephfs: { monitors: [] },
      },
    },
    ['spec.cephfs.monitors: Required value'],
  ],
  [
    'scaleIO',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        scaleIO: { gateway: '', system: '', volumeName: '', secretRef: {} },
      },
    },
    [
      'spec.scaleIO.gateway: Required value',
      'spec.scaleIO.system: Required value',
      'spec.scaleIO.volumeName: Required value',
    ],
  ],
  [
    'storageos',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        storageos: { volumeName: 'a.b', volumeNamespace: 'foo/bar', secretRef: {} },
      },
    },
    [
      'spec.storageos.volumeName: Invalid value: "a.b": must not contain dots',
      'spec.storageos.volumeNamespace: Invalid value: "foo/bar": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
      'spec.storageos.secretRef.name: Required value',
      'spec.storageos.secretRef.namespace: Required value',
    ],
  ],
  [
    'glusterfs',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        glusterfs: { endpoints: '', path: '', endpointsNamespace: '' },
      },
    },
    [
      'spec.glusterfs.endpoints: Required value',
      'spec.glusterfs.path: Required value',
      'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
    ],
  ],
  [
    'glusterfs in a namespace',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: 'N_' },
      },
    },
    [
      'spec.glusterfs.endpointsNamespace: Invalid value: "N_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
    ],
  ],
  [
    'gcePersistentDisk',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        gcePersistentDisk: { pdName: '', partition: -1 },
      },
    },
    [
      'spec.persistentDisk.pdName: Required value',
      'spec.persistentDisk.partition: Invalid value: -1: must be between 1 and 255, inclusive',
    ],
  ],
  [
    'awsElasticBlockStore',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        awsElasticBlockStore: { volumeID: '', partition: 256 },
      },
    },
    [
      'spec.awsElasticBlockStore.volumeID: Required value',
      'spec.awsElasticBlockStore.partition: Invalid value: 256: must be between 1 and 255, inclusive',
    ],
  ],
  [
    'cinder',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        cinder: { volumeID: '', secretRef: {} },
      },
    },
    [
      'spec.cinder.volumeID: Required value',
      'spec.cinder.secretRef.name: Required value',
      'spec.cinder.secretRef.namespace: Required value',
    ],
  ],
  [
    'flocker',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        flocker: { datasetName: 'a/b', datasetUUID: 'u' },
      },
    },
    [
      'spec.flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
      'spec.flocker.datasetName: Invalid value: "a/b": must not contain \'/\'',
    ],
  ],
  [
    'quobyte',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        quobyte: { registry: 'x', volume: '' },
      },
    },
    [
      'spec.quobyte.registry: Invalid value: "x": must be a host:port pair or multiple pairs separated by commas',
      'spec.quobyte.volume: Required value',
    ],
  ],
  [
    'flexVolume',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        flexVolume: { driver: '', options: { 'a.kubernetes.io/b': 'c' } },
      },
    },
    [
      'spec.flexVolume.driver: Required value',
      'spec.flexVolume.options[a.kubernetes.io/b]: Invalid value: "a.kubernetes.io/b": kubernetes.io and k8s.io namespaces are reserved',
    ],
  ],
  [
    'vsphereVolume',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        vsphereVolume: { volumePath: '' },
      },
    },
    ['spec.vsphereVolume.volumePath: Required value'],
  ],
  [
    'photonPersistentDisk',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        photonPersistentDisk: { pdID: '' },
      },
    },
    ['spec.photonPersistentDisk.pdID: Required value'],
  ],
  [
    'portworxVolume',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        portworxVolume: { volumeID: '' },
      },
    },
    ['spec.portworxVolume.volumeID: Required value'],
  ],
  [
    'mount options in an annotation',
    {
      metadata: { name: 'odd', annotations: { 'volume.beta.kubernetes.io/mount-options': 'hard' } },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/d' },
      },
    },
    [
      'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type',
    ],
  ],
  [
    'deprecated parts',
    {
      metadata: {
        name: 'odd',
        annotations: {
          'volume.beta.kubernetes.io/mount-options': 'hard',
          'volume.beta.kubernetes.io/storage-class': 'b',
        },
      },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        rbd: { monitors: ['a'], image: 'i' },
        persistentVolumeReclaimPolicy: 'Recycle',
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'Exists' }] },
            ],
          },
        },
      },
    },
    [],
  ],
  [
    'deprecated cephfs',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        cephfs: { monitors: ['a'] },
      },
    },
    [],
  ],
  [
    'deprecated scaleIO',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        scaleIO: { gateway: 'g', system: 's', volumeName: 'v', secretRef: { name: 's' } },
      },
    },
    [],
  ],
  [
    'deprecated storageos',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        storageos: { volumeName: 'v' },
      },
    },
    [],
  ],
  [
    'deprecated glusterfs',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        glusterfs: { endpoints: 'e', path: 'p' },
      },
    },
    [],
  ],
  [
    'deprecated photonPersistentDisk',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        photonPersistentDisk: { pdID: 'p' },
      },
    },
    [],
  ],
];

const oddClaims: readonly Row[] = [
  [
    'a selector',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        selector: {
          matchLabels: { a: 'Bad!' },
          matchExpressions: [{ key: 'b', operator: 'Like', values: ['x'] }, { operator: 'In' }],
        },
      },
    },
    [
      "spec.selector.matchLabels: Invalid value: \"Bad!\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
      "spec.selector.matchExpressions[1].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector.matchExpressions[1].key: Invalid value: "": name part must be non-empty',
      "spec.selector.matchExpressions[1].key: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'access modes',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['rw', 'ReadWriteOncePod', 'ReadOnlyMany'],
        resources: { requests: { storage: '1Gi' } },
      },
    },
    [
      'spec.accessModes: Unsupported value: "rw": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    ],
  ],
  [
    'class names',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: 'Bad_Class',
        volumeMode: 'Tape',
        volumeAttributesClassName: 'B_',
      },
    },
    [
      "spec.storageClassName: Invalid value: \"Bad_Class\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
      "spec.volumeAttributesClassName: Invalid value: \"B_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'an empty mode',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeMode: '',
      },
    },
    ['spec.volumeMode: Unsupported value: "": supported values: "Block", "Filesystem"'],
  ],
  [
    'a source that is a snapshot',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
      },
    },
    [],
  ],
  [
    'a source that is a claim',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSourceRef: { kind: 'PersistentVolumeClaim', name: 's' },
      },
    },
    [],
  ],
  [
    'a source of another group',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSource: { apiGroup: 'x.io', kind: 'Populator', name: 's' },
      },
    },
    [],
  ],
  [
    'a source of another kind',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSource: { kind: 'Pod', name: 's' },
      },
    },
    [],
  ],
  [
    'a reference of another group',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSourceRef: { apiGroup: 'x.io', kind: 'Populator', name: 's' },
      },
    },
    [],
  ],
  [
    'a reference of another kind',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSourceRef: { kind: 'Pod', name: '' },
      },
    },
    [
      'spec.dataSource.name: Required value',
      'spec.dataSource: Invalid value: "Pod": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
      'spec.dataSourceRef.name: Required value',
      'spec.dataSourceRef: Invalid value: "Pod": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
    ],
  ],
  [
    'a reference in a namespace',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSourceRef: { kind: 'PersistentVolumeClaim', name: 's', namespace: 'n' },
      },
    },
    [],
  ],
  [
    'two sources',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSource: { kind: 'PersistentVolumeClaim', name: 'x' },
        dataSourceRef: { apiGroup: 'A_', kind: 'K', name: 'y' },
      },
    },
    [
      "spec.dataSourceRef.apiGroup: Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec: Invalid value: {}: must match dataSourceRef',
    ],
  ],
  [
    'an empty source',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSource: {},
      },
    },
    [],
  ],
  [
    'fractions',
    {
      metadata: { name: 'odd' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1500m' }, limits: { storage: '1500m' } },
      },
    },
    [],
  ],
];

const storedVolume: Json = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'stored' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    volumeMode: 'Filesystem',
    csi: { driver: 'csi.example.com', volumeHandle: 'h' },
    volumeAttributesClassName: 'gold',
    claimRef: { namespace: 'n', name: 'c' },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          {
            matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'In', values: ['linux'] }],
          },
        ],
      },
    },
  },
};

const volumeUpdates: readonly Row[] = [
  [
    'another source',
    { spec: { csi: { volumeHandle: 'other' } } },
    [
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    ],
  ],
  [
    'a second source',
    { spec: { nfs: { server: 's', path: '/p' } } },
    [
      'spec.csi: Forbidden: may not specify more than 1 volume type',
      'spec.csi: Forbidden: may not specify more than 1 volume type',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    ],
  ],
  [
    'a secret for expansions',
    { spec: { csi: { controllerExpandSecretRef: { name: 's', namespace: 'n' } } } },
    [],
  ],
  [
    'another secret',
    { spec: { csi: { nodeExpandSecretRef: { name: 's', namespace: 'n' } } } },
    [
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    ],
  ],
  [
    'another mode',
    { spec: { volumeMode: 'Block' } },
    ['volumeMode: Invalid value: "Block": field is immutable'],
  ],
  [
    'another affinity',
    {
      spec: {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
            ],
          },
        },
      },
    },
    [
      'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"zone","Operator":"In","Values":["a"]}],"MatchFields":null}]}}: field is immutable, except for updating from beta label to GA',
    ],
  ],
  [
    'no affinity',
    { spec: { nodeAffinity: null } },
    [
      'nodeAffinity: Invalid value: null: field is immutable, except for updating from beta label to GA',
    ],
  ],
  [
    'the label in its final form',
    {
      spec: {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              {
                matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
              },
            ],
          },
        },
      },
    },
    [],
  ],
  [
    'no class',
    { spec: { volumeAttributesClassName: null } },
    ['spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden'],
  ],
  ['another class', { spec: { volumeAttributesClassName: 'silver' } }, []],
  [
    'invalid parts',
    { spec: { storageClassName: 'B_', accessModes: ['x'], capacity: { storage: '0' } } },
    [
      'spec.accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
      "spec.storageClassName: Invalid value: \"B_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
      "spec.storageClassName: Invalid value: \"B_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  ['another claim', { spec: { claimRef: { name: 'd' } } }, []],
];

const storedClaim: Json = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'claim', annotations: { 'volume.beta.kubernetes.io/storage-class': 'slow' } },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    volumeName: 'v',
    dataSource: { kind: 'PersistentVolumeClaim', name: 's' },
  },
};

const claimUpdates: readonly Row[] = [
  [
    'another source',
    { spec: { dataSource: { name: 't' } } },
    [
      'spec: Invalid value: {}: must match dataSourceRef',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    ],
  ],
  ['no source', { spec: { dataSource: null } }, []],
  [
    'another annotation',
    { metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'fast' } } },
    [
      'metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: "fast": field is immutable',
    ],
  ],
  ['the class of the annotation', { spec: { storageClassName: 'slow' } }, []],
  [
    'another class',
    { spec: { storageClassName: 'fast' } },
    [
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    ],
  ],
  [
    'another mode',
    { spec: { volumeMode: 'Block' } },
    [
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      'volumeMode: Invalid value: "Block": field is immutable',
    ],
  ],
  ['a label', { metadata: { labels: { a: 'b' } } }, []],
  [
    'less storage',
    { spec: { resources: { requests: { storage: '1Mi' } } } },
    [
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    ],
  ],
];

describe('a PersistentVolume', () => {
  const client = clientOfRunningServer();

  test.each(oddVolumes)(
    'with %s has the causes of kube-apiserver',
    async (_name, object, causes) => {
      expect(short(causesOf(await client.post(`${volumes}?dryRun=All`, object)))).toEqual(causes);
    },
  );

  test.each(volumeUpdates)(
    'is updated with %s as in kube-apiserver',
    async (_name, patch, causes) => {
      await client.post(volumes, storedVolume);
      const response = await client.patch(`${volumes}/stored?dryRun=All`, 'merge', patch);
      expect(short(causesOf(response))).toEqual(causes);
    },
  );

  test('keeps the time of its last transition until its phase changes', async () => {
    await client.post(volumes, storedVolume);
    const { body } = await client.get(`${volumes}/stored`);
    const time = body.status.lastPhaseTransitionTime;
    const kept = await client.put(`${volumes}/stored/status?dryRun=All`, {
      ...body,
      status: { phase: 'Pending' },
    });
    expect(kept.body.status.lastPhaseTransitionTime).toBe(time);
    const own = '2001-02-03T04:05:06Z';
    const changed = await client.put(`${volumes}/stored/status?dryRun=All`, {
      ...body,
      status: { phase: 'Released', lastPhaseTransitionTime: own },
    });
    expect(changed.body.status.lastPhaseTransitionTime).toBe(own);
  });

  test('has a claim whose members each have their own managers', async () => {
    const volume = { ...storedVolume, metadata: { name: 'claimed' } };
    const { body } = await client.post(`${volumes}?dryRun=All`, volume);
    const fields = body.metadata.managedFields[0].fieldsV1['f:spec']['f:claimRef'];
    expect(fields).toEqual({ '.': {}, 'f:name': {}, 'f:namespace': {} });
  });
});

describe('a PersistentVolumeClaim', () => {
  const client = clientOfRunningServer();

  test.each(oddClaims)(
    'with %s has the causes of kube-apiserver',
    async (_name, object, causes) => {
      expect(short(causesOf(await client.post(`${claims}?dryRun=All`, object)))).toEqual(causes);
    },
  );

  test.each(claimUpdates)(
    'is updated with %s as in kube-apiserver',
    async (_name, patch, causes) => {
      await client.post(claims, storedClaim);
      const response = await client.patch(`${claims}/claim?dryRun=All`, 'merge', patch);
      expect(short(causesOf(response))).toEqual(causes);
    },
  );

  test.each([
    ['a snapshot', { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' }],
    ['a claim', { kind: 'PersistentVolumeClaim', name: 's' }],
  ])('has the source of its data in both members: %s', async (_name, source) => {
    for (const member of ['dataSource', 'dataSourceRef']) {
      const { body } = await client.post(`${claims}?dryRun=All`, claimWith({ [member]: source }));
      expect(body.spec.dataSource).toMatchObject(source);
      expect(body.spec.dataSourceRef).toMatchObject(source);
    }
  });

  test('drops a source of another kind, but not a reference to it', async () => {
    const source = { apiGroup: 'x.io', kind: 'Populator', name: 's' };
    const dropped = await client.post(`${claims}?dryRun=All`, claimWith({ dataSource: source }));
    expect(dropped.body.spec).not.toHaveProperty('dataSource');
    expect(dropped.body.spec).not.toHaveProperty('dataSourceRef');
    const kept = await client.post(`${claims}?dryRun=All`, claimWith({ dataSourceRef: source }));
    expect(kept.body.spec).toMatchObject({ dataSource: source, dataSourceRef: source });
  });
});

function claimWith(spec: Json): Json {
  const resources = { requests: { storage: '1Gi' } };
  return {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources, ...spec },
  };
}

/** Without the examples and the differences between internal structs. */
function short(causes: readonly string[]): string[] {
  return causes.map((cause) => cause.replace(/ \(e\.g\..*$/s, ''));
}
