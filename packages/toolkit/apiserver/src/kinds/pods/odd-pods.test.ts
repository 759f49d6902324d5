import { describe, expect, test } from '@jest/globals';
import { causesOf } from '../../server/raw-client.test-support.ts';
import { clientOfRunningServer } from '../../server/running-server.test-support.ts';

const pods = '/api/v1/namespaces/default/pods';

type Row = readonly [name: string, part: object, causes: readonly string[]];

// The causes of kube-apiserver 1.36.3, without the examples in parentheses. The conversation of e2e/fidelity has more of them.
const oddPods: readonly Row[] = [
  [
    'windows host pid',
    { os: { name: 'windows' }, hostPID: true, hostIPC: true },
    [
      'spec.hostPID: Forbidden: cannot be set for a windows pod',
      'spec.hostIPC: Forbidden: cannot be set for a windows pod',
    ],
  ],
  [
    'windows share',
    { os: { name: 'windows' }, shareProcessNamespace: true },
    ['spec.shareProcessNamespace: Forbidden: cannot be set for a windows pod'],
  ],
  [
    'windows host users',
    { os: { name: 'windows' }, hostUsers: false },
    ['spec.hostUsers: Forbidden: cannot be set for a windows pod'],
  ],
  [
    'windows pod linux fields',
    {
      os: { name: 'windows' },
      securityContext: {
        seLinuxOptions: { level: 's0' },
        seccompProfile: { type: 'RuntimeDefault' },
        appArmorProfile: { type: 'RuntimeDefault' },
        fsGroup: 1,
        fsGroupChangePolicy: 'Always',
        sysctls: [{ name: 'a.b', value: '1' }],
        runAsUser: 1,
        runAsGroup: 1,
        supplementalGroups: [1],
        supplementalGroupsPolicy: 'Merge',
        seLinuxChangePolicy: 'Recursive',
      },
    },
    [
      'spec.securityContext.appArmorProfile: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.seLinuxOptions: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.seccompProfile: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.fsGroupChangePolicy: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.sysctls: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.runAsGroup: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.supplementalGroups: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.supplementalGroupsPolicy: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.seLinuxChangePolicy: Forbidden: cannot be set for a windows pod',
    ],
  ],
  [
    'linux windows options',
    {
      os: { name: 'linux' },
      securityContext: { windowsOptions: { runAsUserName: 'ContainerUser' } },
    },
    [
      'spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
    ],
  ],
  [
    'windows name empty',
    { securityContext: { windowsOptions: { runAsUserName: '' } } },
    [
      'spec.securityContext.windowsOptions.runAsUserName: Invalid value: "": runAsUserName cannot be an empty string',
    ],
  ],
  [
    'windows name slashes',
    { securityContext: { windowsOptions: { runAsUserName: 'a\\b\\c' } } },
    [
      'spec.securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
    ],
  ],
  [
    'windows name dots',
    { securityContext: { windowsOptions: { runAsUserName: 'dom\\..' } } },
    [
      'spec.securityContext.windowsOptions.runAsUserName: Invalid value: "dom\\\\..": runAsUserName\'s User cannot contain only periods or spaces',
    ],
  ],
  [
    'windows gmsa empty',
    { securityContext: { windowsOptions: { gmsaCredentialSpec: '' } } },
    [
      'spec.securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
    ],
  ],
  [
    'host process without host network',
    { securityContext: { windowsOptions: { hostProcess: true } } },
    [
      'spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
    ],
  ],
  [
    'host process mixed',
    {
      hostNetwork: true,
      securityContext: { windowsOptions: { hostProcess: true } },
      initContainers: [
        { name: 'i', image: 'i', securityContext: { windowsOptions: { hostProcess: false } } },
      ],
    },
    [
      'spec.initContainers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true',
      'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
    ],
  ],
  [
    'claims none',
    { resourceClaims: [{ name: 'a' }] },
    [
      'spec.resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ],
  ],
  [
    'claims twice',
    {
      resourceClaims: [
        { name: 'a', resourceClaimName: 'x' },
        { name: 'a', resourceClaimName: 'y' },
      ],
    },
    ['spec.resourceClaims[1].name: Duplicate value: "a"'],
  ],
  [
    'claims unused init',
    {
      resourceClaims: [{ name: 'a', resourceClaimName: 'x' }],
      initContainers: [
        {
          name: 'i',
          image: 'i',
          resources: { claims: [{ name: 'a', request: 'r' }, { name: 'z' }] },
        },
      ],
    },
    [
      'spec.initContainers[0].resources.claims[1]: Not found: "z": must be one of the names in pod.spec.resourceClaims: a',
    ],
  ],
  [
    'host users all',
    { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true },
    [
      'spec.hostNetwork: Forbidden: when `hostUsers` is false',
      'spec.HostPID: Forbidden: when `hostUsers` is false',
      'spec.HostIPC: Forbidden: when `hostUsers` is false',
    ],
  ],
  [
    'pod resources extended',
    { resources: { limits: { 'example.com/foo': '1' }, requests: { 'example.com/foo': '1' } } },
    [
      'spec.resources.limits[example.com/foo]: Unsupported value: "example.com/foo": supported values: "cpu", "hugepages-", "memory"',
      'spec.resources.requests[example.com/foo]: Unsupported value: "example.com/foo": supported values: "cpu", "hugepages-", "memory"',
    ],
  ],
  [
    'pod resources hugepages alone',
    { resources: { requests: { 'hugepages-2Mi': '4Mi' }, limits: { 'hugepages-2Mi': '4Mi' } } },
    ['spec.resources: Forbidden: HugePages require cpu or memory'],
  ],
  [
    'pod resources windows',
    { os: { name: 'windows' }, resources: { limits: { cpu: '2' } } },
    ['spec.resources: Forbidden: may not be set for a windows pod'],
  ],
  [
    'pod resources less than containers',
    {
      resources: { requests: { cpu: '1' }, limits: { cpu: '1' } },
      initContainers: [
        { name: 'i', image: 'i', restartPolicy: 'Always', resources: { requests: { cpu: '2' } } },
      ],
    },
    [
      'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
    ],
  ],
  [
    'pod limits less than container',
    {
      resources: { limits: { cpu: '1' } },
      initContainers: [{ name: 'i', image: 'i', resources: { limits: { cpu: '2' } } }],
    },
    ['spec.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
  ],
  [
    'hostname override long',
    { hostnameOverride: 'aaaaaaaaaa.bbbbbbbbb.cccccccccc.dddddddddd.eeeeeeeeee.ffffffffff.g' },
    ['spec.hostnameOverride: Too long: may not be more than 64 bytes'],
  ],
  [
    'hostname override fqdn',
    { hostnameOverride: 'a', setHostnameAsFQDN: true },
    ['spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true'],
  ],
  [
    'spread min domains',
    {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 },
      ],
    },
    [
      'spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
    ],
  ],
  [
    'spread keys without',
    {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'a b',
          whenUnsatisfiable: 'DoNotSchedule',
          matchLabelKeys: ['x'],
        },
      ],
    },
    [
      'spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
    ],
  ],
  [
    'affinity node operators',
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'a', operator: 'In' },
                  { key: 'a', operator: 'Exists', values: ['b'] },
                  { key: 'a', operator: 'Gt', values: ['x'] },
                  { key: 'a', operator: 'Lt', values: ['1', '2'] },
                  { key: 'a', operator: 'Near' },
                  { key: '', operator: 'Exists' },
                  { key: 'a', operator: 'In', values: ['b c'] },
                ],
              },
            ],
          },
        },
      },
    },
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[3].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[4].operator: Invalid value: "Near": not a valid selector operator',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[5].key: Invalid value: "": name part must be non-empty',
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[5].key: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[6].values[0]: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'affinity node fields',
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchFields: [
                  { key: 'metadata.name', operator: 'In', values: ['a', 'b'] },
                  { key: 'metadata.name', operator: 'Exists' },
                  { key: 'spec.x', operator: 'NotIn', values: ['a'] },
                  { key: 'metadata.name', operator: 'In', values: ['A_'] },
                ],
              },
            ],
          },
        },
      },
    },
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[1].operator: Invalid value: "Exists": not a valid selector operator',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[2].key: Invalid value: "spec.x": not a valid field selector key',
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[3].values[0]: Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'affinity pod keys',
    {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: 'a',
              labelSelector: { matchLabels: { x: 'y' } },
              matchLabelKeys: ['x', 'z'],
              mismatchLabelKeys: ['z'],
            },
          ],
        },
      },
    },
    [
      'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys[1]: Invalid value: "z": exists in both matchLabelKeys and mismatchLabelKeys',
    ],
  ],
  [
    'affinity pod namespaces',
    {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: 'a',
              namespaces: ['A_'],
              namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'X' }] },
            },
          ],
        },
      },
    },
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaceSelector.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace: Invalid value: "A_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
    ],
  ],
  [
    'toleration operator',
    {
      tolerations: [
        { key: 'a', operator: 'Near', value: 'x' },
        { key: 'a', operator: 'Lt', value: '5' },
        { key: 'a', operator: 'Gt', value: 'x' },
      ],
    },
    [
      'spec.tolerations[0].operator: Unsupported value: "Near": supported values: "Equal", "Exists"',
      'spec.tolerations[1].operator: Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"',
      'spec.tolerations[2].operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"',
    ],
  ],
  [
    'sysctls host',
    {
      hostNetwork: true,
      hostIPC: true,
      securityContext: {
        sysctls: [
          { name: 'net.core.x', value: '1' },
          { name: 'kernel.shm_rmid_forced', value: '0' },
          { name: 'kernel.msgmax', value: '0' },
          { name: 'net/core/y', value: '1' },
        ],
      },
    },
    [
      'spec.securityContext.sysctls[0].name: Invalid value: "net.core.x": may not be specified when \'hostNetwork\' is true',
      'spec.securityContext.sysctls[1].name: Invalid value: "kernel.shm_rmid_forced": may not be specified when \'hostIPC\' is true',
      'spec.securityContext.sysctls[2].name: Invalid value: "kernel.msgmax": may not be specified when \'hostIPC\' is true',
      'spec.securityContext.sysctls[3].name: Invalid value: "net/core/y": may not be specified when \'hostNetwork\' is true',
    ],
  ],
  [
    'fs group policy',
    {
      securityContext: {
        fsGroupChangePolicy: 'Never',
        supplementalGroupsPolicy: 'X',
        seLinuxChangePolicy: 'Y',
      },
    },
    [
      'spec.securityContext.fsGroupChangePolicy: Unsupported value: "Never": supported values: "Always", "OnRootMismatch"',
      'spec.securityContext.supplementalGroupsPolicy: Unsupported value: "X": supported values: "Merge", "Strict"',
      'spec.securityContext.seLinuxChangePolicy: Unsupported value: "Y": supported values: "Recursive"',
    ],
  ],
  [
    'seccomp local',
    { securityContext: { seccompProfile: { type: 'Localhost' } } },
    [
      'spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
    ],
  ],
  [
    'seccomp path',
    { securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: '../a' } } },
    [
      'spec.securityContext.seccompProfile.localhostProfile: Invalid value: "../a": must not contain \'..\'',
    ],
  ],
  [
    'apparmor extra',
    { securityContext: { appArmorProfile: { type: 'Unconfined', localhostProfile: 'a' } } },
    [
      'spec.securityContext.appArmorProfile.localhostProfile: Invalid value: "a": can only be set when AppArmor type is Localhost',
    ],
  ],
  [
    'apparmor spaces',
    { securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: ' a ' } } },
    [
      'spec.securityContext.appArmorProfile.localhostProfile: Invalid value: " a ": must not be padded with whitespace',
    ],
  ],
  [
    'sidecar grace',
    {
      initContainers: [
        {
          name: 'i',
          image: 'i',
          restartPolicy: 'Always',
          livenessProbe: { exec: { command: ['a'] }, terminationGracePeriodSeconds: 0 },
        },
      ],
    },
    [
      'spec.initContainers[0].livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0',
    ],
  ],
  [
    'init same name',
    {
      initContainers: [
        { name: 'c', image: 'i' },
        { name: 'd', image: 'i' },
        { name: 'd', image: '' },
      ],
    },
    [
      'spec.initContainers[0].name: Duplicate value: "c"',
      'spec.initContainers[2].image: Required value',
      'spec.initContainers[2].name: Duplicate value: "d"',
    ],
  ],
  [
    'volume ephemeral long',
    {
      volumes: [
        {
          name: 'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee',
          ephemeral: {
            volumeClaimTemplate: {
              spec: {
                accessModes: ['ReadWriteOnce', 'X'],
                resources: { requests: { storage: '-1' } },
              },
            },
          },
        },
      ],
    },
    [
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Invalid value: "-1": must be greater than zero',
    ],
  ],
  [
    'overhead negative',
    { overhead: { cpu: '-1', nonsense: '1' } },
    [
      'spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.overhead.limits[nonsense]: Invalid value: "nonsense": must be a standard resource type or fully qualified',
      'spec.overhead.limits[nonsense]: Invalid value: "nonsense": must be a standard resource for containers',
    ],
  ],
  [
    'host alias',
    { hostAliases: [{ ip: 'a', hostnames: ['A_'] }, { ip: '1.1.1.01' }, { hostnames: ['a'] }] },
    [
      'spec.hostAliases[0].ip: Invalid value: "a": must be a valid IP address,',
      "spec.hostAliases[0].hostnames[0]: Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.hostAliases[1].ip: Invalid value: "1.1.1.01": must not have leading 0s',
      'spec.hostAliases[2].ip: Invalid value: "": must be a valid IP address,',
    ],
  ],
];

