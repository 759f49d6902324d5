import { randomFillSync } from 'node:crypto';

/**
 * A field of fixed width that differs from pod to pod: `<r32>` has 32 random hex digits, `<n7>` the
 * number of the pod, and `<t2>` that of its namespace.
 */
const PLACEHOLDER = /<([rnt])(\d+)>/g;

const NAMESPACES = 50;

const RANDOM_BYTES = 192;

interface Field {
  readonly type: string;
  readonly at: number;
  readonly width: number;
}

const workload = 'web-shop-frontend';
const created = '2026-01-01T00:00:00Z';

/** A pod as a kubelet and a controller manager leave it: 5.2 KB, of it 1.5 KB `managedFields`. */
const metadata = {
  name: `${workload}-<r10>-<n7>`,
  generateName: `${workload}-<r10>-`,
  namespace: 'tenant-<t2>',
  uid: '<r8>-<r4>-4<r3>-a<r3>-<r12>',
  resourceVersion: '<n7>',
  generation: 1,
  creationTimestamp: created,
  labels: {
    app: workload,
    'app.kubernetes.io/name': workload,
    'app.kubernetes.io/part-of': 'shop',
    'pod-template-hash': '<r10>',
  },
  annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' },
  ownerReferences: [
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: `${workload}-<r10>`,
      uid: '<r8>-<r4>-4<r3>-a<r3>-<r12>',
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
  managedFields: ['kube-controller-manager', 'kubelet', 'scheduler'].map((manager) => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: created,
    fieldsType: 'FieldsV1',
    fieldsV1: Object.fromEntries(
      Array.from({ length: 14 }, (_, n) => [`f:member-${n}`, { '.': {}, 'f:name': {} }]),
    ),
  })),
};

const container = {
  name: 'server',
  image: `registry.example.com/shop/${workload}:v1.<n7>.0`,
  args: ['--port=8080', '--config=/etc/app/config.yaml', '--log-level=info'],
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  env: ['NAME', 'NAMESPACE', 'IP', 'NODE', 'DATABASE_URL', 'FEATURES'].map((name) => ({
    name: `POD_${name}`,
    valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
  })),
  resources: {
    limits: { cpu: '1', memory: '512Mi' },
    requests: { cpu: '100m', memory: '256Mi' },
  },
  volumeMounts: [
    { name: 'config', readOnly: true, mountPath: '/etc/app' },
    { name: 'tmp', mountPath: '/tmp' },
    {
      name: 'kube-api-access-<r5>',
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
};

const spec = {
  volumes: [
    { name: 'config', configMap: { name: `${workload}-config`, defaultMode: 420 } },
    { name: 'tmp', emptyDir: {} },
    { name: 'kube-api-access-<r5>', projected: { sources: [], defaultMode: 420 } },
  ],
  containers: [container],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  serviceAccountName: workload,
  nodeName: 'node-<r4>.eu-central-1.compute.internal',
  schedulerName: 'default-scheduler',
  tolerations: ['not-ready', 'unreachable'].map((condition) => ({
    key: `node.kubernetes.io/${condition}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  })),
};

const status = {
  phase: 'Running',
  conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
    type,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: created,
  })),
  hostIP: '192.168.<n7>',
  podIP: '10.<n7>',
  podIPs: [{ ip: '10.<n7>' }],
  startTime: created,
  containerStatuses: [
    {
      name: 'server',
      state: { running: { startedAt: created } },
      ready: true,
      restartCount: 0,
      image: container.image,
      imageID: `registry.example.com/shop/${workload}@sha256:<r64>`,
      containerID: 'containerd://<r64>',
      started: true,
    },
  ],
  qosClass: 'Burstable',
};

/** Renders pods in about two microseconds each, so that a bench measures the cache. */
export class PodRenderer {
  readonly #template: Buffer;
  readonly #fields: readonly Field[];

  /** With `isMetadata`, renders what a server sends for the projection of the metadata. */
  constructor(isMetadata: boolean) {
    const type = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
    const text = JSON.stringify(isMetadata ? { ...type, metadata } : { metadata, spec, status });
    const fields: Field[] = [];
    let shift = 0;
    for (const { 0: match, 1: letter = '', 2: width, index } of text.matchAll(PLACEHOLDER)) {
      fields.push({ type: letter, at: index - shift, width: Number(width) });
      shift += match.length - Number(width);
    }
    this.#template = Buffer.from(
      text.replaceAll(PLACEHOLDER, (match) => '0'.repeat(Number(match.slice(2, -1)))),
    );
    this.#fields = fields;
  }

  render(index: number): Buffer {
    const pod = Buffer.from(this.#template);
    const random = randomFillSync(Buffer.allocUnsafe(RANDOM_BYTES)).toString('hex');
    const digits: Readonly<Record<string, number>> = { n: index, t: index % NAMESPACES };
    let used = 0;
    for (const { type, at, width } of this.#fields) {
      const number = digits[type];
      if (number === undefined) pod.write(random.slice(used, (used += width)), at, 'latin1');
      else pod.write(String(number).padStart(width, '0'), at, 'latin1');
    }
    return pod;
  }
}
