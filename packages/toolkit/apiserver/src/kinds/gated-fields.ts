import { isJsonObject, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import { objectsAt } from '../json/json-members.ts';
import type { KubernetesVersion } from '../releases/kubernetes-version.ts';
import type { SchemaType, StructType } from '../schema/schema-type.ts';

/** The names of the fields of each type that a version drops, because their feature gate is off by default. */
type GatedFields = Readonly<Record<string, readonly string[]>>;

/** Gates of dynamic resource allocation that are on since 1.36. Source: `dropDisabledFields` below `pkg/registry/resource`. */
const devices: GatedFields = {
  'resource.v1.AllocatedDeviceStatus': ['shareID'],
  'resource.v1.Device': [
    'allNodes',
    'allowMultipleAllocations',
    'bindingConditions',
    'bindingFailureConditions',
    'bindsToNode',
    'consumesCounters',
    'nodeName',
    'nodeSelector',
    'taints',
  ],
  'resource.v1.DeviceCapacity': ['requestPolicy'],
  'resource.v1.DeviceClassSpec': ['extendedResourceName'],
  'resource.v1.DeviceRequestAllocationResult': [
    'bindingConditions',
    'bindingFailureConditions',
    'consumedCapacity',
    'shareID',
  ],
  'resource.v1.DeviceSubRequest': ['capacity'],
  'resource.v1.ExactDeviceRequest': ['capacity'],
  'resource.v1.ResourceSliceSpec': ['perDeviceNodeSelection', 'sharedCounters'],
};

/** Gates that are off in each version. */
const offInAll: GatedFields = {
  // GenericWorkload
  'core.v1.PodSpec': ['schedulingGroup'],
  // ClusterTrustBundleProjection, PodCertificateRequest
  'core.v1.VolumeProjection': ['clusterTrustBundle', 'podCertificate'],
};

/** Gates that are on since 1.36. Source: `pkg/api/pod/util.go`. */
const statuses: GatedFields = {
  'core.v1.ContainerStatus': ['allocatedResourcesStatus'],
  'core.v1.PodStatus': ['extendedResourceClaimStatus'],
};

/**
 * The fields that a version has and drops, while 1.36 keeps them. Sources: the defaults in `pkg/features/kube_features.go`, and
 * the functions that read the gates in `pkg/api/pod/util.go` and the strategies below `pkg/registry`.
 */
const gatedFields: Readonly<Record<KubernetesVersion, GatedFields>> = {
  '1.34': {
    ...offInAll,
    ...devices,
    ...statuses,
    // DRADeviceBindingConditions; 1.35 keeps the time.
    'resource.v1.AllocationResult': ['allocationTimestamp'],
    // DeploymentReplicaSetTerminatingReplicas
    'apps.v1.DeploymentStatus': ['terminatingReplicas'],
    'apps.v1.ReplicaSetStatus': ['terminatingReplicas'],
    // HPAConfigurableTolerance
    'autoscaling.v2.HPAScalingRules': ['tolerance'],
    // ContainerRestartRules; `restartPolicy` has a rule of its own.
    'core.v1.Container': ['restartPolicyRules'],
    // EnvFiles
    'core.v1.EnvVarSource': ['fileKeyRef'],
    // HostnameOverride
    'core.v1.PodSpec': ['hostnameOverride', 'schedulingGroup'],
    // MutableCSINodeAllocatableCount
    'storage.v1.CSIDriverSpec': ['nodeAllocatableUpdatePeriodSeconds'],
  },
  '1.35': {
    ...offInAll,
    ...devices,
    'core.v1.ContainerStatus': ['allocatedResourcesStatus'],
    // DRAConsumableCapacity; the loop of 1.34 removes the attribute only from copies.
    'resource.v1.DeviceConstraint': ['distinctAttribute'],
    // DRAConsumableCapacity and DRADeviceTaints; 1.34 keeps the tolerations.
    'resource.v1.DeviceSubRequest': ['capacity', 'tolerations'],
    'resource.v1.ExactDeviceRequest': ['capacity', 'tolerations'],
    // NodeDeclaredFeatures
    'core.v1.NodeStatus': ['declaredFeatures'],
    // GenericWorkload
    'core.v1.PodSpec': ['schedulingGroup', 'workloadRef'],
    // DRAExtendedResource, InPlacePodLevelResourcesVerticalScaling
    'core.v1.PodStatus': ['allocatedResources', 'extendedResourceClaimStatus', 'resources'],
  },
  '1.36': {
    ...offInAll,
    // DRANodeAllocatableResources
    'resource.v1.Device': ['nodeAllocatableResourceMappings'],
    // DRAListTypeAttributes
    'resource.v1.DeviceAttribute': ['bools', 'ints', 'strings', 'versions'],
  },
};

/**
 * Removes the fields of an object that a version of Kubernetes drops. An update keeps those that the old object uses: it may come
 * from a snapshot of another version. Source: `dropDisabledFields`, which asks for each gate whether the old object uses it.
 */
export function dropGatedFields(
  type: StructType,
  object: JsonObject,
  { release, old }: { readonly release: KubernetesVersion; readonly old?: JsonObject },
): void {
  const gated = gatedFields[release];
  const used = new Set<string>();
  if (old !== undefined) {
    visitStructs(type, old, (struct, part) => {
      for (const name of gated[struct] ?? []) if (name in part) used.add(`${struct}.${name}`);
      if (struct === STOPPED && 'stopSignal' in part) used.add(STOP_SIGNALS);
      if (release === '1.34' && struct === 'core.v1.PodSpec') addUsedParts(part, used);
    });
  }
  visitStructs(type, object, (struct, part) => {
    for (const name of gated[struct] ?? []) if (!used.has(`${struct}.${name}`)) delete part[name];
    if (CONTAINERS.has(struct) && !used.has(STOP_SIGNALS)) dropStopSignal(part);
    if (release === '1.34' && struct === 'core.v1.PodSpec') dropPodParts(part, used);
  });
}

const STOPPED = 'core.v1.Lifecycle';
const CONTAINERS: ReadonlySet<string> = new Set([
  'core.v1.Container',
  'core.v1.EphemeralContainer',
]);
const STOP_SIGNALS = 'ContainerStopSignals';

/** The gate ContainerStopSignals is off. A lifecycle that has nothing else is dropped with the signal. */
function dropStopSignal(container: JsonObject): void {
  const { lifecycle } = container;
  if (!isJsonObject(lifecycle) || !('stopSignal' in lifecycle)) return;
  delete lifecycle.stopSignal;
  if (Object.keys(lifecycle).length === 0) delete container.lifecycle;
}

/** Calls a function with each struct of a value and the name of its type. */
function visitStructs(
  type: SchemaType,
  value: JsonValue,
  visit: (struct: string, part: JsonObject) => void,
): void {
  if (type.kind === 'list' && Array.isArray(value)) {
    for (const item of value) visitStructs(type.item, item, visit);
  } else if (type.kind === 'map' && type.value.kind !== 'scalar' && isJsonObject(value)) {
    for (const member of Object.values(value)) visitStructs(type.value, member, visit);
  } else if (type.kind === 'struct' && isJsonObject(value)) {
    visit(type.name, value);
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (typeof member !== 'object') continue;
      const field = type.fields.get(name);
      if (field !== undefined) visitStructs(field.type, member, visit);
    }
  }
}

