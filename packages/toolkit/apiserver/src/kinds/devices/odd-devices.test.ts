import { describe, expect, test } from '@jest/globals';
import { causesOf } from '../../server/raw-client.test-support.ts';
import { clientOfRunningServer } from '../../server/running-server.test-support.ts';

type Row = readonly [name: string, path: string, body: object, causes: readonly string[]];

// The causes of kube-apiserver 1.36.3, without the examples in parentheses. The conversation of e2e/fidelity has more of them.
const rows: readonly Row[] = [
  [
    'a class with selector 0',
    '/apis/resource.k8s.io/v1/deviceclasses',
    { metadata: { name: 'odd' }, spec: { selectors: [{ cel: { expression: '' } }] } },
    [
      "spec.selectors[0].cel.expression: Invalid value: \"\": compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  [
    'a class with selector 1',
    '/apis/resource.k8s.io/v1/deviceclasses',
    { metadata: { name: 'odd' }, spec: { selectors: [{ cel: { expression: '1' } }] } },
    [
      'spec.selectors[0].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int',
    ],
  ],
  [
    'a class with selector 2',
    '/apis/resource.k8s.io/v1/deviceclasses',
    {
      metadata: { name: 'odd' },
      spec: { selectors: [{ cel: { expression: 'device.attributes["a"].b + 1 == 2' } }] },
    },
    [],
  ],
  [
    'a class with selector 3',
    '/apis/resource.k8s.io/v1/deviceclasses',
    {
      metadata: { name: 'odd' },
      spec: { selectors: [{ cel: { expression: 'device.attributes["a"] == 1' } }] },
    },
    [
      'spec.selectors[0].cel.expression: Invalid value: "device.attributes[\\"a\\"] == 1": compilation failed: ERROR: <input>:1:24: found no matching overload for \'_==_\' applied to \'(map(string, any), int)\'\n | device.attributes["a"] == 1\n | .......................^',
    ],
  ],
  [
    'a class with selector 4',
    '/apis/resource.k8s.io/v1/deviceclasses',
    { metadata: { name: 'odd' }, spec: { selectors: [{ cel: { expression: 'device.nope' } }] } },
    [
      'spec.selectors[0].cel.expression: Invalid value: "device.nope": compilation failed: ERROR: <input>:1:7: undefined field \'nope\'\n | device.nope\n | ......^',
    ],
  ],
  [
    'a class with selector 5',
    '/apis/resource.k8s.io/v1/deviceclasses',
    {
      metadata: { name: 'odd' },
      spec: { selectors: [{ cel: { expression: 'device.capacity["a"].b > 1' } }] },
    },
    [
      'spec.selectors[0].cel.expression: Invalid value: "device.capacity[\\"a\\"].b > 1": compilation failed: ERROR: <input>:1:24: found no matching overload for \'_>_\' applied to \'(kubernetes.Quantity, int)\'\n | device.capacity["a"].b > 1\n | .......................^',
    ],
  ],
  [
    'a class with selector 6',
    '/apis/resource.k8s.io/v1/deviceclasses',
    {
      metadata: { name: 'odd' },
      spec: { selectors: [{ cel: { expression: 'device.attributes' } }] },
    },
    [
      'spec.selectors[0].cel.expression: Invalid value: "device.attributes": must evaluate to bool or the unknown type, not map(string, map(string, google.protobuf.Any))',
    ],
  ],
  [
    'a class with selector 7',
    '/apis/resource.k8s.io/v1/deviceclasses',
    {
      metadata: { name: 'odd' },
      spec: { selectors: [{ cel: { expression: 'device.attributes["a"].b.matches("x")' } }] },
    },
    [],
  ],
  [
    'a class with selector 8',
    '/apis/resource.k8s.io/v1/deviceclasses',
    {
      metadata: { name: 'odd' },
      spec: {
        selectors: [
          { cel: { expression: 'device.attributes["a"].v.isGreaterThan(semver("1.0.0"))' } },
        ],
      },
    },
    [],
  ],
  [
    'a class with selector 9',
    '/apis/resource.k8s.io/v1/deviceclasses',
    {
      metadata: { name: 'odd' },
      spec: { selectors: [{ cel: { expression: 'device.allowMultipleAllocations' } }] },
    },
    [],
  ],
  [
    'a class with selector 10',
    '/apis/resource.k8s.io/v1/deviceclasses',
    {
      metadata: { name: 'odd' },
      spec: {
        selectors: [
          {
            cel: {
              expression:
                'device.attributes.all(d, device.attributes[d].all(i, device.attributes[d].all(j, device.attributes.all(e, device.attributes[e].all(k, i == k)))))',
            },
          },
        ],
      },
    },
    ['spec.selectors[0].cel.expression: Forbidden: too complex, exceeds cost limit'],
  ],
  [
    'a class with selector 11',
    '/apis/resource.k8s.io/v1/deviceclasses',
    {
      metadata: { name: 'odd' },
      spec: {
        selectors: [{ cel: { expression: 'cel.bind(x, device.attributes["a"], x.b && x.c)' } }],
      },
    },
    [],
  ],
  [
    'a class with selector 12',
    '/apis/resource.k8s.io/v1/deviceclasses',
    {
      metadata: { name: 'odd' },
      spec: { selectors: [{ cel: { expression: 'cel.bind(1, 2, true)' } }] },
    },
    [
      'spec.selectors[0].cel.expression: Invalid value: "cel.bind(1, 2, true)": compilation failed: ERROR: <input>:1:10: cel.bind() variable names must be simple identifiers\n | cel.bind(1, 2, true)\n | .........^',
    ],
  ],
  [
    'a class with selector 13',
    '/apis/resource.k8s.io/v1/deviceclasses',
    { metadata: { name: 'odd' }, spec: { selectors: [{ cel: { expression: 'self' } }] } },
    [
      "spec.selectors[0].cel.expression: Invalid value: \"self\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'self' (in container '')\n | self\n | ^",
    ],
  ],
  [
    'a class with selector 14',
    '/apis/resource.k8s.io/v1/deviceclasses',
    {
      metadata: { name: 'odd' },
      spec: { selectors: [{ cel: { expression: 'quantity("x") == quantity("1")' } }] },
    },
    [],
  ],
  [
    'a class with selector 15',
    '/apis/resource.k8s.io/v1/deviceclasses',
    {
      metadata: { name: 'odd' },
      spec: {
        selectors: [{ cel: { expression: 'device.attributes["a"].b < device.attributes["a"].c' } }],
      },
    },
    [],
  ],
  [
    'a class with the extended resource of a domain of Kubernetes',
    '/apis/resource.k8s.io/v1/deviceclasses',
    { metadata: { name: 'odd' }, spec: { extendedResourceName: 'kubernetes.io/x' } },
    [
      'spec.extendedResourceName: Invalid value: "kubernetes.io/x": must be a valid extended resource name',
    ],
  ],
  [
    'a claim with a selector that does not compile',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    {
      metadata: { name: 'odd' },
      spec: {
        devices: {
          requests: [
            {
              name: 'r',
              exactly: { deviceClassName: 'd', selectors: [{ cel: { expression: 'nope' } }] },
            },
          ],
        },
      },
    },
    [
      "spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: \"nope\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^",
    ],
  ],
  [
    'a claim with administrative access',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    {
      metadata: { name: 'odd' },
      spec: {
        devices: {
          requests: [
            { name: 'q', exactly: { deviceClassName: 'd' } },
            { name: 'r', exactly: { deviceClassName: 'd', adminAccess: true } },
          ],
        },
      },
    },
    [
      'spec.devices.requests[1].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
    ],
  ],
  [
    'a claim with administrative access and no class',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    {
      metadata: { name: 'odd' },
      spec: { devices: { requests: [{ name: 'r', exactly: { adminAccess: true } }] } },
    },
    [
      'spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
      'spec.devices.requests[0].exactly.deviceClassName: Required value',
    ],
  ],
  [
    'a claim with a name with a dot',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    {
      metadata: { name: 'odd' },
      spec: { devices: { requests: [{ name: 'a.b', exactly: { deviceClassName: 'd' } }] } },
    },
    ['spec.devices.requests[0].name: Invalid value: "a.b": must not contain dots'],
  ],
  [
    'a claim with an attribute of three parts',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    {
      metadata: { name: 'odd' },
      spec: {
        devices: {
          requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }],
          constraints: [{ matchAttribute: 'a/b/c' }],
        },
      },
    },
    [],
  ],
  [
    'a template with a wrong label',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates',
    {
      metadata: { name: 'odd' },
      spec: {
        metadata: { labels: { a: 'b c' } },
        spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }] } },
      },
    },
    [
      "spec.metadata.labels: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'a template with a name and a finalizer in its metadata',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates',
    {
      metadata: { name: 'odd' },
      spec: {
        metadata: { name: 'x', finalizers: ['a/b'] },
        spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }] } },
      },
    },
    [
      'spec.metadata.name: Forbidden: cannot be set',
      'spec.metadata.finalizers: Forbidden: cannot be set',
    ],
  ],
  [
    'a template with administrative access',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates',
    {
      metadata: { name: 'odd' },
      spec: {
        spec: {
          devices: {
            requests: [{ name: 'r', exactly: { deviceClassName: 'd', adminAccess: true } }],
          },
        },
      },
    },
    [
      'spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
    ],
  ],
  [
    'a slice with two choices of nodes',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        allNodes: true,
      },
    },
    [
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
    ],
  ],
  [
    'a slice with no choice of nodes',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: { driver: 'd.x', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
    },
    [
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
  ],
  [
    'a slice with false choices',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: '',
        allNodes: false,
        perDeviceNodeSelection: false,
      },
    },
    [
      'spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string',
      'spec.allNodes: Invalid value: false: must be either unset or set to true',
      'spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true',
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
  ],
  [
    'a slice with a selector of two terms',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeSelector: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
            { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['x'] }] },
          ],
        },
      },
    },
    [
      'spec.nodeSelector.nodeSelectorTerms: Invalid value: [{"MatchExpressions":[{"Key":"a","Operator":"Exists","Values":null}],"MatchFields":null},{"MatchExpressions":null,"MatchFields":[{"Key":"metadata.name","Operator":"In","Values":["x"]}]}]: must have exactly one node selector term',
    ],
  ],
  [
    'a slice with an odd selector',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeSelector: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a b', operator: 'Like' }] }],
        },
      },
    },
    [
      'spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
      "spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    'a slice with nodes of devices',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        perDeviceNodeSelection: true,
        devices: [{ name: 'a', nodeName: 'x' }],
      },
    },
    [],
  ],
  [
    'a slice with two nodes of a device',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        perDeviceNodeSelection: true,
        devices: [{ name: 'a', nodeName: 'x', allNodes: true }],
      },
    },
    [
      'spec.devices[0]: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
  ],
  [
    'a slice with no nodes of a device',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        perDeviceNodeSelection: true,
        devices: [{ name: 'a', nodeName: '', allNodes: false }],
      },
    },
    [
      'spec.devices[0].nodeName: Invalid value: "": must not be empty',
      'spec.devices[0].allNodes: Invalid value: false: must be either unset or set to true',
      'spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
  ],
  [
    'a slice with nodes of a device that has none',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: 'a', nodeName: 'x' }],
      },
    },
    [
      'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
  ],
  [
    'a slice with a driver in capitals',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'A.B',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
      },
    },
    [],
  ],
  [
    'a slice with a long driver',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
      },
    },
    ['spec.driver: Too long: may not be more than 63 bytes'],
  ],
  [
    'a slice with a wrong pool',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'a//B', generation: -1, resourceSliceCount: -1 },
        nodeName: 'n',
      },
    },
    [
      "spec.pool.name: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      "spec.pool.name: Invalid value: \"B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      'spec.pool.resourceSliceCount: Invalid value: -1: must be greater than zero',
      'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero',
    ],
  ],
  [
    'a slice with no pool',
    '/apis/resource.k8s.io/v1/resourceslices',
    { metadata: { name: 'odd' }, spec: { driver: 'd.x', nodeName: 'n' } },
    [
      'spec.pool.name: Required value',
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
    ],
  ],
  [
    'a slice with a device twice',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: 'x' }, { name: 'x' }, { name: 'A b' }, {}],
      },
    },
    [
      'spec.devices[2].name: Invalid value: "A b": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
      'spec.devices[3].name: Invalid value: "": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
      'spec.devices[1]: Duplicate value: "x"',
    ],
  ],
  [
    'a slice with odd taints',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: 'a', taints: [{ key: 'a b', value: 'c d', effect: 'Nope' }, {}] }],
      },
    },
    [
      "spec.devices[0].taints[0].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      "spec.devices[0].taints[0].value: Invalid value: \"c d\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.devices[0].taints[0].effect: Unsupported value: "Nope": supported values: "NoExecute", "NoSchedule", "None"',
      'spec.devices[0].taints[1].key: Invalid value: "": name part must be non-empty',
      "spec.devices[0].taints[1].key: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.devices[0].taints[1].effect: Required value',
    ],
  ],
  [
    'a slice with a taint without a time',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: 'a', taints: [{ key: 'k', effect: 'NoSchedule' }] }],
      },
    },
    [],
  ],
  [
    'a slice with a version that is none',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'a',
            attributes: {
              a: { version: '1.2' },
              b: { version: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' },
              c: { string: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' },
            },
          },
        ],
      },
    },
    [
      'spec.devices[0].attributes[c].string: Too long: may not be more than 64 bytes',
      'spec.devices[0].attributes[a].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0',
      'spec.devices[0].attributes[b].version: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be a string compatible with semver.org spec 2.0.0',
      'spec.devices[0].attributes[b].version: Too long: may not be more than 64 bytes',
    ],
  ],
  [
    'a slice with two values of an attribute',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: 'a', attributes: { a: { int: 1, string: 'x' }, b: {} } }],
      },
    },
    [
      'spec.devices[0].attributes[a]: Invalid value: {"IntValue":1,"BoolValue":null,"StringValue":"x","VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified',
      'spec.devices[0].attributes[b]: Invalid value: "": exactly one value must be specified',
    ],
  ],
  [
    'a slice with a list of values',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: 'a', attributes: { a: { ints: [1] } } }],
      },
    },
    ['spec.devices[0].attributes[a]: Invalid value: "": exactly one value must be specified'],
  ],
  [
    'a slice with odd names of attributes',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'a',
            attributes: {
              '/a': { int: 1 },
              'a/': { int: 1 },
              'a/b/c': { int: 1 },
              xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: { int: 1 },
              'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy/zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz':
                { string: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' },
            },
          },
        ],
      },
    },
    [
      'spec.devices[0].attributes: Invalid value: "": the domain must not be empty',
      'spec.devices[0].attributes: Invalid value: "": the name must not be empty',
      'spec.devices[0].attributes: Too long: may not be more than 32 bytes',
      'spec.devices[0].attributes: Too long: may not be more than 63 bytes',
      'spec.devices[0].attributes: Too long: may not be more than 32 bytes',
      'spec.devices[0].attributes[yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...yyyyy/zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz].string: Too long: may not be more than 64 bytes',
    ],
  ],
  [
    'a slice with counters and devices',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        sharedCounters: [{ name: 's', counters: { c: { value: '1' } } }],
        devices: [{ name: 'a' }],
      },
    },
    ['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'],
  ],
  [
    'a slice with odd counters',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        sharedCounters: [
          { name: '', counters: {} },
          { name: 'A_b', counters: { 'X y': { value: '1' } } },
          { name: 's', counters: { c: { value: '1' } } },
          { name: 's', counters: { c: { value: '1' } } },
        ],
      },
    },
    [
      'spec.sharedCounters[0].name: Required value',
      'spec.sharedCounters[0].counters: Required value',
      'spec.sharedCounters[1].name: Invalid value: "A_b": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
      'spec.sharedCounters[1].counters: Invalid value: "X y": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
      'spec.sharedCounters[3]: Duplicate value: "s"',
    ],
  ],
  [
    'a slice with odd uses of counters',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'a',
            consumesCounters: [
              { counterSet: '', counters: {} },
              { counterSet: 'A_', counters: { 'X y': { value: '1' } } },
            ],
          },
        ],
      },
    },
    [
      'spec.devices[0].consumesCounters[0].counterSet: Required value',
      'spec.devices[0].consumesCounters[0].counters: Required value',
      'spec.devices[0].consumesCounters[1].counterSet: Invalid value: "A_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
      'spec.devices[0].consumesCounters[1].counters: Invalid value: "X y": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character',
    ],
  ],
  [
    'a slice with three uses of counters',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'a',
            consumesCounters: [
              { counterSet: 'a', counters: { c: { value: '1' } } },
              { counterSet: 'b', counters: { c: { value: '1' } } },
              { counterSet: 'c', counters: { c: { value: '1' } } },
            ],
          },
        ],
      },
    },
    ['spec.devices[0].consumesCounters: Too many: 3: must have at most 2 items'],
  ],
  [
    'a slice with odd conditions',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'a',
            bindingConditions: ['a', 'a'],
            bindingFailureConditions: ['a', 'x y', 'b', 'b', 'c'],
          },
        ],
      },
    },
    [
      'spec.devices[0].bindingFailureConditions: Too many: 5: must have at most 4 items',
      'spec.devices[0].bindingConditions[1]: Duplicate value: "a"',
      'spec.devices[0].bindingFailureConditions[0]: Invalid value: "a": bindingFailureConditions must not overlap with bindingConditions',
      'spec.devices[0].bindingFailureConditions[3]: Duplicate value: "b"',
    ],
  ],
  [
    'a slice with half of the conditions',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: 'a', bindingConditions: ['a'] }],
      },
    },
    [
      'spec.devices[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions',
    ],
  ],
  [
    'a slice with a policy of one allocation',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: 'a', capacity: { m: { value: '10', requestPolicy: { default: '1' } } } }],
      },
    },
    ['spec.devices[0].capacity[m].requestPolicy: Forbidden: allowMultipleAllocations must be true'],
  ],
  [
    'a slice with a policy',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'a',
            allowMultipleAllocations: true,
            capacity: { m: { value: '10', requestPolicy: { default: '1' } } },
          },
        ],
      },
    },
    [],
  ],
  [
    'a slice with two policies',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'a',
            allowMultipleAllocations: true,
            capacity: {
              m: {
                value: '10',
                requestPolicy: { default: '1', validValues: ['1'], validRange: { min: '1' } },
              },
            },
          },
        ],
      },
    },
    [
      'spec.devices[0].capacity[m].requestPolicy: Forbidden: exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    ],
  ],
  [
    'a slice with odd values of a policy',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'a',
            allowMultipleAllocations: true,
            capacity: {
              m: {
                value: '10',
                requestPolicy: { default: '3', validValues: ['2', '1', '1', '11'] },
              },
            },
          },
        ],
      },
    },
    [
      'spec.devices[0].capacity[m].requestPolicy.validValues[1]: Invalid value: "1": values must be sorted in ascending order',
      'spec.devices[0].capacity[m].requestPolicy.validValues[3]: Invalid value: "11": option is larger than capacity value: 10',
      'spec.devices[0].capacity[m].requestPolicy.validValues[2]: Duplicate value: "1"',
      'spec.devices[0].capacity[m].requestPolicy.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
    ],
  ],
  [
    'a slice with a policy without a default',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'a',
            allowMultipleAllocations: true,
            capacity: { m: { value: '10', requestPolicy: { validValues: ['2'] } } },
          },
        ],
      },
    },
    [
      'spec.devices[0].capacity[m].requestPolicy.default: Required value: required when validValues is defined',
    ],
  ],
  [
    'a slice with an odd range',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'a',
            allowMultipleAllocations: true,
            capacity: {
              m: {
                value: '10',
                requestPolicy: { default: '3', validRange: { min: '4', max: '11', step: '7' } },
              },
            },
          },
        ],
      },
    },
    [
      'spec.devices[0].capacity[m].requestPolicy.validRange.min: Invalid value: "3": default is less than min: 4',
      'spec.devices[0].capacity[m].requestPolicy.validRange.max: Invalid value: "11": max is larger than capacity value: 10',
      'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "7": one step 11 is larger than capacity value: 10',
      'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "3": value is not a multiple of a given step (7) from (4)',
    ],
  ],
  [
    'a slice with an odd step',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'a',
            allowMultipleAllocations: true,
            capacity: {
              m: {
                value: '10Gi',
                requestPolicy: {
                  default: '30Gi',
                  validRange: { min: '20Gi', max: '15Gi', step: '3Gi' },
                },
              },
            },
          },
        ],
      },
    },
    [
      'spec.devices[0].capacity[m].requestPolicy.validRange.min: Invalid value: "20Gi": min is larger than capacity value: 10Gi',
      'spec.devices[0].capacity[m].requestPolicy.validRange.max: Invalid value: "20Gi": min is larger than max: 15Gi',
      'spec.devices[0].capacity[m].requestPolicy.validRange.max: Invalid value: "15Gi": max is larger than capacity value: 10Gi',
      'spec.devices[0].capacity[m].requestPolicy.validRange.max: Invalid value: "30Gi": default is more than max: 15Gi',
      'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "3Gi": one step 23Gi is larger than capacity value: 10Gi',
      'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "30Gi": value is not a multiple of a given step (3Gi) from (20Gi)',
      'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "15Gi": value is not a multiple of a given step (3Gi) from (20Gi)',
    ],
  ],
  [
    'a slice with a range without a start',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'a',
            allowMultipleAllocations: true,
            capacity: {
              m: { value: '10', requestPolicy: { default: '3', validRange: { max: '2' } } },
            },
          },
        ],
      },
    },
    [
      'spec.devices[0].capacity[m].requestPolicy.validRange.min: Required value: required when validRange is defined',
    ],
  ],
  [
    'a slice with resources of the node',
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: { name: 'odd' },
      spec: {
        driver: 'd.x',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: 'a', nodeAllocatableResourceMappings: { cpu: {} } }],
      },
    },
    [],
  ],
];

const short = (cause: string): string => cause.replace(/ \(e\.g\..*$/s, '');

describe('devices with odd values', () => {
  const client = clientOfRunningServer();

  test.each(rows)('are validated as kube-apiserver does: %s', async (_name, path, body, causes) => {
    const response = await client.post(`${path}?dryRun=All`, body);
    // The order of the members of a map is random in Go.
    expect(causesOf(response).map(short).toSorted()).toEqual(causes.toSorted());
    expect(response.code).toBe(causes.length === 0 ? 201 : 422);
  });
});
