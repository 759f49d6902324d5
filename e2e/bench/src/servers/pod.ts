/**
 * A pod as an API server renders it: about 5.2 KB of JSON, 1.5 KB of that managedFields. Names,
 * uids, addresses and versions differ from pod to pod, so that no memory is saved by equal strings.
 */
export function renderPod(index: number, resourceVersion: number): string {
  const pod = podObject(index, resourceVersion);
  return JSON.stringify(pod);
}

/** Renders a pod for a watch event: with kind and apiVersion, which items of a list do not have. */
export function renderTypedPod(index: number, resourceVersion: number): string {
  return JSON.stringify({ kind: 'Pod', apiVersion: 'v1', ...podObject(index, resourceVersion) });
}

export function podName(index: number): string {
  return `web-${String(index % 97)}-${hex(index, 10)}-${hex(index * 7, 5)}`;
}

export function podNamespace(index: number): string {
  return `tenant-${String(index % 50)}`;
}

export function podUid(index: number): string {
  const h = (salt: number, length: number): string => hex(index * 31 + salt, length);
  return `${h(1, 8)}-${h(2, 4)}-4${h(3, 3)}-a${h(4, 3)}-${h(5, 12)}`;
}

function podObject(index: number, resourceVersion: number): object {
  const app = `web-${String(index % 97)}`;
  const created = new Date(1_760_000_000_000 + index * 1000).toISOString().replace('.000', '');
  return {
    metadata: metadata(index, resourceVersion, app, created),
    spec: spec(index, app),
    status: status(index, created),
  };
}

function metadata(
  index: number,
  resourceVersion: number,
  app: string,
  created: string,
): Record<string, unknown> {
  return {
    name: podName(index),
    generateName: `${app}-${hex(index, 10)}-`,
    namespace: podNamespace(index),
    uid: podUid(index),
    resourceVersion: String(resourceVersion),
    generation: 1,
    creationTimestamp: created,
    labels: {
      app: app,
      'app.kubernetes.io/name': app,
      'app.kubernetes.io/part-of': `shop-${String(index % 7)}`,
      'pod-template-hash': hex(index, 10),
    },
    annotations: {
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': '8080',
    },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: `${app}-${hex(index, 10)}`,
        uid: podUid(index + 1_000_000),
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    managedFields: managedFields(index, created),
  };
}

