import type { ManagedFieldsEntry } from '@keelson/apimachinery';
import { bootstrapPolicy, type PolicyObject } from '../auth/rbac/bootstrap-policy.ts';
import { type AddressRange, showAddress } from '../resources/address-range.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';

const namespaces = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

/** Creates the objects of a new cluster: namespaces, priority classes, the Service `kubernetes`, and its range. */
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
  for (const priority of systemPriorities) create(registry, writer, priority);
  if (!options.rbac) return;
  for (const policy of bootstrapPolicy()) create(registry, writer, policy);
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
  create(registry, writer, { apiVersion, kind: 'ServiceCIDR', metadata, spec: { cidrs: [range] } });
  writer.update(resourceOf(registry, apiVersion, 'ServiceCIDR'), {
    key: keyOfMetadata(metadata),
    scope: 'status',
    options: { dryRun: false, fieldManager: undefined },
    next: (current) => {
      const { creationTimestamp: time = '', managedFields = [] } = current.metadata;
      current.metadata.managedFields = [...managedFields, readyOwner(apiVersion, time)];
      current['status'] = { conditions: [readyCondition(time)] };
      return current;
    },
  });
}

function readyCondition(lastTransitionTime: string): object {
  const message = 'Kubernetes default Service CIDR is ready';
  return { type: 'Ready', status: 'True', lastTransitionTime, reason: '', message };
}

/** The controller applies the condition. */
function readyOwner(apiVersion: string, time: string): ManagedFieldsEntry {
  const condition = {
    '.': {},
    'f:lastTransitionTime': {},
    'f:message': {},
    'f:status': {},
    'f:type': {},
  };
  return {
    manager: 'kubernetes-service-cidr-controller',
    operation: 'Apply',
    apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': condition } } },
    subresource: 'status',
  };
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
  registry: ResourceRegistry,
  writer: ObjectWriter,
  object: ApiObject | PolicyObject,
): void {
  const { apiVersion = '', kind = '' } = object;
  const resource = resourceOf(registry, apiVersion, kind);
  const complete: ApiObject = { ...structuredClone(object) };
  resource.schema.decode(complete);
  resource.schema.setDefaults(complete);
  const options = { dryRun: false, fieldManager: 'kube-apiserver' };
  writer.create(resource, complete, { options });
}

function resourceOf(registry: ResourceRegistry, apiVersion: string, kind: string): ServedResource {
  const resource = registry.byKind(apiVersion, kind);
  if (resource === undefined) throw new Error(`no resource for ${apiVersion} ${kind}`);
  return resource;
}
