import { randomUUID } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import { StatusError, type ManagedFieldsEntry } from '@keelson/apimachinery';
import { bootstrapPolicy, type PolicyObject } from '../auth/rbac/bootstrap-policy.ts';
import { danglingCondition, flowStatusManager } from '../flow-control/dangling-condition.ts';
import { bootstrapFlows } from '../flow-control/bootstrap-flows.ts';
import type { FlowSchema } from '../flow-control/flow-schema.ts';
import { byCodeUnit } from '../storage/sorted-keys.ts';
import { type AddressRange, showAddress } from '../resources/address-range.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';

const namespaces = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

/**
 * Creates the missing objects of a new cluster: namespaces, priority classes, priority levels, flow schemas, the Service
 * `kubernetes`, and its range.
 */
export function bootstrap(
  registry: ResourceRegistry,
  writer: ObjectWriter,
  options: { readonly rbac: boolean; readonly services: AddressRange },
): void {
  for (const name of namespaces) {
    create(registry, writer, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  create(registry, writer, kubernetesService(showAddress(options.services.first)));
  createServiceRange(registry, writer, options.services.text);
  for (const name of components) showComponent(registry, name);
  for (const priority of systemPriorities) create(registry, writer, priority);
  for (const flow of bootstrapFlows()) createFlow(registry, writer, flow);
  if (!options.rbac) return;
  for (const policy of bootstrapPolicy()) create(registry, writer, policy);
}

/** The address at which a server listens. */
export interface PublishedAddress {
  /** A name or an address that is not one of this machine becomes `127.0.0.1`. */
  readonly host: string;
  readonly port: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Names the instance of the server. kube-apiserver has the hash of the host name here. */
const identity = 'apiserver-keelson';

/**
 * Writes the endpoints of the Service `kubernetes`, and the Lease by which the instances of an API server find each other. Those
 * of a snapshot name the address of the saved server and are replaced, as kube-apiserver does after a restart elsewhere.
 * kube-apiserver renews the Lease every ten seconds; here it stays as it is.
 */
export function publishAddress(
  registry: ResourceRegistry,
  writer: ObjectWriter,
  { host: name, port, now }: PublishedAddress,
): void {
  const host = isIP(name) === 0 || /^[0.:]+$/.test(name) ? '127.0.0.1' : name;
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  const metadata = { name: 'kubernetes', namespace: 'default' };
  advertise(registry, writer, {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: host }], ports }],
  });
  advertise(registry, writer, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: isIPv4(host) ? 'IPv4' : 'IPv6',
    endpoints: [{ addresses: [host], conditions: { ready: true } }],
    ports,
  });
  advertise(registry, writer, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: identity,
      namespace: 'kube-system',
      labels: {
        'apiserver.kubernetes.io/identity': 'kube-apiserver',
        'kubernetes.io/hostname': 'keelson',
      },
      annotations: {
        'kubernetes.io/peer-advertise-address': `${isIPv4(host) ? host : `[${host}]`}:${port}`,
      },
    },
    spec: {
      holderIdentity: `${identity}_${randomUUID()}`,
      leaseDurationSeconds: 3600,
      renewTime: `${new Date(now).toISOString().slice(0, -1)}000Z`,
    },
  });
}

/** Creates an object that names the address of the server, or replaces its content and its labels. */
function advertise(registry: ResourceRegistry, writer: ObjectWriter, object: ApiObject): void {
  if (create(registry, writer, object)) return;
  const { apiVersion = '', kind = '', metadata } = object;
  const resource = resourceOf(registry, apiVersion, kind);
  try {
    replaceContent(resource, writer, object);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // A snapshot may have an invalid object, which no update can mend.
    const stored = resource.store.get(keyOfMetadata(metadata));
    if (stored !== undefined) resource.store.remove(stored);
    create(registry, writer, object);
  }
}

