import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import type { JsonObject } from '@keelson/structural-schema';
import {
  appArmorProfile,
  seccompAnnotations,
  seccompProfile,
  seLinuxOptions,
} from './profile-checks.ts';
import {
  type CheckedPod,
  containersOf,
  distinct,
  namesOf,
  plural,
  type PodCheck,
  quoted,
  type SecurityCheck,
  securityContext,
  settersOf,
  titled,
} from './security-check.ts';

const defaultCapabilities: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

const sysctlsSince: Readonly<Record<number, readonly string[]>> = {
  0: [
    'kernel.shm_rmid_forced',
    'net.ipv4.ip_local_port_range',
    'net.ipv4.tcp_syncookies',
    'net.ipv4.ping_group_range',
    'net.ipv4.ip_unprivileged_port_start',
  ],
  27: ['net.ipv4.ip_local_reserved_ports'],
  29: [
    'net.ipv4.tcp_keepalive_time',
    'net.ipv4.tcp_fin_timeout',
    'net.ipv4.tcp_keepalive_intvl',
    'net.ipv4.tcp_keepalive_probes',
  ],
  32: ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'],
};

/** The controls of the level `baseline`. kube-apiserver reports violations in this order: sorted by id. */
export const baselineChecks: readonly SecurityCheck[] = [
  baseline('appArmorProfile', { 0: appArmorProfile }),
  baseline('capabilities_baseline', { 0: capabilities }),
  baseline('hostNamespaces', { 0: hostNamespaces }),
  baseline('hostPathVolumes', { 0: hostPathVolumes }),
  baseline('hostPorts', { 0: hostPorts }),
  baseline('hostProbesAndHostLifecycle', { 34: hostProbes }),
  baseline('privileged', { 0: privileged }),
  baseline('procMount', {
    0: procMount,
    35: (pod) => (pod.spec.hostUsers === false ? undefined : procMount(pod)),
  }),
  baseline('seLinuxOptions', {
    0: seLinuxOptions(seLinuxTypes),
    31: seLinuxOptions([...seLinuxTypes, 'container_engine_t']),
  }),
  baseline('seccompProfile_baseline', { 0: seccompAnnotations, 19: seccompProfile }),
  baseline('sysctls', { 0: sysctls(0), 27: sysctls(27), 29: sysctls(29), 32: sysctls(32) }),
  baseline('windowsHostProcess', { 0: windowsHostProcess }),
];

function baseline(id: string, checks: Readonly<Record<number, PodCheck>>): SecurityCheck {
  const versions = Object.entries(checks).map(([since, check]) => ({
    since: Number(since),
    check,
  }));
  return { id, level: 'baseline', versions };
}

function capabilities({ spec }: CheckedPod): ReturnType<PodCheck> {
  const bad = namesOf(spec, (container) => addedCapabilities(container).length > 0);
  if (bad.length === 0) return undefined;
  const names = quoted(distinct(containersOf(spec).flatMap(addedCapabilities)));
  return {
    reason: 'non-default capabilities',
    detail: `${titled(bad)} must not include ${names} in securityContext.capabilities.add`,
  };
}

function addedCapabilities(container: JsonObject): string[] {
  return textsAt(objectAt(securityContext(container), 'capabilities'), 'add').filter(
    (name) => !defaultCapabilities.has(name),
  );
}

function hostNamespaces({ spec }: CheckedPod): ReturnType<PodCheck> {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((member) => spec[member] === true);
  if (shared.length === 0) return undefined;
  const detail = shared.map((member) => `${member}=true`).join(', ');
  return { reason: 'host namespaces', detail };
}

function hostPathVolumes({ spec }: CheckedPod): ReturnType<PodCheck> {
  const volumes = objectsAt(spec, 'volumes').filter(({ hostPath }) => hostPath !== undefined);
  if (volumes.length === 0) return undefined;
  const names = quoted(volumes.map((volume) => textAt(volume, 'name')));
  return { reason: 'hostPath volumes', detail: `${plural(volumes, 'volume')} ${names}` };
}

function hostPorts({ spec }: CheckedPod): ReturnType<PodCheck> {
  const bad = namesOf(spec, (container) => hostPortsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = distinct(containersOf(spec).flatMap(hostPortsOf));
  const verb = bad.length === 1 ? 'uses' : 'use';
  return {
    reason: 'hostPort',
    detail: `${titled(bad)} ${verb} ${plural(ports, 'hostPort')} ${ports.join(', ')}`,
  };
}

function hostPortsOf(container: JsonObject): string[] {
  const ports = objectsAt(container, 'ports').map(({ hostPort }) => hostPort);
  return ports
    .filter((port) => typeof port === 'number' && port !== 0)
    .map((port) => `${port as number}`);
}

function hostProbes({ spec }: CheckedPod): ReturnType<PodCheck> {
  const bad = distinct(namesOf(spec, (container) => hostsOf(container).length > 0));
  if (bad.length === 0) return undefined;
  const hosts = distinct(containersOf(spec).flatMap(hostsOf));
  const verb = bad.length === 1 ? 'uses' : 'use';
  return {
    reason: 'probe or lifecycle host',
    detail: `${titled(bad)} ${verb} ${plural(hosts, 'probe or lifecycle host')} ${quoted(hosts)}`,
  };
}

/** The hosts that probes and lifecycle handlers of a container connect to instead of the pod. */
function hostsOf(container: JsonObject): string[] {
  const lifecycle = objectAt(container, 'lifecycle');
  const handlers = [
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((name) => objectAt(container, name)),
    ...['postStart', 'preStop'].map((name) => objectAt(lifecycle, name)),
  ];
  return handlers
    .flatMap((handler) => [objectAt(handler, 'httpGet'), objectAt(handler, 'tcpSocket')])
    .map((action) => textAt(action, 'host'))
    .filter((host) => host !== '');
}

function privileged({ spec }: CheckedPod): ReturnType<PodCheck> {
  const bad = namesOf(spec, (container) => securityContext(container).privileged === true);
  if (bad.length === 0) return undefined;
  return {
    reason: 'privileged',
    detail: `${titled(bad)} must not set securityContext.privileged=true`,
  };
}

/** Also used by the restricted control, which makes no exception for user namespaces. */
export function procMount({ spec }: CheckedPod): ReturnType<PodCheck> {
  const bad = namesOf(spec, (container) => procMountOf(container) !== 'Default');
  if (bad.length === 0) return undefined;
  const types = distinct(containersOf(spec).map(procMountOf)).filter((type) => type !== 'Default');
  return {
    reason: 'procMount',
    detail: `${titled(bad)} must not set securityContext.procMount to ${quoted(types)}`,
  };
}

function procMountOf(container: JsonObject): string {
  return textAt(securityContext(container), 'procMount', 'Default');
}

function sysctls(minor: number): PodCheck {
  const allowed = new Set(
    Object.entries(sysctlsSince).flatMap(([since, names]) => (Number(since) <= minor ? names : [])),
  );
  return ({ spec }) => {
    const names = objectsAt(securityContext(spec), 'sysctls').map((each) => textAt(each, 'name'));
    const bad = names.filter((name) => !allowed.has(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };
}

function windowsHostProcess(pod: CheckedPod): ReturnType<PodCheck> {
  const setters = settersOf(
    pod,
    (context) => objectAt(context, 'windowsOptions').hostProcess === true,
  );
  if (setters === undefined) return undefined;
  return {
    reason: 'hostProcess',
    detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true`,
  };
}
