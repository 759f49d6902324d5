import { brotliDecompressSync } from 'node:zlib';
import type { ManagedFieldsEntry } from '@keelson/apimachinery';
import { readDataFile } from '../data-file.ts';
import { Faults } from '../faults/faults.ts';
import { danglingCondition, flowStatusManager } from '../flow-control/dangling-condition.ts';
import type { FlowSchema } from '../flow-control/flow-schema.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { byCodeUnit } from '../storage/sorted-keys.ts';
import { Storage } from '../storage/storage.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';
import { WatchHub } from '../watch/watch-hub.ts';
import { serverSettings } from './api-server-options.ts';
import { ControlPlane } from './control-plane.ts';
import { resourceOf } from './bootstrap.ts';
import type { InitialWriteHead } from './new-cluster.ts';
import { Stats } from './stats.ts';

/** A write as it is recorded. */
interface RecordedWrite {
  readonly head: InitialWriteHead;
  readonly managedFields: readonly ManagedFieldsEntry[];
  readonly content: object;
}

/** The time of all writes, in milliseconds since the epoch. */
const NOW = 0;

/** The values of the writes that each server has its own of, and their placeholders. */
const placeholders: readonly (readonly [value: string, placeholder: string])[] = [
  ['1970-01-01T00:00:00Z', '{{time}}'],
  ['1970-01-01T00:00:00.000000Z', '{{renewTime}}'],
  ['10.96.0.1', '{{address}}'],
  ['10.96.0.0/16', '{{range}}'],
  ['127.0.0.1:65432', '{{peer}}'],
  ['127.0.0.1', '{{host}}'],
  ['"port":65432', '"port":"{{port}}"'],
  ['"addressType":"IPv4"', '"addressType":"{{family}}"'],
  ['00000000-0000-0000-0000-000000000000', '{{instance}}'],
];

/**
 * Writes the objects of a new cluster through the writer of a server, which finds their defaults, generations and owners.
 * Returns these writes with placeholders in the form of the data file `new-cluster.jsonl`: three lines for each write, an empty
 * line between two new objects, and two before the objects that name the address of the server.
 */
export function writtenCluster(): string {
  const storage = new Storage({ changes: 1000, bytes: 1e6 });
  const plane = newPlane(storage);
  const writes = recordWrites(plane, storage);
  for (const object of firstObjects) create(plane, object);
  createServiceRange(plane);
  for (const priority of systemPriorities) create(plane, priority);
  for (const flow of recordedFlows()) createFlow(plane, flow);
  const start = textOf(writes.splice(0));
  for (const object of addressObjects) create(plane, object);
  plane.close();
  return `${start}\n\n${textOf(writes)}`;
}

function textOf(writes: readonly RecordedWrite[]): string {
  let text = related(writes)
    .map((group) => group.map(linesOf).join(''))
    .join('\n');
  for (const [value, placeholder] of placeholders) text = text.replaceAll(value, placeholder);
  return text;
}

function linesOf({ head, managedFields, content }: RecordedWrite): string {
  return [head, managedFields, content].map((part) => `${JSON.stringify(part)}\n`).join('');
}

/** A server that does not listen and has no objects. */
function newPlane(storage: Storage): ControlPlane {
  const settings = serverSettings({ now: () => NOW, controllers: [] });
  const hub = new WatchHub(storage, { defers: () => false });
  const faults = new Faults({
    clock: settings.clock,
    hub,
    stopListening: () => Promise.resolve(),
    breakConnections: () => 0,
    silence: () => ({ connections: 0, close: () => {} }),
    listenAgain: () => Promise.resolve(),
  });
  const stats = new Stats(storage, hub, () => []);
  return new ControlPlane({
    settings,
    tokens: new Map(),
    storage,
    hub,
    stats,
    faults,
    address: () => '',
    isNew: false,
  });
}

/** Returns a list to which each write of the storage is appended, without what every server determines anew. */
function recordWrites(plane: ControlPlane, storage: Storage): RecordedWrite[] {
  const writes: RecordedWrite[] = [];
  storage.onChange((store, { type, object }) => {
    if (type === 'DELETED') return;
    const { metadata: whole, ...content } = object.parse();
    const { managedFields = [], ...metadata } = whole;
    const { group, plural } = store;
    const { version } = plane.registry.anyVersion(group, plural)?.facts ?? { version: '' };
    Object.assign(metadata, { uid: '', resourceVersion: '' });
    const head = { type, group, version, plural, metadata };
    writes.push({ head, managedFields, content });
  });
  return writes;
}

/** Puts the writes that follow from a new object behind it: those of its status, and the IPAddress of a Service. */
function related(writes: readonly RecordedWrite[]): RecordedWrite[][] {
  const groups: RecordedWrite[][] = [];
  for (const write of writes) {
    const follows = write.head.type === 'MODIFIED' || write.head.plural === 'ipaddresses';
    if (follows) groups.at(-1)?.push(write);
    else groups.push([write]);
  }
  return groups;
}