const oddContainers: readonly Row[] = [
  [
    'resize policy twice',
    {
      resizePolicy: [
        { resourceName: 'cpu', restartPolicy: 'NotRequired' },
        { resourceName: 'cpu', restartPolicy: 'RestartContainer' },
      ],
    },
    ['spec.containers[0].resizePolicy[1]: Duplicate value: "cpu"'],
  ],
  [
    'resize policy value',
    { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'X' }] },
    [
      'spec.containers[0].resizePolicy: Unsupported value: "X": supported values: "NotRequired", "RestartContainer"',
    ],
  ],
  [
    'claims unknown',
    { resources: { claims: [{ name: 'a' }] } },
    [
      'spec.containers[0].resources.claims[0]: Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
    ],
  ],
  [
    'image spaces',
    { image: ' a ' },
    [
      'spec.containers[0].image: Invalid value: " a ": must not have leading or trailing whitespace',
    ],
  ],
  [
    'resources names',
    {
      resources: {
        limits: {
          cpuu: '1',
          'a b': '1',
          'example.com/foo': '1.5',
          memory: '100m',
          'hugepages-2Mi': '3Mi',
        },
      },
    },
    [
      'spec.containers[0].resources.limits[example.com/foo]: Invalid value: "1500m": must be an integer',
      'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      'spec.containers[0].resources.limits[cpuu]: Invalid value: "cpuu": must be a standard resource type or fully qualified',
      'spec.containers[0].resources.limits[cpuu]: Invalid value: "cpuu": must be a standard resource for containers',
      "spec.containers[0].resources.limits[a b]: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.containers[0].resources.limits[a b]: Invalid value: "a b": must be a standard resource for containers',
      'spec.containers[0].resources.requests[cpuu]: Invalid value: "cpuu": must be a standard resource type or fully qualified',
      'spec.containers[0].resources.requests[cpuu]: Invalid value: "cpuu": must be a standard resource for containers',
      "spec.containers[0].resources.requests[a b]: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.containers[0].resources.requests[a b]: Invalid value: "a b": must be a standard resource for containers',
      'spec.containers[0].resources.requests[example.com/foo]: Invalid value: "1500m": must be an integer',
      'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
    ],
  ],
  [
    'resources extended differs',
    { resources: { requests: { 'example.com/foo': '1' }, limits: { 'example.com/foo': '2' } } },
    [
      'spec.containers[0].resources.requests: Invalid value: "1": must be equal to example.com/foo limit of 2',
    ],
  ],
  [
    'resources hugepages',
    { resources: { limits: { 'hugepages-2Mi': '4Mi' } } },
    ['spec.containers[0].resources: Forbidden: HugePages require cpu or memory'],
  ],
  [
    'security proc unmasked',
    { securityContext: { procMount: 'Unmasked' } },
    [
      'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
    ],
  ],
  [
    'security seccomp',
    {
      securityContext: {
        seccompProfile: { type: 'Localhost', localhostProfile: '' },
        appArmorProfile: { type: 'Localhost', localhostProfile: '' },
      },
    },
    [
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost',
    ],
  ],
  [
    'probe grace zero',
    { livenessProbe: { exec: { command: ['a'] }, terminationGracePeriodSeconds: 0 } },
    [
      'spec.containers[0].livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0',
    ],
  ],
  [
    'probe http headers',
    {
      livenessProbe: {
        httpGet: {
          port: 80,
          httpHeaders: [
            { name: 'a b', value: 'x' },
            { name: '', value: '' },
          ],
        },
      },
    },
    [
      'spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or \'-\'',
      'spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: "": a valid HTTP header must consist of alphanumeric characters or \'-\'',
    ],
  ],
  [
    'lifecycle sleep long',
    { lifecycle: { preStop: { sleep: { seconds: 31 } }, postStart: { sleep: { seconds: 31 } } } },
    [
      'spec.containers[0].lifecycle.postStart.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
      'spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
    ],
  ],
  [
    'container rules alone',
    { restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }] },
    [
      'spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used',
    ],
  ],
  [
    'container rules action',
    {
      restartPolicy: 'Never',
      restartPolicyRules: [
        { action: 'Stop', exitCodes: { operator: 'Near', values: [] } },
        { action: 'Restart' },
        { action: 'RestartAllContainers', exitCodes: { operator: 'NotIn', values: [1] } },
      ],
    },
    [
      'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "Stop": supported values: "Restart", "RestartAllContainers"',
      'spec.containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: "Near": supported values: "In", "NotIn"',
      'spec.containers[0].restartPolicyRules[1].exitCodes: Required value: must be specified',
    ],
  ],
  [
    'env key',
    {
      env: [
        { name: 'A', valueFrom: { configMapKeyRef: { name: 'A_', key: 'a b' } } },
        { name: 'B', valueFrom: { secretKeyRef: { name: '', key: '' } } },
        { name: 'C', valueFrom: { configMapKeyRef: { key: '..' } } },
      ],
    },
    [
      "spec.containers[0].env[0].valueFrom.configMapKeyRef.name: Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      "spec.containers[0].env[0].valueFrom.configMapKeyRef.key: Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
      "spec.containers[0].env[1].valueFrom.secretKeyRef.name: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.containers[0].env[1].valueFrom.secretKeyRef.key: Required value',
      "spec.containers[0].env[2].valueFrom.configMapKeyRef.name: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.containers[0].env[2].valueFrom.configMapKeyRef.key: Invalid value: "..": must not be \'..\'',
    ],
  ],
  [
    'devices',
    {
      volumeDevices: [
        { name: '', devicePath: '' },
        { name: 'a', devicePath: '/../a' },
        { name: 'a', devicePath: '/a' },
        { name: 'b', devicePath: '/a' },
      ],
    },
    [
      'spec.containers[0].volumeDevices[0].name: Required value',
      'spec.containers[0].volumeDevices[0].name: Not found: ""',
      'spec.containers[0].volumeDevices[0].devicePath: Required value',
      'spec.containers[0].volumeDevices[1].name: Invalid value: "a": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      'spec.containers[0].volumeDevices[1].devicePath: Invalid value: "/../a": can not contain backsteps (\'..\')',
      'spec.containers[0].volumeDevices[2].name: Invalid value: "a": must be unique',
      'spec.containers[0].volumeDevices[2].name: Invalid value: "a": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      'spec.containers[0].volumeDevices[3].name: Not found: "b"',
      'spec.containers[0].volumeDevices[3].devicePath: Invalid value: "/a": must be unique',
    ],
  ],
];

