import { ensureObject, objectAt, objectsAt } from '../../json/json-members.ts';
import { isJsonObject, type JsonObject } from '@keelson/structural-schema';
import { constants, type DefaultRules, fill } from '../../schema/default-rule.ts';
import { pullPolicyOf } from './image-name.ts';
import { containerResources, sideOf } from './pod-resources.ts';

const fileMode = 0o644;

/** The defaults of pods, pod templates and the structs in them. */
export const podDefaults: DefaultRules = {
  'core.v1.Pod': completePod,
  'core.v1.PodSpec': (spec) => {
    fill(spec, {
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
    });
    // Both names mean the same; old clients read the deprecated one.
    const account = spec.serviceAccountName ?? spec.serviceAccount;
    if (account !== undefined)
      Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  },
  'core.v1.PodStatus': syncPodIps,
  'core.v1.Container': completeContainer,
  'core.v1.EphemeralContainer': completeContainer,
  'core.v1.Probe': constants({
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  }),
  'core.v1.HTTPGetAction': constants({ path: '/', scheme: 'HTTP' }),
  'core.v1.GRPCAction': constants({ service: '' }),
  'core.v1.ObjectFieldSelector': constants({ apiVersion: 'v1' }),
  'core.v1.Volume': completeVolume,
  'core.v1.SecretVolumeSource': constants({ defaultMode: fileMode }),
  'core.v1.ConfigMapVolumeSource': constants({ defaultMode: fileMode }),
  'core.v1.DownwardAPIVolumeSource': constants({ defaultMode: fileMode }),
  'core.v1.ProjectedVolumeSource': constants({ defaultMode: fileMode }),
  'core.v1.ServiceAccountTokenProjection': constants({ expirationSeconds: 3600 }),
  'core.v1.HostPathVolumeSource': constants({ type: '' }),
  'core.v1.AzureDiskVolumeSource': constants({ readOnly: false }),
  'core.v1.FileKeySelector': constants({ optional: false }),
  'core.v1.ISCSIVolumeSource': constants({ iscsiInterface: 'default' }),
};

function completePod(pod: JsonObject): void {
  const spec = objectAt(pod, 'spec');
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  for (const container of containers) setRequestsFromLimits(container);
  completePodResources(spec);
  fill(spec, { enableServiceLinks: true });
  // Templates keep a negative value.
  if (Number(spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  if (spec.hostNetwork !== true) return;
  for (const port of containers.flatMap((container) => objectsAt(container, 'ports'))) {
    port.hostPort ??= port.containerPort ?? 0;
  }
}

/** Copies between the two members with the same meaning; the older one wins if they differ. */
function syncPodIps(status: JsonObject): void {
  const [first] = objectsAt(status, 'podIPs');
  const { podIP } = status;
  const isGiven = podIP !== undefined && podIP !== '';
  if (isGiven && first?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  else if (!isGiven && first?.ip !== undefined) status.podIP = first.ip;
}

/** Sets the request of a limited resource without a request to its limit. */
function setRequestsFromLimits(container: JsonObject): void {
  const resources = objectAt(container, 'resources');
  if (resources.limits === undefined) return;
  fill(ensureObject(resources, 'requests'), objectAt(resources, 'limits'));
}

/** Completes the pod's own resources from those of its containers, and then its requests from its limits. */
function completePodResources(spec: JsonObject): void {
  const { resources } = spec;
  if (!isJsonObject(resources)) return;
  const [given, limits] = [sideOf(spec, 'requests'), { ...sideOf(spec, 'limits') }];
  if (Object.keys(given).length + Object.keys(limits).length === 0) return;
  for (const [name, quantity] of Object.entries(containerResources(spec, 'limits'))) {
    if (isHugePages(name) && given[name] === undefined) limits[name] ??= quantity;
  }
  if (Object.keys(limits).length === 0) return;
  resources.limits = limits;
  const requests = { ...given };
  for (const [name, quantity] of Object.entries(containerResources(spec, 'requests'))) {
    if (name === 'cpu' || name === 'memory') requests[name] ??= quantity;
  }
  for (const [name, quantity] of Object.entries(limits)) {
    if (name === 'cpu' || name === 'memory' || isHugePages(name)) requests[name] ??= quantity;
  }
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

function completeContainer(container: JsonObject): void {
  fill(container, {
    imagePullPolicy: pullPolicyOf(container.image),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
}

function completeVolume(volume: JsonObject): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume.emptyDir = {};
  const image = objectAt(volume, 'image');
  if (volume.image !== undefined) fill(image, { pullPolicy: pullPolicyOf(image.reference) });
}