/** Replaces the content and the labels of an object. The rest of its metadata stays. */
function replaceContent(resource: ServedResource, writer: ObjectWriter, object: ApiObject): void {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...content } = structuredClone(object);
  const { name: _name, namespace: _namespace, ...described } = metadata;
  writer.update(resource, {
    key: keyOfMetadata(metadata),
    scope: '',
    options: { dryRun: false, fieldManager: 'kube-apiserver' },
    isValidated: false,
    next: (current) => {
      const next = { ...current, ...content, metadata: { ...current.metadata, ...described } };
      resource.schema.decode(next);
      resource.schema.setDefaults(next);
      return next;
    },
  });
}

/** The components whose health kube-apiserver shows. */
const components = ['scheduler', 'controller-manager', 'etcd-0'];

/** Shows a component as healthy. kube-apiserver computes these objects at each read, so they have no resourceVersion. */
function showComponent(registry: ResourceRegistry, name: string): void {
  const metadata = { name };
  const content = { metadata, conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] };
  const { store } = resourceOf(registry, 'v1', 'ComponentStatus');
  store.load({ revision: 0, metadata, content });
}

/** The Service through which pods reach the API. */
const kubernetesService = (clusterIP: string): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'kubernetes',
    namespace: 'default',
    labels: { component: 'apiserver', provider: 'kubernetes' },
  },
  spec: {
    type: 'ClusterIP',
    clusterIP,
    clusterIPs: [clusterIP],
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
  },
});

/** Creates the range of Service addresses, which its controller has found ready. */
function createServiceRange(registry: ResourceRegistry, writer: ObjectWriter, range: string): void {
  const apiVersion = 'networking.k8s.io/v1';
  const metadata = { name: 'kubernetes' };
  const object = { apiVersion, kind: 'ServiceCIDR', metadata, spec: { cidrs: [range] } };
  if (!create(registry, writer, object)) return;
  applyCondition(registry, writer, object, {
    manager: 'kubernetes-service-cidr-controller',
    members: {
      type: 'Ready',
      status: 'True',
      reason: '',
      message: 'Kubernetes default Service CIDR is ready',
    },
  });
}

/** Creates a priority level, or a flow schema, whose controller has found its level. */
function createFlow(registry: ResourceRegistry, writer: ObjectWriter, object: ApiObject): void {
  const isNew = create(registry, writer, object, 'api-priority-and-fairness-config-producer-v1');
  if (!isNew || object.kind !== 'FlowSchema') return;
  const { name } = (object as ApiObject & FlowSchema).spec.priorityLevelConfiguration;
  applyCondition(registry, writer, object, {
    manager: flowStatusManager,
    members: danglingCondition(name, false),
  });
}

/** A condition that a controller inside kube-apiserver applies. An empty reason has no owner. */
interface AppliedCondition {
  readonly manager: string;
  readonly members: Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>;
}

/** Builds the owner of the condition itself: an apply would cost a quarter of the start of a server. */
function applyCondition(
  registry: ResourceRegistry,
  writer: ObjectWriter,
  { apiVersion = '', kind = '', metadata }: ApiObject,
  { manager, members }: AppliedCondition,
): void {
  writer.update(resourceOf(registry, apiVersion, kind), {
    key: keyOfMetadata(metadata),
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

/** Creates an object unless it exists. Returns true for a new object. */
function create(
  registry: ResourceRegistry,
  writer: ObjectWriter,
  object: ApiObject | PolicyObject,
  fieldManager = 'kube-apiserver',
): boolean {
  const { apiVersion = '', kind = '' } = object;
  const resource = resourceOf(registry, apiVersion, kind);
  if (resource.store.get(keyOfMetadata(object.metadata)) !== undefined) return false;
  const complete: ApiObject = { ...structuredClone(object) };
  resource.schema.decode(complete);
  resource.schema.setDefaults(complete);
  const options = { dryRun: false, fieldManager };
  // The objects are those of kube-apiserver. Its endpoints may have a loopback address, which those of a client must not.
  writer.create(resource, complete, { options, isValidated: false });
  return true;
}

function resourceOf(registry: ResourceRegistry, apiVersion: string, kind: string): ServedResource {
  const resource = registry.byKind(apiVersion, kind);
  if (resource === undefined) throw new Error(`no resource for ${apiVersion} ${kind}`);
  return resource;
}