const RESTART_RULES = 'ContainerRestartRules';
const IMAGE_VOLUME = 'ImageVolume';

/** The gates ContainerRestartRules and ImageVolume, which are off in 1.34, have more effects than one missing field. */
function dropPodParts(spec: JsonObject, used: ReadonlySet<string>): void {
  if (!used.has(RESTART_RULES)) {
    for (const container of containersWithRules(spec)) delete container.restartPolicy;
  }
  const images = used.has(IMAGE_VOLUME) ? [] : imageVolumes(spec);
  if (images.length === 0) return;
  const names = new Set(images.map(({ name }) => name));
  spec.volumes = objectsAt(spec, 'volumes').filter(({ name }) => !names.has(name));
  const lists = ['containers', 'initContainers', 'ephemeralContainers'] as const;
  for (const container of lists.flatMap((list) => objectsAt(spec, list))) {
    const mounts = objectsAt(container, 'volumeMounts');
    container.volumeMounts = mounts.filter(({ name }) => !names.has(name));
  }
}

function addUsedParts(spec: JsonObject, used: Set<string>): void {
  if (containersWithRules(spec).length > 0) used.add(RESTART_RULES);
  if (imageVolumes(spec).length > 0) used.add(IMAGE_VOLUME);
}

/** The containers with a restart policy that the gate allows. */
function containersWithRules(spec: JsonObject): JsonObject[] {
  const initial = objectsAt(spec, 'initContainers');
  return [
    ...objectsAt(spec, 'containers').filter(({ restartPolicy }) => restartPolicy !== undefined),
    ...initial.filter(({ restartPolicy = 'Always' }) => restartPolicy !== 'Always'),
  ];
}

function imageVolumes(spec: JsonObject): JsonObject[] {
  return objectsAt(spec, 'volumes').filter(({ image }) => isJsonObject(image));
}
