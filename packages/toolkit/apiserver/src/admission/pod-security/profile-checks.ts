import { objectAt, textAt } from '../../json/json-members.ts';
import type { JsonObject } from '@keelson/structural-schema';
import {
  type CheckedPod,
  containersOf,
  contextsOf,
  distinct,
  plural,
  type PodCheck,
  quoted,
  settersOf,
} from './security-check.ts';

/** The types of profiles that confine a container. */
const confining: ReadonlySet<string> = new Set(['Localhost', 'RuntimeDefault']);
const seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/';
const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
const appArmorContainer = 'container.apparmor.security.beta.kubernetes.io/';
export function appArmorProfile(pod: CheckedPod): ReturnType<PodCheck> {
  const isBad = isUnconfined('appArmorProfile');
  const annotations = Object.entries(pod.annotations)
    .filter(([name, value]) => name.startsWith(appArmorContainer) && !isAllowedProfile(value))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const setters = [
    ...[settersOf(pod, isBad) ?? []].flat(),
    ...(annotations.length > 0 ? [plural(annotations, 'annotation')] : []),
  ];
  if (setters.length === 0) return undefined;
  const types = typesOf(pod, 'appArmorProfile', isBad);
  const values = [...types, ...annotations.toSorted()];
  return {
    reason: plural(values, 'forbidden AppArmor profile'),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

function isAllowedProfile(value: string): boolean {
  return value === '' || value === 'runtime/default' || value.startsWith('localhost/');
}

export function seLinuxOptions(allowed: readonly string[]): PodCheck {
  const isBadType = (type: string): boolean => !allowed.includes(type);
  const isBad = (context: JsonObject): boolean =>
    isBadType(seLinuxOption(context, 'type')) ||
    seLinuxOption(context, 'user') !== '' ||
    seLinuxOption(context, 'role') !== '';
  return (pod) => {
    const setters = settersOf(pod, isBad);
    if (setters === undefined) return undefined;
    const contexts = contextsOf(pod);
    const types = distinct(
      contexts.map((context) => seLinuxOption(context, 'type')).filter(isBadType),
    );
    const forbidden = ['user', 'role'].filter((name) =>
      contexts.some((context) => seLinuxOption(context, name) !== ''),
    );
    const problems = [
      ...(types.length > 0 ? [`${plural(types, 'type')} ${quoted(types)}`] : []),
      ...forbidden.map((name) => `${name} may not be set`),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${problems.join('; ')}`,
    };
  };
}

export function seccompAnnotations({ annotations, spec }: CheckedPod): ReturnType<PodCheck> {
  const names = [
    seccompPod,
    ...containersOf(spec).map((container) => `${seccompContainer}${textAt(container, 'name')}`),
  ];
  const allowed: ReadonlySet<string> = new Set(['runtime/default', 'docker/default']);
  const bad = names.flatMap((name) => {
    const value = annotations[name];
    if (value === undefined || allowed.has(value) || value.startsWith('localhost/')) return [];
    return [`${name}=${JSON.stringify(value)}`];
  });
  if (bad.length === 0) return undefined;
  const list = distinct(bad);
  const detail = `forbidden ${plural(list, 'annotation')} ${list.join(', ')}`;
  return { reason: 'seccompProfile', detail };
}

/** Also the first check of a restricted pod. */
export function seccompProfile(pod: CheckedPod): ReturnType<PodCheck> {
  const isBad = isUnconfined('seccompProfile');
  const setters = settersOf(pod, isBad);
  if (setters === undefined) return undefined;
  const types = quoted(typesOf(pod, 'seccompProfile', isBad));
  return {
    reason: 'seccompProfile',
    detail: `${setters} must not set securityContext.seccompProfile.type to ${types}`,
  };
}

type ProfileMember = 'appArmorProfile' | 'seccompProfile';
type ContextTest = (context: JsonObject) => boolean;

function profileType(context: JsonObject, member: ProfileMember): string {
  return textAt(objectAt(context, member), 'type', 'RuntimeDefault');
}

function isUnconfined(member: ProfileMember): ContextTest {
  return (context) => !confining.has(profileType(context, member));
}

function typesOf(pod: CheckedPod, member: ProfileMember, isBad: ContextTest): string[] {
  const bad = contextsOf(pod).filter(isBad);
  return distinct(bad.map((context) => profileType(context, member)));
}

function seLinuxOption(context: JsonObject, name: string): string {
  return textAt(objectAt(context, 'seLinuxOptions'), name);
}