const short = (cause: string): string => cause.replace(/ \(e\.g\..*$/s, '');

describe('an odd pod', () => {
  const client = clientOfRunningServer();
  const container = { name: 'c', image: 'i' };

  async function causesFor(spec: object): Promise<string[]> {
    const response = await client.post(`${pods}?dryRun=All`, { metadata: { name: 'p' }, spec });
    return causesOf(response).map((cause) => short(cause));
  }

  test.each(oddPods)('is refused for %s', async (_name, spec, causes) => {
    const found = await causesFor({ ...spec, containers: [container] });
    expect(found.toSorted()).toEqual(causes.toSorted());
  });

  test.each(oddContainers)('is refused for its container with %s', async (_name, part, causes) => {
    const containers = [{ ...container, ...part }];
    const found = await causesFor({ volumes: [{ name: 'a' }], containers });
    expect(found.toSorted()).toEqual(causes.toSorted());
  });

  test('has the resources of its containers and limits as its own requests, which decide its class', async () => {
    const resources = { limits: { cpu: '2', memory: '1Gi' } };
    const { body } = await client.post(`${pods}?dryRun=All`, {
      metadata: { name: 'p' },
      spec: {
        resources,
        containers: [{ ...container, resources: { requests: { cpu: '1' } } }],
      },
    });
    expect([body.spec.resources.requests, body.status.qosClass]).toEqual([
      { cpu: '1', memory: '1Gi' },
      'Burstable',
    ]);
  });

  test('extends its selectors by its own labels', async () => {
    const constraint = {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'a' } },
      matchLabelKeys: ['version', 'none'],
    };
    const { body } = await client.post(`${pods}?dryRun=All`, {
      metadata: { name: 'p', labels: { version: '1' } },
      spec: { topologySpreadConstraints: [constraint], containers: [container] },
    });
    expect(body.spec.topologySpreadConstraints[0].labelSelector.matchExpressions).toEqual([
      { key: 'version', operator: 'In', values: ['1'] },
    ]);
  });

  test('loses the fields of feature gates that are off', async () => {
    const trust = { clusterTrustBundle: { name: 'a', path: 'b' } };
    const { body, headers } = await client.post(`${pods}?dryRun=All`, {
      metadata: { name: 'p' },
      spec: {
        schedulingGroup: { podGroupName: 'g' },
        volumes: [{ name: 'v', projected: { sources: [trust] } }],
        containers: [{ ...container, lifecycle: { stopSignal: 'SIGTERM' } }],
      },
    });
    expect(body.spec).not.toHaveProperty('schedulingGroup');
    expect(body.spec.containers[0]).not.toHaveProperty('lifecycle');
    expect(body.spec.volumes[0].projected.sources).toEqual([{}]);
    expect(headers.get('warning')).toBe(
      '299 - "volume \\"v\\" (Projected) has no sources provided"',
    );
  });
});

