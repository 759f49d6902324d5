import { describe, expect, test } from '@jest/globals';
import { causesOf } from '../server/raw-client.test-support.ts';
import { clientOfRunningServer } from '../server/running-server.test-support.ts';

type Row = readonly [name: string, path: string, body: object, causes: readonly string[]];

// The causes of kube-apiserver 1.36.3, without the examples in parentheses. The conversation of e2e/fidelity has more of them.
const rows: readonly Row[] = [
  [
    'a priority with an unknown policy',
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    { metadata: { name: 'odd' }, value: 1, preemptionPolicy: 'Nope' },
    [
      'preemptionPolicy: Unsupported value: "Nope": supported values: "PreemptLowerPriority", "Never"',
    ],
  ],
  [
    'a priority with an empty policy',
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    { metadata: { name: 'odd' }, value: 1, preemptionPolicy: '' },
    ['preemptionPolicy: Required value'],
  ],
  [
    'a priority with no policy',
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    { metadata: { name: 'odd' }, value: 1 },
    [],
  ],
  [
    'a range of limits with a resource of claims',
    '/api/v1/namespaces/default/limitranges',
    { metadata: { name: 'odd' }, spec: { limits: [{ type: 'Container', max: { storage: '1' } }] } },
    [
      'spec.limits[0].max[storage]: Invalid value: "storage": must be a standard resource for containers',
      'spec.limits[0].default[storage]: Invalid value: "storage": must be a standard resource for containers',
      'spec.limits[0].defaultRequest[storage]: Invalid value: "storage": must be a standard resource for containers',
    ],
  ],
  [
    'a range of limits with odd resources',
    '/api/v1/namespaces/default/limitranges',
    {
      metadata: { name: 'odd' },
      spec: {
        limits: [
          { type: 'Container', min: { 'a b': '1', x: '1', 'a.b/c': '1', 'kubernetes.io/x': '1' } },
          { type: 'Pod', max: { storage: '1', 'requests.a.b/c': '1' } },
          { type: 'PersistentVolumeClaim', max: { storage: '1', x: '1' } },
          { type: 'a.b/c', max: { x: '1', storage: '1' } },
        ],
      },
    },
    [
      "spec.limits[0].min[a b]: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.limits[0].min[a b]: Invalid value: "a b": must be a standard resource for containers',
      'spec.limits[0].min[x]: Invalid value: "x": must be a standard resource type or fully qualified',
      'spec.limits[0].min[x]: Invalid value: "x": must be a standard resource for containers',
      "spec.limits[0].defaultRequest[a b]: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.limits[0].defaultRequest[a b]: Invalid value: "a b": must be a standard resource for containers',
      'spec.limits[0].defaultRequest[x]: Invalid value: "x": must be a standard resource type or fully qualified',
      'spec.limits[0].defaultRequest[x]: Invalid value: "x": must be a standard resource for containers',
      'spec.limits[1].max[requests.a.b/c]: Invalid value: "requests.a.b/c": doesn\'t follow extended resource name standard',
      'spec.limits[1].max[storage]: Invalid value: "storage": must be a standard resource for containers',
      'spec.limits[2].max[x]: Invalid value: "x": must be a standard resource type or fully qualified',
      'spec.limits[3].max[x]: Invalid value: "x": must be a standard resource type or fully qualified',
    ],
  ],
  [
    'a range of limits with defaults of a pod',
    '/api/v1/namespaces/default/limitranges',
    {
      metadata: { name: 'odd' },
      spec: { limits: [{ type: 'Pod', default: { x: '1' }, defaultRequest: { cpu: '1' } }] },
    },
    [
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'",
    ],
  ],
  [
    'a range of limits with a default unlike its request',
    '/api/v1/namespaces/default/limitranges',
    {
      metadata: { name: 'odd' },
      spec: {
        limits: [
          {
            type: 'Container',
            default: { 'a.b/c': '2', 'hugepages-2Mi': '4Mi' },
            defaultRequest: { 'a.b/c': '1', 'hugepages-2Mi': '2Mi' },
          },
        ],
      },
    },
    [
      'spec.limits[0].defaultRequest[a.b/c]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in a.b/c',
      'spec.limits[0].defaultRequest[hugepages-2Mi]: Invalid value: "2Mi": default value 4Mi must equal to defaultRequest value 2Mi in hugepages-2Mi',
    ],
  ],
  [
    'a range of limits with no type',
    '/api/v1/namespaces/default/limitranges',
    { metadata: { name: 'odd' }, spec: { limits: [{}] } },
    [
      'spec.limits[0].type: Invalid value: "": name part must be non-empty',
      "spec.limits[0].type: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'a node with an odd range of pods',
    '/api/v1/nodes',
    { metadata: { name: 'odd' }, spec: { podCIDR: 'nonsense' } },
    ['spec.podCIDRs[0]: Invalid value: "nonsense": must be a valid CIDR value,'],
  ],
  [
    'a node with two ranges of one family',
    '/api/v1/nodes',
    { metadata: { name: 'odd' }, spec: { podCIDRs: ['10.1.0.0/24', '10.2.0.0/24'] } },
    [
      'spec.podCIDRs: Invalid value: ["10.1.0.0/24","10.2.0.0/24"]: may specify no more than one CIDR for each IP family',
    ],
  ],
  [
    'a node with ranges of both families',
    '/api/v1/nodes',
    { metadata: { name: 'odd' }, spec: { podCIDRs: ['10.1.0.0/24', 'fd00::/64'] } },
    [],
  ],
  [
    'a node with three ranges',
    '/api/v1/nodes',
    { metadata: { name: 'odd' }, spec: { podCIDRs: ['10.1.0.0/24', 'fd00::/64', 'x'] } },
    [
      'spec.podCIDRs[2]: Invalid value: "x": must be a valid CIDR value,',
      'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[2]: <nil> (invalid CIDR address: x)',
      'spec.podCIDRs: Invalid value: ["10.1.0.0/24","fd00::/64","x"]: may specify no more than one CIDR for each IP family',
    ],
  ],
  [
    'a node with different ranges',
    '/api/v1/nodes',
    { metadata: { name: 'odd' }, spec: { podCIDR: '10.9.0.0/24', podCIDRs: ['10.1.0.0/24'] } },
    [],
  ],
  [
    'a node with a taint twice',
    '/api/v1/nodes',
    {
      metadata: { name: 'odd' },
      spec: {
        taints: [
          { key: 'k', effect: 'NoSchedule' },
          { key: 'k', value: 'v', effect: 'NoSchedule' },
          { key: 'k', effect: 'NoExecute' },
        ],
      },
    },
    [
      'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"v","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
    ],
  ],
  [
    'a node with odd taints',
    '/api/v1/nodes',
    {
      metadata: { name: 'odd' },
      spec: { taints: [{ key: 'a b', value: 'c d', effect: 'Nope' }, {}] },
    },
    [
      "metadata.taints[0].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      "metadata.taints[0].value: Invalid value: \"c d\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'metadata.taints[0].effect: Unsupported value: "Nope": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'metadata.taints[1].key: Invalid value: "": name part must be non-empty',
      "metadata.taints[1].key: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'metadata.taints[1].effect: Required value',
    ],
  ],
  [
    'a node with a configuration',
    '/api/v1/nodes',
    {
      metadata: { name: 'odd' },
      spec: { configSource: { configMap: { name: 'a', namespace: 'b', kubeletConfigKey: 'c' } } },
    },
    [],
  ],
  [
    'a node with an odd configuration',
    '/api/v1/nodes',
    { metadata: { name: 'odd' }, spec: { configSource: { configMap: {} } } },
    [],
  ],
  [
    'a node with an external id',
    '/api/v1/nodes',
    { metadata: { name: 'odd' }, spec: { externalID: 'x' } },
    [],
  ],
  [
    'a node with odd features',
    '/api/v1/nodes',
    { metadata: { name: 'odd' }, status: { declaredFeatures: ['B', 'A', 'A', 'x y'] } },
    [
      'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically',
      'status.declaredFeatures[2]: Duplicate value: "A"',
      'status.declaredFeatures[3]: Invalid value: "x y": invalid feature name "x y": must start with an UpperCamelCase segment, with subsequent segments separated by \'/\'',
    ],
  ],
  [
    'a node with negative resources',
    '/api/v1/nodes',
    { metadata: { name: 'odd' }, status: { capacity: { cpu: '-1' } } },
    [
      'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
      'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [
    'a role with an unknown operator',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    {
      metadata: { name: 'odd' },
      aggregationRule: {
        clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Like' }] }],
      },
      rules: [],
    },
    [
      'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
    ],
  ],
  [
    'a role with an odd label',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    {
      metadata: { name: 'odd' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b c' } }] },
      rules: [],
    },
    [
      "aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
    ],
  ],
  [
    'a role with no selector',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    { metadata: { name: 'odd' }, aggregationRule: {} },
    [
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
  ],
  [
    'a role with an empty selector',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    { metadata: { name: 'odd' }, aggregationRule: { clusterRoleSelectors: [{}] }, rules: [] },
    [],
  ],
  [
    'a role with an expression without members',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    {
      metadata: { name: 'odd' },
      aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{}] }] },
      rules: [],
    },
    [
      'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "": not a valid selector operator',
      'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].key: Invalid value: "": name part must be non-empty',
      "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].key: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
    ],
  ],
  [
    'a binding with an odd ServiceAccount',
    '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    {
      metadata: { name: 'odd' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
      subjects: [{ kind: 'ServiceAccount', name: 'Bad_Name', namespace: 'n' }],
    },
    [
      "subjects[0].name: Invalid value: \"Bad_Name\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'a binding with a slash in its role',
    '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    {
      metadata: { name: 'odd' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'a/b' },
      subjects: [],
    },
    ['roleRef.name: Invalid value: "a/b": may not contain \'/\''],
  ],
  [
    'a binding with dots for its role',
    '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    {
      metadata: { name: 'odd' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: '..' },
      subjects: [],
    },
    ['roleRef.name: Invalid value: "..": may not be \'..\''],
  ],
  [
    'a binding with an empty subject',
    '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    {
      metadata: { name: 'odd' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
      subjects: [{}],
    },
    [
      'subjects[0].name: Required value',
      'subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"',
    ],
  ],
  [
    'a cluster binding with an odd ServiceAccount',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    {
      metadata: { name: 'odd' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
      subjects: [{ kind: 'ServiceAccount', name: 'Bad_Name', namespace: 'n' }],
    },
    [
      "subjects[0].name: Invalid value: \"Bad_Name\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'a cluster binding with a slash in its role',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    {
      metadata: { name: 'odd' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'a/b' },
      subjects: [],
    },
    ['roleRef.name: Invalid value: "a/b": may not contain \'/\''],
  ],
  [
    'a cluster binding with dots for its role',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    {
      metadata: { name: 'odd' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: '..' },
      subjects: [],
    },
    ['roleRef.name: Invalid value: "..": may not be \'..\''],
  ],
  [
    'a cluster binding with an empty subject',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    {
      metadata: { name: 'odd' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
      subjects: [{}],
    },
    [
      'subjects[0].name: Required value',
      'subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"',
    ],
  ],
  [
    'an attachment with odd names',
    '/apis/storage.k8s.io/v1/volumeattachments',
    {
      metadata: { name: 'odd' },
      spec: { attacher: 'Bad!', nodeName: 'A b', source: { persistentVolumeName: 'c d' } },
    },
    [
      "spec.attacher: Invalid value: \"Bad!\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      "spec.nodeName: Invalid value: \"A b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      "spec.source.persistentVolumeName: Invalid value: \"c d\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'an attachment with no source',
    '/apis/storage.k8s.io/v1/volumeattachments',
    { metadata: { name: 'odd' }, spec: { attacher: 'a', nodeName: 'n', source: {} } },
    [
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
    ],
  ],
  [
    'an attachment with an empty source',
    '/apis/storage.k8s.io/v1/volumeattachments',
    {
      metadata: { name: 'odd' },
      spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: '' } },
    },
    [
      'spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName',
      "spec.source.persistentVolumeName: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'an attachment with two sources',
    '/apis/storage.k8s.io/v1/volumeattachments',
    {
      metadata: { name: 'odd' },
      spec: {
        attacher: 'a',
        nodeName: 'n',
        source: { persistentVolumeName: 'p', inlineVolumeSpec: {} },
      },
    },
    [
      'spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
    ],
  ],
  [
    'an attachment with an inline volume',
    '/apis/storage.k8s.io/v1/volumeattachments',
    {
      metadata: { name: 'odd' },
      spec: {
        attacher: 'a.b',
        nodeName: 'n',
        source: {
          inlineVolumeSpec: {
            accessModes: ['ReadWriteOnce'],
            csi: { driver: 'a.b', volumeHandle: 'h' },
          },
        },
      },
    },
    [],
  ],
  [
    'an attachment with an inline volume with a capacity',
    '/apis/storage.k8s.io/v1/volumeattachments',
    {
      metadata: { name: 'odd' },
      spec: {
        attacher: 'a.b',
        nodeName: 'n',
        source: {
          inlineVolumeSpec: {
            accessModes: ['ReadWriteOnce'],
            csi: { driver: 'a.b', volumeHandle: 'h' },
            capacity: { storage: '1' },
          },
        },
      },
    },
    [
      'spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes',
    ],
  ],
  [
    'an attachment with an inline volume with parts of a stored one',
    '/apis/storage.k8s.io/v1/volumeattachments',
    {
      metadata: { name: 'odd' },
      spec: {
        attacher: 'a.b',
        nodeName: 'n',
        source: {
          inlineVolumeSpec: {
            accessModes: ['ReadWriteOnce'],
            csi: { driver: 'a.b', volumeHandle: 'h' },
            storageClassName: 's',
            claimRef: { name: 'c' },
            persistentVolumeReclaimPolicy: 'Delete',
            volumeMode: 'Block',
            nodeAffinity: {},
          },
        },
      },
    },
    [
      'spec.source.inlineVolumeSpec.claimRef: Forbidden: may not be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes',
      'spec.source.inlineVolumeSpec.nodeAffinity: Forbidden: may not be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes',
    ],
  ],
  [
    'an attachment with an empty inline volume',
    '/apis/storage.k8s.io/v1/volumeattachments',
    {
      metadata: { name: 'odd' },
      spec: { attacher: 'a', nodeName: 'n', source: { inlineVolumeSpec: {} } },
    },
    [
      'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.accessModes: Required value',
      'spec.source.inlineVolumeSpec: Required value: must specify a volume type',
    ],
  ],
  [
    'an attachment with odd secrets',
    '/apis/storage.k8s.io/v1/volumeattachments',
    {
      metadata: { name: 'odd' },
      spec: {
        attacher: 'a.b',
        nodeName: 'n',
        source: {
          inlineVolumeSpec: {
            accessModes: ['ReadWriteOnce'],
            csi: {
              driver: 'A b',
              nodePublishSecretRef: { name: 'x y', namespace: 'a.b' },
              nodeStageSecretRef: {},
            },
          },
        },
      },
    },
    [
      "spec.source.inlineVolumeSpec.csi.driver: Invalid value: \"A b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.source.inlineVolumeSpec.csi.volumeHandle: Required value',
      "spec.source.inlineVolumeSpec.csi.nodePublishSecretRef.name: Invalid value: \"x y\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.source.inlineVolumeSpec.csi.nodePublishSecretRef.namespace: Invalid value: "a.b": must not contain dots',
    ],
  ],
  [
    'an attachment with odd modes',
    '/apis/storage.k8s.io/v1/volumeattachments',
    {
      metadata: { name: 'odd' },
      spec: {
        attacher: 'a.b',
        nodeName: 'n',
        source: {
          inlineVolumeSpec: {
            accessModes: ['x', 'ReadWriteOncePod', 'ReadWriteOnce'],
            csi: { driver: 'a.b', volumeHandle: 'h' },
          },
        },
      },
    },
    [
      'spec.source.inlineVolumeSpec.accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.source.inlineVolumeSpec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    ],
  ],
  [
    'a node of drivers with a driver twice',
    '/apis/storage.k8s.io/v1/csinodes',
    {
      metadata: { name: 'odd' },
      spec: {
        drivers: [
          { name: 'd', nodeID: 'n' },
          { name: 'd', nodeID: 'n' },
        ],
      },
    },
    ['spec.drivers[1].name: Duplicate value: "d"'],
  ],
  [
    'a node of drivers with odd drivers',
    '/apis/storage.k8s.io/v1/csinodes',
    {
      metadata: { name: 'odd' },
      spec: {
        drivers: [
          {
            name: 'A b',
            nodeID:
              'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
          },
          {},
        ],
      },
    },
    [
      "spec.drivers[0].name: Invalid value: \"A b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.drivers[0].nodeID: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be 256 characters or less',
      'spec.drivers[1].name: Required value',
      'spec.drivers[1].nodeID: Required value',
    ],
  ],
  [
    'a node of drivers with odd keys of topology',
    '/apis/storage.k8s.io/v1/csinodes',
    {
      metadata: { name: 'odd' },
      spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: ['a', 'a', 'b c', ''] }] },
    },
    [
      'spec.drivers[0]: Duplicate value: "a"',
      "spec.drivers[0]: Invalid value: \"b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.drivers[0]: Required value',
      'spec.drivers[0]: Invalid value: "": name part must be non-empty',
      "spec.drivers[0]: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'a node of drivers with a negative count',
    '/apis/storage.k8s.io/v1/csinodes',
    {
      metadata: { name: 'odd' },
      spec: { drivers: [{ name: 'd', nodeID: 'n', allocatable: { count: -1 } }] },
    },
    ['spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a runtime with odd resources',
    '/apis/node.k8s.io/v1/runtimeclasses',
    {
      metadata: { name: 'odd' },
      handler: 'h',
      overhead: {
        podFixed: { 'a.b/c': '250m', 'hugepages-2Mi': '3Mi', x: '1', 'kubernetes.io/y': '1' },
      },
    },
    [
      'overhead.limits[a.b/c]: Invalid value: "250m": must be an integer',
      'overhead.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      'overhead.limits[x]: Invalid value: "x": must be a standard resource type or fully qualified',
      'overhead.limits[x]: Invalid value: "x": must be a standard resource for containers',
      'overhead: Forbidden: HugePages require cpu or memory',
    ],
  ],
  [
    'a secret with a token of nobody',
    '/api/v1/namespaces/default/secrets',
    { metadata: { name: 'odd' }, type: 'kubernetes.io/service-account-token' },
    ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  ],
  [
    'a storage class with an empty mode',
    '/apis/storage.k8s.io/v1/storageclasses',
    { metadata: { name: 'odd' }, provisioner: 'a', volumeBindingMode: '' },
    [
      'volumeBindingMode: Unsupported value: "": supported values: "Immediate", "WaitForFirstConsumer"',
    ],
  ],
  [
    'a storage class with an empty policy',
    '/apis/storage.k8s.io/v1/storageclasses',
    { metadata: { name: 'odd' }, provisioner: 'a', reclaimPolicy: '' },
    [],
  ],
  [
    'a storage class with empty terms',
    '/apis/storage.k8s.io/v1/storageclasses',
    { metadata: { name: 'odd' }, provisioner: 'a', allowedTopologies: [{}, {}] },
    [
      'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
      'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
      'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
      'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
      'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
    ],
  ],
  [
    'a driver with an empty policy',
    '/apis/storage.k8s.io/v1/csidrivers',
    { metadata: { name: 'odd' }, spec: { fsGroupPolicy: '' } },
    [
      'spec.fsGroupPolicy: Unsupported value: "": supported values: "File", "None", "ReadWriteOnceWithFSType"',
    ],
  ],
  [
    'a driver with tokens in its attributes',
    '/apis/storage.k8s.io/v1/csidrivers',
    { metadata: { name: 'odd' }, spec: { tokenRequests: [{ audience: 'a' }] } },
    [],
  ],
  [
    'a webhook with an empty failurePolicy',
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    {
      metadata: { name: 'odd' },
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [
            {
              apiGroups: ['a'],
              apiVersions: ['v1'],
              operations: ['CREATE'],
              resources: ['x'],
              scope: '*',
            },
          ],
          failurePolicy: '',
        },
      ],
    },
    ['webhooks[0].failurePolicy: Unsupported value: "": supported values: "Fail", "Ignore"'],
  ],
  [
    'a webhook with an empty matchPolicy',
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    {
      metadata: { name: 'odd' },
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [
            {
              apiGroups: ['a'],
              apiVersions: ['v1'],
              operations: ['CREATE'],
              resources: ['x'],
              scope: '*',
            },
          ],
          matchPolicy: '',
        },
      ],
    },
    ['webhooks[0].matchPolicy: Unsupported value: "": supported values: "Equivalent", "Exact"'],
  ],
  [
    'a webhook with an empty reinvocationPolicy',
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    {
      metadata: { name: 'odd' },
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [
            {
              apiGroups: ['a'],
              apiVersions: ['v1'],
              operations: ['CREATE'],
              resources: ['x'],
              scope: '*',
            },
          ],
          reinvocationPolicy: '',
        },
      ],
    },
    [
      'webhooks[0].reinvocationPolicy: Unsupported value: "": supported values: "IfNeeded", "Never"',
    ],
  ],
  [
    'a webhook with an empty scope',
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    {
      metadata: { name: 'odd' },
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [
            {
              apiGroups: ['a'],
              apiVersions: ['v1'],
              operations: ['CREATE'],
              resources: ['x'],
              scope: '',
            },
          ],
        },
      ],
    },
    [
      'webhooks[0].rules[0].scope: Unsupported value: "": supported values: "*", "Cluster", "Namespaced"',
    ],
  ],
  [
    'a policy with an empty failurePolicy',
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    {
      metadata: { name: 'odd' },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['a'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['x'] },
          ],
        },
        validations: [{ expression: 'true' }],
        failurePolicy: '',
      },
    },
    ['spec.failurePolicy: Unsupported value: "": supported values: "Fail", "Ignore"'],
  ],
  [
    'a policy with an empty matchPolicy',
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    {
      metadata: { name: 'odd' },
      spec: {
        matchConstraints: {
          matchPolicy: '',
          resourceRules: [
            { apiGroups: ['a'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['x'] },
          ],
        },
        validations: [{ expression: 'true' }],
      },
    },
    [
      'spec.matchConstraints.matchPolicy: Unsupported value: "": supported values: "Equivalent", "Exact"',
    ],
  ],
  [
    'a network policy with an empty protocol',
    '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    {
      metadata: { name: 'odd' },
      spec: { podSelector: {}, ingress: [{ ports: [{ protocol: '' }] }] },
    },
    [
      'spec.ingress[0].ports[0].protocol: Unsupported value: "": supported values: "TCP", "UDP", "SCTP"',
    ],
  ],
  [
    'endpoints with an empty protocol',
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    {
      metadata: { name: 'odd' },
      addressType: 'IPv4',
      endpoints: [],
      ports: [{ name: 'a', protocol: '' }, { name: 'a.b' }],
    },
    [
      'ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"',
      'ports[1].name: Invalid value: "a.b": must not contain dots',
    ],
  ],
  [
    'an ingress class with an empty scope',
    '/apis/networking.k8s.io/v1/ingressclasses',
    {
      metadata: { name: 'odd' },
      spec: { controller: 'a.b/c', parameters: { kind: 'k', name: 'n', scope: '' } },
    },
    ['spec.parameters.scope: Unsupported value: "": supported values: "Cluster", "Namespace"'],
  ],
  [
    'an ingress with a service that begins with a digit',
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    {
      metadata: { name: 'odd' },
      spec: { defaultBackend: { service: { name: '1abc', port: { number: 80 } } } },
    },
    [],
  ],
  [
    'an ingress with a service of a digit',
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    {
      metadata: { name: 'odd' },
      spec: { defaultBackend: { service: { name: '0', port: { number: 80 } } } },
    },
    [],
  ],
  [
    'an ingress with an odd service',
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    {
      metadata: { name: 'odd' },
      spec: { defaultBackend: { service: { name: 'A b', port: { number: 80 } } } },
    },
    [
      'spec.defaultBackend.service.name: Invalid value: "A b": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
    ],
  ],
  [
    'an ingress with a service with a dot',
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    {
      metadata: { name: 'odd' },
      spec: { defaultBackend: { service: { name: 'a.b', port: { number: 80 } } } },
    },
    ['spec.defaultBackend.service.name: Invalid value: "a.b": must not contain dots'],
  ],
  [
    'an ingress with an empty class',
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    {
      metadata: { name: 'odd' },
      spec: {
        defaultBackend: { service: { name: 'a', port: { number: 80 } } },
        ingressClassName: '',
      },
    },
    [
      "spec.ingressClassName: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'an ingress with an empty group',
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    {
      metadata: { name: 'odd' },
      spec: { defaultBackend: { resource: { apiGroup: '', kind: 'k', name: 'n' } } },
    },
    [
      "spec.defaultBackend.resource.apiGroup: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'a service with an address of the host',
    '/api/v1/namespaces/default/services',
    {
      metadata: { name: 'odd' },
      spec: {
        ports: [{ port: 80 }],
        externalIPs: [
          '::1',
          '127.0.0.1',
          '169.254.0.1',
          '0.0.0.0',
          '224.0.0.1',
          '1.2.3.4',
          '01.2.3.4',
        ],
      },
    },
    [
      'spec.externalIPs[0]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'spec.externalIPs[1]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'spec.externalIPs[2]: Invalid value: "169.254.0.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
      'spec.externalIPs[3]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
      'spec.externalIPs[4]: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
      'spec.externalIPs[6]: Invalid value: "01.2.3.4": must not have leading 0s',
    ],
  ],
  [
    'a service with an empty traffic policy',
    '/api/v1/namespaces/default/services',
    { metadata: { name: 'odd' }, spec: { ports: [{ port: 80 }], internalTrafficPolicy: '' } },
    ['spec.internalTrafficPolicy: Unsupported value: "": supported values: "Cluster", "Local"'],
  ],
  [
    'a service with an empty class',
    '/api/v1/namespaces/default/services',
    {
      metadata: { name: 'odd' },
      spec: { ports: [{ port: 80 }], type: 'LoadBalancer', loadBalancerClass: '' },
    },
    [
      'spec.loadBalancerClass: Invalid value: "": name part must be non-empty',
      "spec.loadBalancerClass: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'a service with an empty protocol of the application',
    '/api/v1/namespaces/default/services',
    { metadata: { name: 'odd' }, spec: { ports: [{ port: 80, appProtocol: '' }] } },
    [
      'spec.ports[0].appProtocol: Invalid value: "": name part must be non-empty',
      "spec.ports[0].appProtocol: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'a namespace with odd finalizers',
    '/api/v1/namespaces',
    { metadata: { name: 'odd' }, spec: { finalizers: ['x', 'a b', 'a/b', '/c', ''] } },
    [
      'spec.finalizers: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
      "spec.finalizers: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.finalizers: Invalid value: "a b": name is neither a standard finalizer name nor is it fully qualified',
      'spec.finalizers: Invalid value: "/c": prefix part must be non-empty',
      'spec.finalizers: Invalid value: "": name part must be non-empty',
      "spec.finalizers: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.finalizers: Invalid value: "": name is neither a standard finalizer name nor is it fully qualified',
    ],
  ],
  [
    'a quota with an empty expression',
    '/api/v1/namespaces/default/resourcequotas',
    { metadata: { name: 'odd' }, spec: { scopeSelector: { matchExpressions: [{}] } } },
    [
      'spec.scopeSelector.matchExpressions.scopeName: Invalid value: "": unsupported scope',
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "": not a valid selector operator',
    ],
  ],
  [
    'a quota with an unknown operator',
    '/api/v1/namespaces/default/resourcequotas',
    {
      metadata: { name: 'odd' },
      spec: {
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Like' }] },
      },
    },
    [
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "Like": not a valid selector operator',
    ],
  ],
  [
    'a deployment with a dot in its name',
    '/apis/apps/v1/namespaces/default/deployments',
    {
      metadata: { name: 'a.b' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c.d', image: 'i' }] },
        },
      },
    },
    ['spec.template.spec.containers[0].name: Invalid value: "c.d": must not contain dots'],
  ],
];

const short = (cause: string): string => cause.replace(/ \(e\.g\..*$/s, '');

describe('kinds with odd values', () => {
  const client = clientOfRunningServer();

  test.each(rows)('are validated as kube-apiserver does: %s', async (_name, path, body, causes) => {
    const response = await client.post(`${path}?dryRun=All`, body);
    // The order of the members of a map is random in Go.
    expect(causesOf(response).map(short).toSorted()).toEqual(causes.toSorted());
    expect(response.code).toBe(causes.length === 0 ? 201 : 422);
  });
});