function spec(index: number, app: string): object {
  return {
    volumes: [
      { name: 'config', configMap: { name: `${app}-config`, defaultMode: 420 } },
      { name: 'tmp', emptyDir: {} },
      {
        name: `kube-api-access-${hex(index, 5)}`,
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [
                  {
                    path: 'namespace',
                    fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' },
                  },
                ],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: [container(index, app)],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: app,
    serviceAccount: app,
    nodeName: `node-${String(index % 300)}.eu-central-1.compute.internal`,
    securityContext: { runAsNonRoot: true },
    schedulerName: 'default-scheduler',
    tolerations: ['not-ready', 'unreachable'].map((condition) => ({
      key: `node.kubernetes.io/${condition}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })),
    priority: 0,
  };
}

function container(index: number, app: string): object {
  return {
    name: 'server',
    image: `registry.example.com/shop/${app}:v1.${String(index % 40)}.0`,
    args: ['--port=8080', '--config=/etc/app/config.yaml', '--log-level=info'],
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: [
      {
        name: 'POD_NAME',
        valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
      },
      { name: 'POD_IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
      { name: 'DATABASE_URL', value: `postgres://db-${String(index % 20)}.data.svc:5432/shop` },
    ],
    resources: {
      limits: { cpu: '1', memory: '512Mi' },
      requests: { cpu: '100m', memory: '256Mi' },
    },
    volumeMounts: [
      { name: 'config', readOnly: true, mountPath: '/etc/app' },
      { name: 'tmp', mountPath: '/tmp' },
      {
        name: `kube-api-access-${hex(index, 5)}`,
        readOnly: true,
        mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      },
    ],
    readinessProbe: {
      httpGet: { path: '/readyz', port: 'http', scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
  };
}

function status(index: number, created: string): object {
  const types = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  return {
    phase: 'Running',
    conditions: types.map((type) => ({
      type,
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: created,
    })),
    hostIP: `192.168.${String(index % 256)}.17`,
    podIP: address(index),
    podIPs: [{ ip: address(index) }],
    startTime: created,
    containerStatuses: [
      {
        name: 'server',
        state: { running: { startedAt: created } },
        lastState: {},
        ready: true,
        restartCount: index % 3,
        image: `registry.example.com/shop/web-${String(index % 97)}:v1.${String(index % 40)}.0`,
        imageID: `registry.example.com/shop/web@sha256:${hex(index, 32)}${hex(index * 3, 32)}`,
        containerID: `containerd://${hex(index * 5, 32)}${hex(index * 11, 32)}`,
        started: true,
      },
    ],
    qosClass: 'Burstable',
  };
}

function managedFields(index: number, created: string): object[] {
  return [
    {
      manager: 'kube-controller-manager',
      operation: 'Update',
      apiVersion: 'v1',
      time: created,
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:metadata': {
          'f:generateName': {},
          'f:labels': { '.': {}, 'f:app': {}, 'f:pod-template-hash': {} },
          'f:ownerReferences': { '.': {}, [`k:{"uid":"${podUid(index + 1_000_000)}"}`]: {} },
        },
        'f:spec': {
          'f:containers': {
            'k:{"name":"server"}': {
              '.': {},
              'f:args': {},
              'f:env': {
                '.': {},
                'k:{"name":"DATABASE_URL"}': { '.': {}, 'f:name': {}, 'f:value': {} },
                'k:{"name":"FEATURE_FLAGS"}': { '.': {}, 'f:name': {}, 'f:value': {} },
              },
              'f:image': {},
              'f:imagePullPolicy': {},
              'f:readinessProbe': {
                '.': {},
                'f:failureThreshold': {},
                'f:httpGet': { '.': {}, 'f:path': {}, 'f:port': {}, 'f:scheme': {} },
                'f:periodSeconds': {},
              },
              'f:volumeMounts': {
                '.': {},
                'k:{"mountPath":"/etc/app"}': { '.': {}, 'f:mountPath': {}, 'f:name': {} },
                'k:{"mountPath":"/tmp"}': { '.': {}, 'f:mountPath': {}, 'f:name': {} },
              },
              'f:name': {},
              'f:resources': { '.': {}, 'f:limits': {}, 'f:requests': {} },
              'f:securityContext': {},
            },
          },
          'f:dnsPolicy': {},
          'f:restartPolicy': {},
          'f:schedulerName': {},
        },
      },
    },
    {
      manager: 'kubelet',
      operation: 'Update',
      apiVersion: 'v1',
      time: created,
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:status': {
          'f:conditions': {
            'k:{"type":"Ready"}': { '.': {}, 'f:lastTransitionTime': {}, 'f:status': {} },
          },
          'f:containerStatuses': {},
          'f:hostIP': {},
          'f:podIPs': { '.': {}, [`k:{"ip":"${address(index)}"}`]: { '.': {}, 'f:ip': {} } },
          'f:phase': {},
          'f:podIP': {},
          'f:startTime': {},
        },
      },
      subresource: 'status',
    },
  ];
}

function address(index: number): string {
  const octets = [10, (index >> 16) & 255, (index >> 8) & 255, index & 255];
  return octets.join('.');
}

/** Digits that depend on the number in every place. */
function hex(seed: number, length: number): string {
  let state = (seed * 2_654_435_761 + 0x9e37) >>> 0;
  let digits = '';
  while (digits.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    digits += state.toString(16).padStart(8, '0');
  }
  return digits.slice(0, length);
}