const firstObjects: readonly ApiObject[] = [
  ...['kube-system', 'kube-public', 'kube-node-lease', 'default'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  })),
  // The Service through which pods reach the API.
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: {
      name: '10.96.0.1',
      labels: {
        'ipaddress.kubernetes.io/ip-family': 'IPv4',
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
    },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } },
  },
];

const httpsPort = { name: 'https', port: 65_432, protocol: 'TCP' };
const ofService = { name: 'kubernetes', namespace: 'default' };

/** The endpoints of the Service `kubernetes`, and the Lease of the server. */
const addressObjects: readonly ApiObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { ...ofService, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [httpsPort] }],
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...ofService, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [httpsPort],
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: 'apiserver-keelson',
      namespace: 'kube-system',
      labels: {
        'apiserver.kubernetes.io/identity': 'kube-apiserver',
        'kubernetes.io/hostname': 'keelson',
      },
      annotations: { 'kubernetes.io/peer-advertise-address': '127.0.0.1:65432' },
    },
    spec: {
      holderIdentity: 'apiserver-keelson_00000000-0000-0000-0000-000000000000',
      leaseDurationSeconds: 3600,
      renewTime: '1970-01-01T00:00:00.000000Z',
    },
  },
];

/** Creates the range of Service addresses, which its controller has found ready. */
function createServiceRange(plane: ControlPlane): void {
  const object = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'kubernetes' },
    spec: { cidrs: ['10.96.0.0/16'] },
  };
  create(plane, object);
  applyCondition(plane, object, {
    manager: 'kubernetes-service-cidr-controller',
    members: {
      type: 'Ready',
      status: 'True',
      reason: '',
      message: 'Kubernetes default Service CIDR is ready',
    },
  });
}

/** The priority levels and then the flow schemas of a new kube-apiserver 1.36 (`npm run record:policy`). */
function recordedFlows(): ApiObject[] {
  const recorded = readDataFile('build/flow-control.json.br');
  return JSON.parse(brotliDecompressSync(recorded).toString()) as ApiObject[];
}

/** Creates a priority level, or a flow schema, whose controller has found its level. */
function createFlow(plane: ControlPlane, object: ApiObject): void {
  create(plane, object, 'api-priority-and-fairness-config-producer-v1');
  if (object.kind !== 'FlowSchema') return;
  const { name } = (object as ApiObject & FlowSchema).spec.priorityLevelConfiguration;
  applyCondition(plane, object, {
    manager: flowStatusManager,
    members: danglingCondition(name, false),
  });
}

/** A condition that a controller inside kube-apiserver applies. An empty reason has no owner. */
interface AppliedCondition {
  readonly manager: string;
  readonly members: Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>;
}

function applyCondition(
  { registry, writer }: ControlPlane,
  object: ApiObject,
  { manager, members }: AppliedCondition,
): void {
  const { apiVersion = '' } = object;
  writer.update(resourceOf(registry, object), {
    key: keyOfMetadata(object.metadata),
    scope: 'status',
    options: { dryRun: false, fieldManager: undefined },
    isValidated: false,
    next: (current) => {
      const { creationTimestamp: time = '', managedFields = [] } = current.metadata;
      const owned = Object.entries(members).filter(([, value]) => value !== '');
      const fields = [...owned.map(([name]) => name), 'lastTransitionTime'].toSorted(byCodeUnit);
      const condition = {
        '.': {},
        ...Object.fromEntries(fields.map((name) => [`f:${name}`, {}])),
      };
      const owner: ManagedFieldsEntry = {
        manager,
        operation: 'Apply',
        apiVersion,
        time,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:status': { 'f:conditions': { [`k:{"type":"${members.type}"}`]: condition } },
        },
        subresource: 'status',
      };
      current.metadata.managedFields = [owner, ...managedFields];
      const { type, status, ...rest } = members;
      current['status'] = { conditions: [{ type, status, lastTransitionTime: time, ...rest }] };
      return current;
    },
  });
}

/** The priority classes of a new cluster. */
const systemPriorities: readonly ApiObject[] = [
  systemPriority(
    'system-node-critical',
    2_000_001_000,
    'Used for system critical pods that must not be moved from their current node.',
  ),
  systemPriority(
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ),
];

function systemPriority(name: string, value: number, description: string): ApiObject {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    description,
  };
}

function create(
  { registry, writer }: ControlPlane,
  object: ApiObject,
  fieldManager = 'kube-apiserver',
): void {
  const resource = resourceOf(registry, object);
  const complete: ApiObject = { ...structuredClone(object) };
  resource.schema.decode(complete);
  resource.schema.setDefaults(complete);
  // kube-apiserver does not validate its own objects, and a placeholder is not valid.
  writer.create(resource, complete, {
    options: { dryRun: false, fieldManager },
    isValidated: false,
  });
}
