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
    'core.v1.PodSpec': ['hostnameOverride'],
    // MutableCSINodeAllocatableCount
    'storage.v1.CSIDriverSpec': ['nodeAllocatableUpdatePeriodSeconds'],
  },
  '1.35': {
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
    'core.v1.PodSpec': ['workloadRef'],
    // DRAExtendedResource, InPlacePodLevelResourcesVerticalScaling
    'core.v1.PodStatus': ['allocatedResources', 'extendedResourceClaimStatus', 'resources'],
  },
  '1.36': {},
};

/** Removes the fields of an object that a version of Kubernetes drops on every write. */
export function dropGatedFields(
  type: StructType,
  object: JsonObject,
  version: KubernetesVersion,
): void {
  const gated = gatedFields[version];
  if (Object.keys(gated).length > 0) new FieldDropper(gated, version).drop(type, object);
}

class FieldDropper {
  readonly #gated: GatedFields;
  readonly #version: KubernetesVersion;

  constructor(gated: GatedFields, version: KubernetesVersion) {
    this.#gated = gated;
    this.#version = version;
  }

  drop(type: SchemaType, value: JsonValue): void {
    if (type.kind === 'list' && Array.isArray(value)) {
      for (const item of value) this.drop(type.item, item);
    } else if (type.kind === 'map' && isJsonObject(value)) {
      for (const member of Object.values(value)) this.drop(type.value, member);
    } else if (type.kind === 'struct' && isJsonObject(value)) this.#dropInStruct(type, value);
  }

  #dropInStruct(type: StructType, object: JsonObject): void {
    for (const name of this.#gated[type.name] ?? []) delete object[name];
    if (type.name === 'core.v1.PodSpec' && this.#version === '1.34') dropPodParts(object);
    for (const [name, member] of Object.entries(object)) {
      const field = type.fields.get(name);
      if (field !== undefined) this.drop(field.type, member);
    }
  }
}

/** The gates ContainerRestartRules and ImageVolume, which are off in 1.34, have more effects than one missing field. */
function dropPodParts(spec: JsonObject): void {
  const containers = objectsAt(spec, 'containers');
  const initial = objectsAt(spec, 'initContainers');
  for (const container of containers) delete container.restartPolicy;
  for (const container of initial) {
    if (container.restartPolicy !== 'Always') delete container.restartPolicy;
  }
  const images = objectsAt(spec, 'volumes').filter(({ image }) => isJsonObject(image));
  if (images.length === 0) return;
  const names = new Set(images.map(({ name }) => name));
  spec.volumes = objectsAt(spec, 'volumes').filter(({ name }) => !names.has(name));
  for (const container of [...containers, ...initial, ...objectsAt(spec, 'ephemeralContainers')]) {
    const mounts = objectsAt(container, 'volumeMounts');
    container.volumeMounts = mounts.filter(({ name }) => !names.has(name));
  }
}
