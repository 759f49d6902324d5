import { goTrim } from '@keelson/cel/internal';
import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  notSupported,
  required,
  tooLong,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { validateLocalPath } from './rules-path.ts';
import { validateWindowsOptions } from './rules-windows.ts';

const largestInt32 = 2 ** 31 - 1;

/** Validates `securityContext` of a pod, with the namespaces of the host that the pod uses. */
export function validatePodSecurity(spec: JsonObject, path: FieldPath): StatusCause[] {
  const context = objectAt(spec, 'securityContext');
  const field = childPath(path, 'securityContext');
  const groups = Array.isArray(context.supplementalGroups) ? context.supplementalGroups : [];
  const groupsField = childPath(field, 'supplementalGroups');
  const both = 'ShareProcessNamespace and HostPID cannot both be enabled';
  return [
    ...['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((name) =>
      validateId(context[name], childPath(field, name)),
    ),
    ...groups.flatMap((group, index) => validateId(group, indexPath(groupsField, index))),
    ...(spec.shareProcessNamespace === true && spec.hostPID === true
      ? [invalid(childPath(field, 'shareProcessNamespace'), true, both)]
      : []),
    ...validateSysctls(objectsAt(context, 'sysctls'), childPath(field, 'sysctls'), spec),
    ...oneOf(context, field, 'fsGroupChangePolicy', ['Always', 'OnRootMismatch']),
    ...validateSeccomp(context, field),
    ...validateWindowsOptions(context, field),
    ...validateAppArmor(context, field),
    ...oneOf(context, field, 'supplementalGroupsPolicy', ['Merge', 'Strict']),
    // The gate SELinuxMount, which allows MountOption, is off by default.
    ...oneOf(context, field, 'seLinuxChangePolicy', ['Recursive']),
  ];
}

/** Validates `securityContext` of a container. `hostUsers` is true if the pod uses the users of the host. */
export function validateContainerSecurity(
  container: JsonObject,
  path: FieldPath,
  hostUsers: boolean,
): StatusCause[] {
  if (!isJsonObject(container.securityContext)) return [];
  const context = container.securityContext;
  const field = childPath(path, 'securityContext');
  return [
    ...['runAsUser', 'runAsGroup'].flatMap((name) =>
      validateId(context[name], childPath(field, name)),
    ),
    ...validateProcMount(context, field, hostUsers),
    ...validateSeccomp(context, field),
    ...validateEscalation(context, field),
    ...validateWindowsOptions(context, field),
    ...validateAppArmor(context, field),
  ];
}

function validateId(value: JsonValue | undefined, path: FieldPath): StatusCause[] {
  if (value === undefined || (Number(value) >= 0 && Number(value) <= largestInt32)) return [];
  return [invalid(path, value, `must be between 0 and ${largestInt32}, inclusive`)];
}

function oneOf(
  context: JsonObject,
  path: FieldPath,
  name: string,
  allowed: readonly string[],
): StatusCause[] {
  const value = context[name];
  if (typeof value !== 'string' || allowed.includes(value)) return [];
  return [notSupported(childPath(path, name), value, allowed)];
}

const sysctlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
/** The longest name of a kernel parameter. */
const MAX_SYSCTL_LENGTH = 253;
const sysctlDetail = `must have at most ${MAX_SYSCTL_LENGTH} characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;

function validateSysctls(
  sysctls: readonly JsonObject[],
  path: FieldPath,
  spec: JsonObject,
): StatusCause[] {
  const names = sysctls.map((sysctl) => textAt(sysctl, 'name'));
  return names.flatMap((name, index) => {
    const field = childPath(indexPath(path, index), 'name');
    return [
      ...validateSysctlName(name, field, names.indexOf(name) < index),
      ...validateHostSysctl(name, field, spec),
    ];
  });
}

function validateSysctlName(name: string, path: FieldPath, isRepeated: boolean): StatusCause[] {
  if (name === '') return [required(path)];
  if (name.length > MAX_SYSCTL_LENGTH || !sysctlName.test(name)) {
    return [invalid(path, name, sysctlDetail)];
  }
  return isRepeated ? [duplicate(path, name)] : [];
}

/** The parameters of the namespace of inter-process communication. */
const ipcName =
  /^(?:kernel\.(?:sem|shm(?:all|max|mni|_rmid_forced)?|msg(?:max|mnb|mni)?)|fs\.mqueue\..*)$/;

/** A pod that shares a namespace with the host cannot set the parameters of that namespace. */
function validateHostSysctl(name: string, path: FieldPath, spec: JsonObject): StatusCause[] {
  const dotted = withDots(name);
  const isIpc = ipcName.test(dotted) && spec.hostIPC === true;
  if (spec.hostNetwork === true && dotted.startsWith('net.')) {
    return [invalid(path, name, "may not be specified when 'hostNetwork' is true")];
  }
  return isIpc ? [invalid(path, name, "may not be specified when 'hostIPC' is true")] : [];
}

/** A name whose first separator is a slash uses slashes for the parts, and dots within a part. */
function withDots(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  if (first !== '/') return name;
  return name.replaceAll(/[./]/g, (found) => (found === '/' ? '.' : '/'));
}

function validateProcMount(
  context: JsonObject,
  path: FieldPath,
  hostUsers: boolean,
): StatusCause[] {
  const field = childPath(path, 'procMount');
  const detail = '`hostUsers` must be false to use `Unmasked`';
  return [
    ...oneOf(context, path, 'procMount', ['Default', 'Unmasked']),
    ...(hostUsers && context.procMount === 'Unmasked' ? [invalid(field, 'Unmasked', detail)] : []),
  ];
}

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function validateSeccomp(context: JsonObject, path: FieldPath): StatusCause[] {
  if (!isJsonObject(context.seccompProfile)) return [];
  const { seccompProfile: profile } = context;
  const field = childPath(path, 'seccompProfile');
  const place = childPath(field, 'localhostProfile');
  const [type, local] = [textAt(profile, 'type'), profile.localhostProfile];
  const wrongType =
    type === ''
      ? [required(childPath(field, 'type'), 'type is required when seccompProfile is set')]
      : [];
  if (type === 'Localhost') {
    return typeof local === 'string'
      ? validateLocalPath(local, place)
      : [required(place, 'must be set when seccomp type is Localhost')];
  }
  const shown = { Type: type, LocalhostProfile: local };
  return [
    ...wrongType,
    ...(type === '' ? [] : oneOf(profile, field, 'type', profileTypes)),
    ...(local === undefined
      ? []
      : [invalid(place, shown, 'can only be set when seccomp type is Localhost')]),
  ];
}

/** The longest path of an AppArmor profile. */
const MAX_PROFILE_LENGTH = 4095;

function validateAppArmor(context: JsonObject, path: FieldPath): StatusCause[] {
  if (!isJsonObject(context.appArmorProfile)) return [];
  const { appArmorProfile: profile } = context;
  return validateAppArmorProfile(profile, childPath(path, 'appArmorProfile'));
}

/** Validates an AppArmor profile, also one that comes from an annotation. */
export function validateAppArmorProfile(profile: JsonObject, path: FieldPath): StatusCause[] {
  const [type, local] = [textAt(profile, 'type'), profile.localhostProfile];
  const field = childPath(path, 'localhostProfile');
  if (type === '') {
    return [required(childPath(path, 'type'), 'type is required when appArmorProfile is set')];
  }
  if (type === 'Localhost') return validateLocalProfile(local, field);
  const unknown = oneOf(profile, path, 'type', profileTypes);
  if (unknown.length > 0 || local === undefined) return unknown;
  return [invalid(field, local, 'can only be set when AppArmor type is Localhost')];
}

function validateLocalProfile(local: JsonValue | undefined, path: FieldPath): StatusCause[] {
  const missing = 'must be set when AppArmor type is Localhost';
  if (typeof local !== 'string' || local === '') return [required(path, missing)];
  return [
    ...(local === goTrim(local)
      ? []
      : [invalid(path, local, 'must not be padded with whitespace')]),
    ...(local.length > MAX_PROFILE_LENGTH ? [tooLong(path, MAX_PROFILE_LENGTH)] : []),
  ];
}

/** A container that may not gain privileges cannot have all of them, or CAP_SYS_ADMIN. */
function validateEscalation(context: JsonObject, path: FieldPath): StatusCause[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const added = textsAt(objectAt(context, 'capabilities'), 'add');
  const start = 'cannot set `allowPrivilegeEscalation` to false and';
  const shown = internalForm(context);
  return [
    ...(context.privileged === true
      ? [invalid(path, shown, `${start} \`privileged\` to true`)]
      : []),
    ...added
      .filter((name) => name === 'CAP_SYS_ADMIN')
      .map(() => invalid(path, shown, `${start} \`capabilities.Add\` CAP_SYS_ADMIN`)),
  ];
}

/** The struct of kube-apiserver that its messages quote. */
function internalForm(context: JsonObject): object {
  return {
    Capabilities: renamed(context.capabilities, { add: 'Add', drop: 'Drop' }),
    Privileged: context.privileged ?? null,
    SELinuxOptions: renamed(
      context.seLinuxOptions,
      { user: 'User', role: 'Role', type: 'Type', level: 'Level' },
      '',
    ),
    WindowsOptions: renamed(context.windowsOptions, {
      gmsaCredentialSpecName: 'GMSACredentialSpecName',
      gmsaCredentialSpec: 'GMSACredentialSpec',
      runAsUserName: 'RunAsUserName',
      hostProcess: 'HostProcess',
    }),
    RunAsUser: context.runAsUser ?? null,
    RunAsGroup: context.runAsGroup ?? null,
    RunAsNonRoot: context.runAsNonRoot ?? null,
    ReadOnlyRootFilesystem: context.readOnlyRootFilesystem ?? null,
    AllowPrivilegeEscalation: context.allowPrivilegeEscalation ?? null,
    ProcMount: context.procMount ?? null,
    SeccompProfile: renamed(context.seccompProfile, profileNames),
    AppArmorProfile: renamed(context.appArmorProfile, profileNames),
  };
}

const profileNames = { type: 'Type', localhostProfile: 'LocalhostProfile' };

function renamed(
  value: JsonValue | undefined,
  names: Readonly<Record<string, string>>,
  empty: string | null = null,
): object | null {
  if (!isJsonObject(value)) return null;
  return Object.fromEntries(
    Object.entries(names).map(([name, shown]) => [shown, value[name] ?? empty]),
  );
}
