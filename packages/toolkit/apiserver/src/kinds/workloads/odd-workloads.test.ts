import { describe, expect, test } from '@jest/globals';
import { causesOf, type Json } from '../../server/raw-client.test-support.ts';
import { clientOfRunningServer } from '../../server/running-server.test-support.ts';

type Row = readonly [name: string, path: string, object: Json, causes: readonly string[]];

// Recorded from kube-apiserver 1.36.3. The chapter `odd-workloads` of e2e/fidelity has the same requests.
const oddWorkloads: readonly Row[] = [
  [
    'replicationcontroller without parts',
    '/api/v1/namespaces/default/replicationcontrollers',
    { metadata: { name: 'odd' }, spec: { replicas: -1, minReadySeconds: -1 } },
    [
      'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.selector: Required value',
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.template: Required value',
    ],
  ],
  [
    'replicationcontroller of other labels',
    '/api/v1/namespaces/default/replicationcontrollers',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { a: 'c' },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
      },
    },
    [
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ],
  ],
  [
    'replicationcontroller of an invalid label',
    '/api/v1/namespaces/default/replicationcontrollers',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { a: 'Bad!' },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
      },
    },
    [
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ],
  ],
  [
    'replicationcontroller of pods that end',
    '/api/v1/namespaces/default/replicationcontrollers',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { a: 'b' },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [{ name: 'c', image: 'i' }],
            restartPolicy: 'Never',
            activeDeadlineSeconds: 3,
          },
        },
      },
    },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported',
    ],
  ],
  [
    'daemonset with an unavailable text',
    '/apis/apps/v1/namespaces/default/daemonsets',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        updateStrategy: { rollingUpdate: { maxUnavailable: 'many' } },
      },
    },
    [
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "many": a valid percent string must be a numeric string followed by an ending \'%\'',
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
  ],
  [
    'daemonset with an empty text',
    '/apis/apps/v1/namespaces/default/daemonsets',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        updateStrategy: { rollingUpdate: { maxUnavailable: '', maxSurge: '' } },
      },
    },
    [
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "": a valid percent string must be a numeric string followed by an ending \'%\'',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "": a valid percent string must be a numeric string followed by an ending \'%\'',
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
  ],
  [
    'daemonset with a surge too',
    '/apis/apps/v1/namespaces/default/daemonsets',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        updateStrategy: { rollingUpdate: { maxUnavailable: '101%', maxSurge: '300%' } },
      },
    },
    [
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "300%": must not be greater than 100%',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "300%": may not be set when maxUnavailable is non-zero',
    ],
  ],
  [
    'daemonset without change',
    '/apis/apps/v1/namespaces/default/daemonsets',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: '0%' } },
      },
    },
    [
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
  ],
  [
    'daemonset with negative numbers',
    '/apis/apps/v1/namespaces/default/daemonsets',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        updateStrategy: { rollingUpdate: { maxUnavailable: -1, maxSurge: -1 } },
      },
    },
    [
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: -1: may not be set when maxUnavailable is non-zero',
    ],
  ],
  [
    'daemonset with an unknown strategy',
    '/apis/apps/v1/namespaces/default/daemonsets',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        updateStrategy: { type: 'Never' },
      },
    },
    [
      'spec.updateStrategy: Unsupported value: {"Type":"Never","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
    ],
  ],
  [
    'daemonset with an empty selector',
    '/apis/apps/v1/namespaces/default/daemonsets',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: {},
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
      },
    },
    ['spec.selector: Invalid value: {}: empty selector is invalid for daemonset'],
  ],
  [
    'deployment with an empty surge',
    '/apis/apps/v1/namespaces/default/deployments',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        strategy: { rollingUpdate: { maxSurge: '' } },
      },
    },
    [
      'spec.strategy.rollingUpdate.maxSurge: Invalid value: "": a valid percent string must be a numeric string followed by an ending \'%\'',
    ],
  ],
  [
    'deployment with texts',
    '/apis/apps/v1/namespaces/default/deployments',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        strategy: { rollingUpdate: { maxSurge: 'many', maxUnavailable: '5' } },
      },
    },
    [
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "5": a valid percent string must be a numeric string followed by an ending \'%\'',
      'spec.strategy.rollingUpdate.maxSurge: Invalid value: "many": a valid percent string must be a numeric string followed by an ending \'%\'',
    ],
  ],
  [
    'deployment without change',
    '/apis/apps/v1/namespaces/default/deployments',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        strategy: { rollingUpdate: { maxSurge: 'many', maxUnavailable: 'few' } },
      },
    },
    [
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "few": a valid percent string must be a numeric string followed by an ending \'%\'',
      'spec.strategy.rollingUpdate.maxSurge: Invalid value: "many": a valid percent string must be a numeric string followed by an ending \'%\'',
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "few": may not be 0 when `maxSurge` is 0',
    ],
  ],
  [
    'deployment with volumes out of order',
    '/apis/apps/v1/namespaces/default/deployments',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [{ name: 'c', image: 'i' }],
            dnsPolicy: 'x',
            volumes: [{ name: 'v' }, { name: 'v' }, { name: 'B_' }, { name: 'B_' }],
          },
        },
      },
    },
    [
      'spec.template.spec.volumes[1].name: Duplicate value: "v"',
      'spec.template.spec.volumes[2].name: Invalid value: "B_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
      'spec.template.spec.volumes[3].name: Invalid value: "B_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
      'spec.template.spec.dnsPolicy: Unsupported value: "x": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
  ],
  [
    'statefulset with class names',
    '/apis/apps/v1/namespaces/default/statefulsets',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'w' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1Gi' } },
              storageClassName: 'Bad_Class',
              volumeAttributesClassName: 'B_',
              volumeMode: 'Tape',
            },
          },
        ],
      },
    },
    [
      "spec.volumeClaimTemplates[0].spec.storageClassName: Invalid value: \"Bad_Class\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.volumeClaimTemplates[0].spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
      "spec.volumeClaimTemplates[0].spec.volumeAttributesClassName: Invalid value: \"B_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'statefulset with a selector',
    '/apis/apps/v1/namespaces/default/statefulsets',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'w' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1Gi' } },
              selector: { matchExpressions: [{ key: 'a', operator: 'Like' }] },
            },
          },
        ],
      },
    },
    [
      'spec.volumeClaimTemplates[0].spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
    ],
  ],
  [
    'statefulset with sources',
    '/apis/apps/v1/namespaces/default/statefulsets',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'w' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1Gi' } },
              dataSource: { apiGroup: 'x.io', kind: 'K' },
              dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'a', namespace: 'N_' },
            },
          },
        ],
      },
    },
    [
      'spec.volumeClaimTemplates[0].spec.dataSource.name: Required value',
      'spec.volumeClaimTemplates[0].spec.dataSourceRef.namespace: Invalid value: "N_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
      'spec.volumeClaimTemplates[0].spec: Invalid value: {}: may not be specified when dataSourceRef.namespace is specified',
    ],
  ],
  [
    'statefulset with a status in its claim',
    '/apis/apps/v1/namespaces/default/statefulsets',
    {
      metadata: { name: 'odd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'w' },
            status: { phase: 'Nope', accessModes: ['x'], capacity: { storage: '-1' } },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
    [],
  ],
  [
    'pod with an ephemeral claim',
    '/api/v1/namespaces/default/pods',
    {
      metadata: { name: 'odd' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        volumes: [
          {
            name: 'v',
            ephemeral: {
              volumeClaimTemplate: {
                spec: {
                  accessModes: ['x'],
                  storageClassName: 'B_',
                  dataSource: { kind: 'Pod', name: 's' },
                },
              },
            },
          },
        ],
      },
    },
    [
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value',
      "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.storageClassName: Invalid value: \"B_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSource: Invalid value: "Pod": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
    ],
  ],
  [
    'pod with two handlers',
    '/api/v1/namespaces/default/pods',
    {
      metadata: { name: 'odd' },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'i',
            livenessProbe: { exec: { command: ['a'] }, httpGet: { port: 1, scheme: 'X' } },
            lifecycle: {
              preStop: { exec: {}, httpGet: { port: 0, scheme: 'ftp', httpHeaders: [{}] } },
            },
          },
        ],
      },
    },
    [
      'spec.containers[0].lifecycle.preStop.exec.command: Required value',
      'spec.containers[0].lifecycle.preStop.httpGet: Forbidden: may not specify more than 1 handler type',
      'spec.containers[0].livenessProbe.httpGet: Forbidden: may not specify more than 1 handler type',
    ],
  ],
  [
    'pod with a scheme',
    '/api/v1/namespaces/default/pods',
    {
      metadata: { name: 'odd' },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'i',
            livenessProbe: { httpGet: { port: 1, scheme: 'X', httpHeaders: [{ name: 'a b' }] } },
            lifecycle: { postStart: { httpGet: { port: 0, scheme: 'ftp' } } },
          },
        ],
      },
    },
    [
      'spec.containers[0].lifecycle.postStart.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.containers[0].lifecycle.postStart.httpGet.scheme: Unsupported value: "ftp": supported values: "HTTP", "HTTPS"',
      'spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: "X": supported values: "HTTP", "HTTPS"',
      'spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or \'-\'',
    ],
  ],
  [
    'pod with a name of two labels',
    '/api/v1/namespaces/default/pods',
    {
      metadata: { name: 'odd' },
      spec: {
        containers: [
          { name: 'a.b', image: 'i' },
          { name: 'A.b', image: 'i' },
        ],
      },
    },
    [
      'spec.containers[0].name: Invalid value: "a.b": must not contain dots',
      'spec.containers[1].name: Invalid value: "A.b": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
    ],
  ],
  [
    'pod with an azureDisk and a file of variables',
    '/api/v1/namespaces/default/pods',
    {
      metadata: { name: 'odd' },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'i',
            env: [
              { name: 'A', valueFrom: { fileKeyRef: { volumeName: 'e', path: 'p', key: 'K' } } },
            ],
          },
        ],
        volumes: [
          { name: 'v', azureDisk: { diskName: 'd', diskURI: 'https://x' } },
          { name: 'e', emptyDir: {} },
        ],
      },
    },
    [],
  ],
  [
    'job with an empty success policy',
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: { name: 'odd' },
      spec: {
        completions: 3,
        completionMode: 'Indexed',
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            initContainers: [{ name: 'init', image: 'i' }],
          },
        },
        successPolicy: {},
      },
    },
    [
      'spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified',
    ],
  ],
  [
    'job with a success policy without index',
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: { name: 'odd' },
      spec: {
        completions: 3,
        completionMode: 'NonIndexed',
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            initContainers: [{ name: 'init', image: 'i' }],
          },
        },
        successPolicy: { rules: [{ succeededCount: 1 }] },
      },
    },
    [
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
    ],
  ],
  [
    'job with indexes',
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: { name: 'odd' },
      spec: {
        completions: 3,
        completionMode: 'Indexed',
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            initContainers: [{ name: 'init', image: 'i' }],
          },
        },
        successPolicy: {
          rules: [
            {},
            { succeededIndexes: '0-1-2' },
            { succeededIndexes: 'a' },
            { succeededIndexes: '0-x' },
            { succeededIndexes: '9' },
            { succeededIndexes: '0-9' },
            { succeededIndexes: '1-1' },
            { succeededIndexes: '1,1' },
            { succeededIndexes: '0,,1' },
            { succeededIndexes: '-1' },
          ],
        },
      },
    },
    [
      'spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified',
      'spec.successPolicy.rules[1].succeededIndexes: Invalid value: "0-1-2": error parsing succeededIndexes: the fragment "0-1-2" violates the requirement that an index interval can have at most two parts separated by \'-\'',
      'spec.successPolicy.rules[2].succeededIndexes: Invalid value: "a": error parsing succeededIndexes: cannot convert string to integer for index: "a"',
      'spec.successPolicy.rules[3].succeededIndexes: Invalid value: "0-x": error parsing succeededIndexes: cannot convert string to integer for index: "x"',
      'spec.successPolicy.rules[4].succeededIndexes: Invalid value: "9": error parsing succeededIndexes: too large index: "9"',
      'spec.successPolicy.rules[5].succeededIndexes: Invalid value: "0-9": error parsing succeededIndexes: too large index: "9"',
      'spec.successPolicy.rules[6].succeededIndexes: Invalid value: "1-1": error parsing succeededIndexes: non-increasing order, previous: 1, current: 1',
      'spec.successPolicy.rules[7].succeededIndexes: Invalid value: "1,1": error parsing succeededIndexes: non-increasing order, previous: 1, current: 1',
      'spec.successPolicy.rules[8].succeededIndexes: Invalid value: "0,,1": error parsing succeededIndexes: cannot convert string to integer for index: ""',
      'spec.successPolicy.rules[9].succeededIndexes: Invalid value: "-1": error parsing succeededIndexes: cannot convert string to integer for index: ""',
    ],
  ],
  [
    'job with counts',
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: { name: 'odd' },
      spec: {
        completions: 3,
        completionMode: 'Indexed',
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            initContainers: [{ name: 'init', image: 'i' }],
          },
        },
        successPolicy: {
          rules: [
            { succeededCount: -1 },
            { succeededCount: 9 },
            { succeededIndexes: '', succeededCount: 1 },
            { succeededIndexes: '0-1', succeededCount: 3 },
            { succeededIndexes: '+1', succeededCount: 2 },
          ],
        },
      },
    },
    [
      'spec.successPolicy.rules[0].succeededCount: Invalid value: -1: must be greater than or equal to 0',
      'spec.successPolicy.rules[1].succeededCount: Invalid value: 9: must be less than or equal to 3 (the number of specified completions)',
      'spec.successPolicy.rules[2].succeededCount: Invalid value: 1: must be less than or equal to 0 (the number of indexes in the specified succeededIndexes field)',
      'spec.successPolicy.rules[3].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)',
      'spec.successPolicy.rules[4].succeededCount: Invalid value: 2: must be less than or equal to 1 (the number of indexes in the specified succeededIndexes field)',
    ],
  ],
  [
    'job with many rules',
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: { name: 'odd' },
      spec: {
        completions: 3,
        completionMode: 'Indexed',
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            initContainers: [{ name: 'init', image: 'i' }],
          },
        },
        successPolicy: {
          rules: [
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
            { succeededCount: 1 },
          ],
        },
        podFailurePolicy: {
          rules: [
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
            { action: 'Ignore', onPodConditions: [{ type: 'a' }] },
          ],
        },
      },
    },
    [
      'spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items',
      'spec.successPolicy.rules: Too many: 21: must have at most 20 items',
    ],
  ],
  [
    'job with the exit codes of no container',
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: { name: 'odd' },
      spec: {
        completions: 3,
        completionMode: 'Indexed',
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            initContainers: [{ name: 'init', image: 'i' }],
          },
        },
        podFailurePolicy: {
          rules: [
            {
              action: 'FailJob',
              onExitCodes: { operator: 'In', values: [1], containerName: 'nope' },
            },
          ],
        },
      },
    },
    [
      'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "nope": must be one of the container or initContainer names in the pod template',
    ],
  ],
  [
    'job with the exit codes of an empty name',
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: { name: 'odd' },
      spec: {
        completions: 3,
        completionMode: 'Indexed',
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            initContainers: [{ name: 'init', image: 'i' }],
          },
        },
        podFailurePolicy: {
          rules: [
            { action: 'FailJob', onExitCodes: { operator: 'In', values: [1], containerName: '' } },
          ],
        },
      },
    },
    [
      'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "": must be one of the container or initContainer names in the pod template',
    ],
  ],
  [
    'job with the exit codes of an init container',
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: { name: 'odd' },
      spec: {
        completions: 3,
        completionMode: 'Indexed',
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            initContainers: [{ name: 'init', image: 'i' }],
          },
        },
        podFailurePolicy: {
          rules: [
            {
              action: 'FailJob',
              onExitCodes: { operator: 'In', values: [1], containerName: 'init' },
            },
          ],
        },
      },
    },
    [],
  ],
  [
    'job with failed indexes',
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: { name: 'odd' },
      spec: {
        completions: 3,
        completionMode: 'Indexed',
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            initContainers: [{ name: 'init', image: 'i' }],
          },
        },
        podFailurePolicy: {
          rules: [{ action: 'FailIndex', onPodConditions: [{ type: '', status: 'Maybe' }] }],
        },
      },
    },
    [
      'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
      'spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: "": name part must be non-empty',
      "spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.podFailurePolicy.rules[0].onPodConditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
    ],
  ],
  [
    'job with an empty replacement',
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: { name: 'odd' },
      spec: {
        completions: 3,
        completionMode: 'Indexed',
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            initContainers: [{ name: 'init', image: 'i' }],
          },
        },
        podReplacementPolicy: '',
      },
    },
    [
      'spec.podReplacementPolicy: Unsupported value: "": supported values: "Failed", "TerminatingOrFailed"',
    ],
  ],
  [
    'job with many completions',
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: { name: 'odd' },
      spec: {
        completions: 100001,
        completionMode: 'Indexed',
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            initContainers: [{ name: 'init', image: 'i' }],
          },
        },
        parallelism: 10001,
        backoffLimitPerIndex: 1,
      },
    },
    [
      'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000',
      'spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
    ],
  ],
  [
    'job with many failed indexes',
    '/apis/batch/v1/namespaces/default/jobs',
    {
      metadata: { name: 'odd' },
      spec: {
        completions: 100001,
        completionMode: 'Indexed',
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            initContainers: [{ name: 'init', image: 'i' }],
          },
        },
        parallelism: 1,
        backoffLimitPerIndex: 1,
        maxFailedIndexes: 10001,
      },
    },
    [
      'spec.maxFailedIndexes: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
    ],
  ],
  [
    'cronjob in europe/berlin',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'europe/berlin',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    ['spec.timeZone: Invalid value: "europe/berlin": unknown time zone europe/berlin'],
  ],
  [
    'cronjob in Europe/Berlin',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'Europe/Berlin',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    [],
  ],
  [
    'cronjob in utc',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'utc',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    ['spec.timeZone: Invalid value: "utc": unknown time zone utc'],
  ],
  [
    'cronjob in UTC',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'UTC',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    [],
  ],
  [
    'cronjob in local',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'local',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    [
      'spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      'spec.timeZone: Invalid value: "local": unknown time zone local',
    ],
  ],
  [
    'cronjob in Local',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'Local',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    [
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
  ],
  [
    'cronjob in +01:00',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: '+01:00',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    ['spec.timeZone: Invalid value: "+01:00": unknown time zone +01:00'],
  ],
  [
    'cronjob in us/pacific',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'us/pacific',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    ['spec.timeZone: Invalid value: "us/pacific": unknown time zone us/pacific'],
  ],
  [
    'cronjob in US/Pacific',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'US/Pacific',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    [],
  ],
  [
    'cronjob in Etc/GMT+5',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'Etc/GMT+5',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    [],
  ],
  [
    'cronjob in etc/gmt+5',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'etc/gmt+5',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    ['spec.timeZone: Invalid value: "etc/gmt+5": unknown time zone etc/gmt+5'],
  ],
  [
    'cronjob in GB-Eire',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'GB-Eire',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    [],
  ],
  [
    'cronjob in America/Port-Au-Prince',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'America/Port-Au-Prince',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    [
      'spec.timeZone: Invalid value: "America/Port-Au-Prince": unknown time zone America/Port-Au-Prince',
    ],
  ],
  [
    'cronjob in America/Port-au-Prince',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'America/Port-au-Prince',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    [],
  ],
  [
    'cronjob in Mexico/BajaNorte',
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata: { name: 'odd' },
      spec: {
        schedule: '* * * * *',
        timeZone: 'Mexico/BajaNorte',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    [],
  ],
  [
    'autoscaler with a tolerance',
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    {
      metadata: { name: 'odd' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        behavior: { scaleUp: { tolerance: '-1', selectPolicy: '' } },
      },
    },
    [
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "": supported values: "Disabled", "Max", "Min"',
      'spec.behavior.scaleUp.tolerance: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [
    'autoscaler with resources',
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    {
      metadata: { name: 'odd' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        metrics: [
          {
            type: 'ContainerResource',
            containerResource: {
              name: 'Bad Value!',
              container: 'a.b',
              target: { type: 'Utilization', averageUtilization: 5 },
            },
          },
          {
            type: 'ContainerResource',
            containerResource: {
              name: 'storage',
              container: 'a.b',
              target: { type: 'Utilization', averageUtilization: 5 },
            },
          },
          {
            type: 'ContainerResource',
            containerResource: {
              name: 'a/b/c',
              container: 'a.b',
              target: { type: 'Utilization', averageUtilization: 5 },
            },
          },
          {
            type: 'ContainerResource',
            containerResource: {
              name: 'example.com/x',
              container: 'a.b',
              target: { type: 'Utilization', averageUtilization: 5 },
            },
          },
        ],
      },
    },
    [
      "spec.metrics[0].containerResource.name: Invalid value: \"Bad Value!\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.metrics[0].containerResource.name: Invalid value: "Bad Value!": must be a standard resource for containers',
      'spec.metrics[0].containerResource.container: Invalid value: "a.b": must not contain dots',
      'spec.metrics[1].containerResource.name: Invalid value: "storage": must be a standard resource for containers',
      'spec.metrics[1].containerResource.container: Invalid value: "a.b": must not contain dots',
      "spec.metrics[2].containerResource.name: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.metrics[2].containerResource.name: Invalid value: "a/b/c": doesn\'t follow extended resource name standard',
      'spec.metrics[2].containerResource.container: Invalid value: "a.b": must not contain dots',
      'spec.metrics[3].containerResource.container: Invalid value: "a.b": must not contain dots',
    ],
  ],
  [
    'autoscaler of a version with three parts',
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    {
      metadata: { name: 'odd' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: '/x/y', kind: 'ReplicationController', name: 'd' },
      },
    },
    ['spec.scaleTargetRef.apiVersion: Invalid value: "/x/y": unexpected GroupVersion string: /x/y'],
  ],
  [
    'autoscaler of an empty group',
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    {
      metadata: { name: 'odd' },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: '/v1', kind: 'X', name: 'd' } },
    },
    ['spec.scaleTargetRef.apiVersion: Invalid value: "/v1": apiVersion must specify API group'],
  ],
  [
    'autoscaler of an object with three parts',
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    {
      metadata: { name: 'odd' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        metrics: [
          {
            type: 'Object',
            object: {
              metric: { name: 'x' },
              describedObject: { apiVersion: 'a/b/c', kind: 'K', name: 'n' },
              target: { type: 'Value', value: 1 },
            },
          },
        ],
      },
    },
    [
      'spec.metrics[0].object.describedObject.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
  ],
];

describe('a workload', () => {
  const client = clientOfRunningServer();

  test.each(oddWorkloads)(
    '%s has the causes of kube-apiserver',
    async (_name, path, object, causes) => {
      expect(short(causesOf(await client.post(`${path}?dryRun=All`, object)))).toEqual(causes);
    },
  );
});

/** Without the examples and the differences between internal structs. */
function short(causes: readonly string[]): string[] {
  return causes.map((cause) => cause.replace(/ \(e\.g\..*$/s, ''));
}
