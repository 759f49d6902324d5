import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import type { JsonObject } from '@keelson/structural-schema';
import { procMount } from './baseline-checks.ts';
import { seccompProfile } from './profile-checks.ts';
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

const allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** The controls that the level `restricted` adds. kube-apiserver reports violations in this order: sorted by id. */
export const restrictedChecks: readonly SecurityCheck[] = [
  restricted('allowPrivilegeEscalation', {
    8: allowPrivilegeEscalation,
    25: onlyOnLinux(allowPrivilegeEscalation),
  }),
  restricted(
    'capabilities_restricted',
    { 22: capabilities, 25: onlyOnLinux(capabilities) },
    'capabilities_baseline',
  ),
  restricted('procMount_restricted', { 35: procMount }, 'procMount'),
  restricted('restrictedVolumes', { 0: restrictedVolumes }, 'hostPathVolumes'),
  restricted('runAsNonRoot', { 0: runAsNonRoot, 35: onlyOnHostUsers(runAsNonRoot) }),
  restricted('runAsUser', { 23: runAsUser, 35: onlyOnHostUsers(runAsUser) }),
  restricted(
    'seccompProfile_restricted',
    { 19: seccompRequired, 25: onlyOnLinux(seccompRequired) },
    'seccompProfile_baseline',
  ),
];

function restricted(
  id: string,
  checks: Readonly<Record<number, PodCheck>>,
  overrides?: string,
): SecurityCheck {
  const versions = Object.entries(checks).map(([since, check]) => ({
    since: Number(since),
    check,
  }));
  return { id, level: 'restricted', versions, ...(overrides !== undefined && { overrides }) };
}

/** Skips a check on pods for Windows, which cannot set its fields. */
function onlyOnLinux(check: PodCheck): PodCheck {
  return (pod) => (textAt(objectAt(pod.spec, 'os'), 'name') === 'windows' ? undefined : check(pod));
}

/** Skips a check on pods in their own user namespace, where root has no privileges on the host. */
function onlyOnHostUsers(check: PodCheck): PodCheck {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod));
}

function allowPrivilegeEscalation({ spec }: CheckedPod): ReturnType<PodCheck> {
  const bad = namesOf(
    spec,
    (container) => securityContext(container).allowPrivilegeEscalation !== false,
  );
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${titled(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

function capabilities({ spec }: CheckedPod): ReturnType<PodCheck> {
  const keeping = namesOf(spec, (container) => !capabilityNames(container, 'drop').includes('ALL'));
  const adding = namesOf(spec, (container) => forbiddenCapabilities(container).length > 0);
  const names = quoted(distinct(containersOf(spec).flatMap(forbiddenCapabilities)));
  const details = [
    ...(keeping.length > 0
      ? [`${titled(keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(adding.length > 0
      ? [`${titled(adding)} must not include ${names} in securityContext.capabilities.add`]
      : []),
  ];
  if (details.length === 0) return undefined;
  return { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

function capabilityNames(container: JsonObject, member: 'add' | 'drop'): string[] {
  return textsAt(objectAt(securityContext(container), 'capabilities'), member);
}

function forbiddenCapabilities(container: JsonObject): string[] {
  return capabilityNames(container, 'add').filter((name) => name !== 'NET_BIND_SERVICE');
}

function restrictedVolumes({ spec }: CheckedPod): ReturnType<PodCheck> {
  const bad = objectsAt(spec, 'volumes').filter(
    (volume) => !allowedVolumes.some((type) => volume[type] !== undefined),
  );
  if (bad.length === 0) return undefined;
  const names = quoted(bad.map((volume) => textAt(volume, 'name')));
  const types = distinct(
    bad.map((volume) => Object.keys(volume).find((member) => member !== 'name') ?? 'unknown'),
  );
  const verb = bad.length === 1 ? 'uses' : 'use';
  return {
    reason: 'restricted volume types',
    detail: `${plural(bad, 'volume')} ${names} ${verb} ${plural(types, 'restricted volume type')} ${quoted(types)}`,
  };
}

function runAsNonRoot(pod: CheckedPod): ReturnType<PodCheck> {
  const reason = 'runAsNonRoot != true';
  const setters = settersOf(pod, ({ runAsNonRoot: value }) => value === false);
  if (setters !== undefined) {
    return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  }
  if (securityContext(pod.spec).runAsNonRoot === true) return undefined;
  const bad = namesOf(pod.spec, (each) => securityContext(each).runAsNonRoot === undefined);
  if (bad.length === 0) return undefined;
  return { reason, detail: `pod or ${titled(bad)} must set securityContext.runAsNonRoot=true` };
}

function runAsUser(pod: CheckedPod): ReturnType<PodCheck> {
  const setters = settersOf(pod, ({ runAsUser: user }) => user === 0);
  if (setters === undefined) return undefined;
  return { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
}

function seccompRequired(pod: CheckedPod): ReturnType<PodCheck> {
  const forbidden = seccompProfile(pod);
  if (forbidden !== undefined) return forbidden;
  if (securityContext(pod.spec).seccompProfile !== undefined) return undefined;
  const bad = namesOf(pod.spec, (each) => securityContext(each).seccompProfile === undefined);
  if (bad.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${titled(bad)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}