describe('a part of a stored pod', () => {
  const client = clientOfRunningServer();

  async function changed(path: string, spec: object, os = 'linux'): Promise<string[]> {
    const resources = { requests: { cpu: '1' }, limits: { cpu: '2' } };
    const containers = [{ name: 'c', image: 'i', resources }];
    const ephemeral = { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } };
    await client.post(pods, { metadata: { name: os }, spec: { os: { name: os }, containers } });
    await client.patch(`${pods}/${os}/ephemeralcontainers`, 'strategic', ephemeral);
    const patched = await client.patch(`${pods}/${os}/${path}?dryRun=All`, 'strategic', { spec });
    return causesOf(patched);
  }

  test.each([
    [
      'no limits',
      { resources: { limits: null } },
      'spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed',
    ],
    [
      'storage',
      { resources: { requests: { 'ephemeral-storage': '1' } } },
      'spec: Forbidden: only cpu and memory resources are mutable',
    ],
    [
      'a policy',
      { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] },
      'spec: Forbidden: only cpu and memory resources are mutable',
    ],
  ])('is not resized by %s', async (_name, part, cause) => {
    expect(await changed('resize', { containers: [{ name: 'c', ...part }] })).toEqual([cause]);
  });

  test('is not resized in a pod of Windows', async () => {
    const containers = [{ name: 'c', resources: { limits: { cpu: '3' } } }];
    expect(await changed('resize', { containers }, 'windows')).toEqual([
      '[]: Forbidden: windows pods cannot be resized',
    ]);
  });

  test.each([
    [
      'a port',
      { name: 'f', image: 'i', ports: [{ containerPort: 80 }] },
      'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
    ],
    [
      'another image of one that exists',
      { name: 'e', image: 'j' },
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed',
    ],
  ])('gets no ephemeral container with %s', async (_name, container, cause) => {
    expect(await changed('ephemeralcontainers', { ephemeralContainers: [container] })).toEqual([
      cause,
    ]);
  });

  test('is resized alone: the write keeps the rest of the pod', async () => {
    await changed('resize', {});
    const { body } = await client.patch(`${pods}/linux/resize?dryRun=All`, 'strategic', {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'j', resources: { limits: { cpu: '3' } } }] },
    });
    expect(body.metadata.labels).toBeUndefined();
    expect(body.spec.containers[0]).toMatchObject({
      image: 'i',
      resources: { limits: { cpu: '3' } },
    });
  });

  test('names only the toleration that a write changes, not its values', async () => {
    const changes = [{ op: 'remove', path: '/spec/tolerations/0/effect' }];
    const refused = await client.patch(`${pods}/linux`, 'json', changes);
    const causes = causesOf(refused).filter((cause) => cause.startsWith('spec.tolerations'));
    expect(causes).toEqual([
      'spec.tolerations[0].effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ]);
  });
});
